/** How one screenshot is taken. The names of the API are in `contract/`. */

/** `hide`: the page looks as if no ad was delivered. `keep`: other ads load. */
export const OTHER_ADS = ['hide', 'keep'] as const;
export type OtherAds = (typeof OTHER_ADS)[number];

/** A slot that the client chose: a CSS selector, or the number of a candidate in the record, from 1. */
export type SlotChoice = { readonly selector: string } | { readonly index: number };

/** Options that apply when the page is open. */
export interface PlacementOptions {
  /** Otherwise an ad is shown at its own size or not at all. */
  readonly allowScaling: boolean;
  /** Null: the slot with the highest score. */
  readonly slot: SlotChoice | null;
  /** The whole page instead of the viewport. */
  readonly fullPage: boolean;
}

export interface ScreenshotOptions extends PlacementOptions {
  readonly otherAds: OtherAds;
}

/** No client needs more, and a long selector would take a page much time. */
export const SELECTOR_MAX = 500;
export const SLOT_INDEX_MAX = 100;

export const DEFAULT_OPTIONS: ScreenshotOptions = {
  allowScaling: false,
  slot: null,
  fullPage: false,
  otherAds: 'hide',
};
