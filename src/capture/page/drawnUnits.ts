/** Anchors and interstitials without an element in the page, which Tearsheet draws over it. */
import { sizesOf } from '../../domain/adSizes.ts';
import type { AdSize } from '../../domain/ads.ts';
import type { DrawnFormat } from '../../domain/slotFormats.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { Frame } from '../browser/frame.ts';
import type { Box, SlotCandidate } from './page.ts';

interface Screen {
  readonly frame: Frame;
  /** CSS pixels. */
  readonly screen: AdSize;
}

const SIZES: Readonly<Record<DrawnFormat, readonly AdSize[]>> = {
  anchor: sizesOf('970x90 728x90 320x100 320x50 300x50'),
  interstitial: sizesOf('768x1024 1024x768 320x480 480x320 336x280 300x250'),
};

/** The unit of a format that a page declares without an element, as Google Publisher Tag lets it. */
export function declaredUnit(format: DrawnFormat, { frame, screen }: Screen) {
  const fitting = SIZES[format].filter(({ width, height }) => width <= screen.width && height <= screen.height);
  const sizes = fitting.map(({ width, height }) => [width, height] as const);
  const [, height] = format === 'anchor' ? (sizes[0] ?? [0, 0]) : [0, screen.height];
  const element = `the ${format} of Google Publisher Tag`;
  const box = { x: 0, y: screen.height - height, width: screen.width, height };
  return unit(format, frame, { box, sizes, evidence: ['gpt'], element });
}

/** A unit for this ad, on a page that declares none. */
export function drawnUnit(format: DrawnFormat, { frame, screen, ad }: Screen & { readonly ad: AdSize }) {
  const spare = { x: screen.width - ad.width, y: screen.height - ad.height };
  const fits = spare.x >= 0 && spare.y >= 0;
  const place = { x: spare.x / 2, y: format === 'anchor' ? spare.y : spare.y / 2, width: ad.width, height: ad.height };
  const box: Box = fits ? place : { x: 0, y: 0, ...screen };
  const element = `${format} drawn by Tearsheet`;
  return unit(format, frame, { box, sizes: [[box.width, box.height]], evidence: [], element });
}

type About = Pick<SlotCandidate, 'box' | 'sizes' | 'evidence' | 'element'>;

/** A slot whose element is drawn each time that an ad is placed in it. */
function unit(format: DrawnFormat, frame: Frame, about: About) {
  const shown = { visible: true, collapsed: false, sticky: true, covered: false } as const;
  return {
    candidate: { ...about, ...shown, kind: format, sizeTrust: 4 },
    isFrame: false,
    frame,
    element: () => frame.evaluateHandle((drawn) => inPage.drawUnit(drawn), format),
  };
}

export function drawnWarning(format: DrawnFormat): Warning {
  return { code: 'slot_drawn', message: `The page shows no ${format}, so Tearsheet drew this one over the page.` };
}
