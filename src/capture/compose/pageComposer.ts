import { AdBand } from './adBand.ts';
import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';
import { filtered, pngOf, type Strip, strip } from './pngParts.ts';

/** Kept for every picture of the page. */
const PAGE_LEVEL = 4;
const AD_LEVEL = 1;

/** Makes pictures of one page with one ad after the other in the same box: only the ad's rows are compressed anew. */
export class PageComposer {
  readonly #page: Pixels;
  readonly #box: PixelBox;
  readonly #band: AdBand;
  #around: Promise<readonly [above: Strip, below: Strip]> | undefined;

  /** @param box wholly inside the page. */
  constructor(page: Pixels, box: PixelBox) {
    this.#page = page;
    this.#box = box;
    this.#band = new AdBand(page, box);
  }

  /** A PNG of the page with the ad, which is as large as the box. */
  async compose(ad: Pixels): Promise<Buffer> {
    const { y, height } = this.#box;
    this.#around ??= Promise.all([this.#strip(0, y), this.#strip(y + height, this.#page.height)]);
    const middle = strip(this.#band.with(ad), AD_LEVEL);
    const [above, below] = await this.#around;
    return pngOf(this.#page, [above, await middle, below]);
  }

  #strip(from: number, to: number): Promise<Strip> {
    const { data, width } = this.#page;
    const stride = width * CHANNELS;
    return strip({ bytes: filtered(data.subarray(from * stride, to * stride), width) }, PAGE_LEVEL);
  }
}
