/** The kinds of places for ads. */

/**
 * `display`: in the layout of the page. `anchor`, `rail`, `interstitial` and `skin` lie outside of it. `native`: a unit in the look of the
 * page. `video`: an outstream unit. `in_stream`: a video player of the page, which shows a video ad before its content.
 */
export const SLOT_FORMATS = [
  'display',
  'anchor',
  'rail',
  'interstitial',
  'skin',
  'native',
  'video',
  'in_stream',
] as const;
export type SlotFormat = (typeof SLOT_FORMATS)[number];

/** Tearsheet draws these over a page that has none. */
export const DRAWN_FORMATS = ['anchor', 'interstitial'] as const satisfies readonly SlotFormat[];
export type DrawnFormat = (typeof DRAWN_FORMATS)[number];
