/** Measures what a picture shows around its ad, in the pixels of the page without the ad. */
import { CHANNELS, type PixelBox, type Pixels } from '../compose/pixels.ts';

export interface PictureLook {
  /** The empty rows directly above the ad, as a share of the picture's height. */
  readonly above: number;
  /** The empty columns beside the ad, in its rows, CSS pixels. */
  readonly left: number;
  readonly right: number;
  /** Whether the picture begins beside the edge of a page that is wider than the screen. */
  readonly isAside: boolean;
}

/** The sum of the differences of red, green and blue in an even background, as of a gradient. */
const SAME_COLOUR = 24;

/** @param adWidth CSS pixels. */
export function pictureLook(
  page: Pixels,
  box: PixelBox,
  { adWidth, isAside }: Pick<PictureLook, 'isAside'> & { readonly adWidth: number },
): PictureLook {
  const rows = { from: box.y + 2, to: Math.min(page.height, box.y + box.height - 2) };
  const isEmpty = (column: number, beside: number) => {
    const background = colourAt(page, beside, rows.from);
    for (let y = rows.from; y < rows.to; y++) if (!isSame(colourAt(page, column, y), background)) return false;
    return true;
  };
  const end = box.x + box.width;
  let left = 0;
  while (left < box.x && isEmpty(box.x - 1 - left, box.x - 1)) left++;
  let right = 0;
  while (end + right < page.width && isEmpty(end + right, end)) right++;
  let above = 0;
  while (above < box.y && isEmptyRow(page, box.y - 1 - above)) above++;
  const ratio = box.width / adWidth;
  return { above: above / page.height, left: left / ratio, right: right / ratio, isAside };
}

/** The page may end two pixels before the picture, where its width was rounded. */
function isEmptyRow(page: Pixels, y: number): boolean {
  const background = colourAt(page, 2, y);
  for (let x = 2; x < page.width - 2; x++) if (!isSame(colourAt(page, x, y), background)) return false;
  return true;
}

function isSame(one: number, two: number): boolean {
  const difference = (shift: number) => Math.abs(((one >> shift) & 0xff) - ((two >> shift) & 0xff));
  return difference(16) + difference(8) + difference(0) <= SAME_COLOUR;
}

export function colourAt({ data, width }: Pixels, x: number, y: number): number {
  const at = (y * width + x) * CHANNELS;
  return ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
}
