import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';

/** A page with one word has more. */
const MAX_BLANK_SHARE = 0.00003;
/** A page with some lines of text has more. */
const ENOUGH_SHARE = 0.01;
/** An ad that fills the screen leaves too little of the page to judge. */
const MIN_PAGE_SHARE = 0.15;

/** How much of the page a picture shows. `little`: less than some lines of text. */
export type PageContent = { readonly share: number; readonly amount: 'none' | 'little' | 'enough' };

/** Measures the share of the page around the ad that differs from its background. It stops counting when that is enough. */
export function contentAround(page: Pixels, box: PixelBox): PageContent {
  const all = page.width * page.height;
  const around = all - box.width * box.height;
  if (around < all * MIN_PAGE_SHARE) return { share: ENOUGH_SHARE, amount: 'enough' };
  const share = countPainted(page, box, around * ENOUGH_SHARE) / around;
  return { share, amount: share <= MAX_BLANK_SHARE ? 'none' : share < ENOUGH_SHARE ? 'little' : 'enough' };
}

function countPainted(page: Pixels, box: PixelBox, enough: number): number {
  const background = mainColour(page, box);
  let painted = 0;
  for (let y = 0; y < page.height; y++) {
    const inRows = y >= box.y && y < box.y + box.height;
    for (let x = 0; x < page.width; x++) {
      if (inRows && x >= box.x && x < box.x + box.width) continue;
      if (colourAt(page, x, y) !== background && ++painted >= enough) return painted;
    }
  }
  return painted;
}

/** The most frequent colour of some pixels outside the box. */
function mainColour(page: Pixels, box: PixelBox): number {
  const counts = new Map<number, number>();
  const step = Math.max(1, Math.floor(Math.min(page.width, page.height) / 24));
  for (let y = 0; y < page.height; y += step) {
    for (let x = 0; x < page.width; x += step) {
      const inside = x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
      if (!inside) counts.set(colourAt(page, x, y), (counts.get(colourAt(page, x, y)) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, one], [, two]) => two - one)[0]?.[0] ?? 0xffffff;
}

function colourAt({ data, width }: Pixels, x: number, y: number): number {
  const at = (y * width + x) * CHANNELS;
  return ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
}
