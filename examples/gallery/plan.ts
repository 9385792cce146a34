/** Selects which creatives the gallery shows on which pages and devices. */
import type { Device } from '../../src/domain/devices.ts';
import type { GalleryPage } from './materials.ts';

export interface SizedCreative {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** One page that is opened as one device, with the names of its creatives. */
export interface PlannedPage {
  readonly page: GalleryPage;
  readonly device: Device;
  readonly creatives: readonly string[];
}

/**
 * Gives each page and device its best creative first, then the next one, until there are `limit` pictures. A creative is better if the
 * page's source names its size, then if the device is wide enough, then if fewer pages have it already.
 */
export function planGallery(
  {
    pages,
    devices,
    creatives,
  }: {
    pages: readonly GalleryPage[];
    devices: readonly Device[];
    creatives: readonly SizedCreative[];
  },
  limit: number,
): PlannedPage[] {
  const cells = evenly(
    pages.flatMap((page, index) =>
      rotated(devices, index).map((device) => ({ page, device, creatives: [] as string[] })),
    ),
    limit,
  );
  const uses = new Map(creatives.map(({ name }) => [name, 0]));
  let left = limit;
  for (let round = 0; round < creatives.length && left > 0; round++) {
    for (const cell of cells.slice(0, left)) {
      const free = creatives.filter(({ name }) => !cell.creatives.includes(name));
      const rank = (one: SizedCreative) => suitability(one, cell) - (uses.get(one.name) ?? 0) / 1_000;
      const best = free.toSorted((a, b) => rank(b) - rank(a))[0];
      if (best === undefined) continue;
      cell.creatives.push(best.name);
      uses.set(best.name, (uses.get(best.name) ?? 0) + 1);
      left -= 1;
    }
  }
  return cells.filter((cell) => cell.creatives.length > 0);
}

function suitability(
  { width, height }: SizedCreative,
  { page, device }: { page: GalleryPage; device: Device },
): number {
  const fits = width <= device.viewport.width;
  const named = new RegExp(`(?<!\\d)${width}\\D{1,20}${height}(?!\\d)`).test(page.html);
  return (fits ? 1 : 0) + (named ? 2 : 0);
}

/** Begins with another device for each page, so that a sample has all devices. */
function rotated<T>(all: readonly T[], by: number): T[] {
  return all.map((_, index) => all[(index + by) % all.length] as T);
}

/** At most `limit` of them, spread over the whole list. */
export function evenly<T>(all: readonly T[], limit: number): T[] {
  if (all.length <= limit) return [...all];
  return all.filter(
    (_, index) => Math.floor((index * limit) / all.length) !== Math.floor(((index - 1) * limit) / all.length),
  );
}
