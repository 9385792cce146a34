import { AdBand } from './adBand.ts';
import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';
import { filtered, pngOf, type Strip, strip } from './pngParts.ts';

/** zlib's levels. The page's strips are compressed once for all pictures, and the rows of an ad for each picture. */
const PAGE_LEVEL = 4;
const AD_LEVEL = 1;

/** Composes pictures of one page with different ads in the same box. Only the rows of the ad are compressed for each picture. */
export class PageComposer {
  readonly #page: Pixels;
  readonly #band: AdBand;
  /** Started at once, because an ad arrives soon. */
  readonly #around: Promise<readonly [above: Strip, below: Strip]>;

  /** @param box entirely inside the page. */
  constructor(page: Pixels, box: PixelBox) {
    this.#page = page;
    this.#band = new AdBand(page, box);
    this.#around = Promise.all([this.#strip(0, box.y), this.#strip(box.y + box.height, page.height)]);
    // The next call of compose throws the error.
    this.#around.catch((error: unknown) => void error);
  }

  /** A PNG of the page with the ad, which is as large as the box. */
  async compose(ad: Pixels): Promise<Buffer> {
    const middle = this.#band.with(ad, (rows) => strip(rows, AD_LEVEL));
    const [[above, below], between] = await Promise.all([this.#around, middle]);
    return pngOf(this.#page, [above, between, below]);
  }

  #strip(from: number, to: number): Promise<Strip> {
    const { data, width } = this.#page;
    const stride = width * CHANNELS;
    return strip({ bytes: filtered(data.subarray(from * stride, to * stride), width) }, PAGE_LEVEL);
  }
}
