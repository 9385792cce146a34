import { CHANNELS, overlaid, type PixelBox, type Pixels } from './pixels.ts';
import { filtered, filterInto, pngOf, type Strip, strip } from './pngParts.ts';

/** Kept for every picture of the page. */
const PAGE_LEVEL = 4;
const AD_LEVEL = 1;

/** Makes pictures of one page with one ad after the other in the same box: only the ad's rows are compressed anew. */
export class PageComposer {
  readonly #page: Pixels;
  readonly #box: PixelBox;
  readonly #band: Pixels;
  readonly #filteredBand: Buffer;
  #around: Promise<readonly [above: Strip, below: Strip]> | undefined;

  /** @param box wholly inside the page. */
  constructor(page: Pixels, box: PixelBox) {
    this.#page = page;
    this.#box = box;
    this.#band = { ...page, data: this.#rows(box.y, box.y + box.height), height: box.height };
    this.#filteredBand = filtered(this.#band.data, page.width);
  }

  /** A PNG of the page with the ad, which is as large as the box. */
  async compose(ad: Pixels): Promise<Buffer> {
    this.#around ??= Promise.all([
      strip(filtered(this.#rows(0, this.#box.y), this.#page.width), PAGE_LEVEL),
      strip(filtered(this.#rows(this.#box.y + this.#box.height, this.#page.height), this.#page.width), PAGE_LEVEL),
    ]);
    const middle = strip(this.#bandWith(ad), AD_LEVEL);
    const [above, below] = await this.#around;
    return pngOf(this.#page, [above, await middle, below]);
  }

  /** The ad's columns are filtered anew, and the pixel right of them, which counts from the ad's last. */
  #bandWith(ad: Pixels): Buffer {
    const { x, width } = this.#box;
    const source = overlaid(this.#band, ad, { x, y: 0 }).data;
    const out = Buffer.from(this.#filteredBand);
    const stride = this.#band.width * CHANNELS;
    const from = x * CHANNELS;
    const to = Math.min((x + width + 1) * CHANNELS, stride);
    for (let row = 0; row < this.#band.height; row++) filterInto(out, { row, stride, from, to, source });
    return out;
  }

  #rows(from: number, to: number): Buffer {
    const stride = this.#page.width * CHANNELS;
    return this.#page.data.subarray(from * stride, to * stride);
  }
}
