import { AdBand } from './adBand.ts';
import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';
import { filtered, pngOf, type Strip, strip } from './pngParts.ts';

/** zlib's levels: the page's strips are compressed once for all pictures, the rows of an ad for each picture. */
const PAGE_LEVEL = 4;
const AD_LEVEL = 1;

/** Makes pictures of one page with one ad after the other in the same box: only the ad's rows are compressed anew. */
export class PageComposer {
  readonly #page: Pixels;
  readonly #band: AdBand;
  /** Begun at once: an ad is on its way. */
  readonly #around: Promise<readonly [above: Strip, below: Strip]>;

  /** @param box wholly inside the page. */
  constructor(page: Pixels, box: PixelBox) {
    this.#page = page;
    this.#band = new AdBand(page, box);
    this.#around = Promise.all([this.#strip(0, box.y), this.#strip(box.y + box.height, page.height)]);
    // Whoever composes meets the failure.
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
