/** The ad sizes that are sold, in CSS pixels. */
import type { AdSize } from './ads.ts';

/** The sizes of ads in a page: of the IAB guidelines, of Google Ad Manager and of large networks. Those sold most often come first. */
const IN_PAGE = `
  300x250 728x90 320x50 300x600 160x600 970x250 320x100 336x280 970x90 320x480 468x60 250x250 120x600 480x320 300x50
  300x1050 970x66 980x120 930x180 200x200 180x150 234x60 300x100 125x125 120x240 240x400 580x400 800x250 980x240 980x250
  980x400 994x250 1000x90 1000x100 1000x250 1000x300 1000x500 970x500 640x360 640x480 400x300 300x300 320x250 320x160 320x240
  320x75 320x80 300x150 480x300 120x90 750x100 750x200 750x300
`;

/** Sizes of creatives that fill a screen, and sizes that are not typical for the ads of a page. An empty box of such a size is no evidence. */
const OF_CREATIVES = `
  800x600 600x300 728x300 360x640 375x667 768x1024 1024x768 120x60 88x31 216x36 168x28 500x500 400x400 1200x600 1080x1920
  1800x1000 160x160 550x480 240x120
`;

/** The standard sizes of ads in a page. */
export const IN_PAGE_SIZES: readonly AdSize[] = sizesOf(IN_PAGE);

const STANDARD_SIZES: readonly AdSize[] = [...IN_PAGE_SIZES, ...sizesOf(OF_CREATIVES)];

/** @param list as `300x250 728x90`. */
export function sizesOf(list: string): AdSize[] {
  return list
    .trim()
    .split(/\s+/)
    .map((pair) => {
      const [width = 0, height = 0] = pair.split('x').map(Number);
      return { width, height };
    });
}

/** A border or a rounded coordinate does not make a new size. CSS pixels. */
const NEAR = 4;

/** @returns the standard size that differs by at most a few pixels from this size in each direction. */
export function standardSizeNear(size: AdSize, tolerance = NEAR): AdSize | undefined {
  const distance = (one: AdSize) => Math.max(Math.abs(one.width - size.width), Math.abs(one.height - size.height));
  const [nearest] = STANDARD_SIZES.filter((one) => distance(one) <= tolerance).toSorted(
    (a, b) => distance(a) - distance(b),
  );
  return nearest;
}

export function isStandardSize(size: AdSize): boolean {
  return standardSizeNear(size, 0) !== undefined;
}

/** @returns true if the sizes differ by at most a few pixels in each direction. */
export function isNear(a: AdSize, b: AdSize): boolean {
  return Math.abs(a.width - b.width) <= NEAR && Math.abs(a.height - b.height) <= NEAR;
}
