import { AdBand } from './adBand.ts';
import { BandDeflater } from './bandDeflater.ts';
import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';
import { filtered, pngOf, type Strip, strip, stripOf } from './pngParts.ts';

/** Kept for every picture of the page. */
const PAGE_LEVEL = 4;
const AD_LEVEL = 1;
/** In rows that are so many times as long as the ad's part, that part alone is compressed. */
const NARROW = 3;

/** Makes pictures of one page with one ad after the other in the same box: only the ad's rows are compressed anew. */
export class PageComposer {
  readonly #page: Pixels;
  readonly #band: AdBand;
  readonly #deflater: BandDeflater | undefined;
  /** Begun at once: an ad is on its way. */
  readonly #around: Promise<readonly [above: Strip, below: Strip]>;

  /** @param box wholly inside the page. */
  constructor(page: Pixels, box: PixelBox) {
    this.#page = page;
    this.#band = new AdBand(page, box);
    const isNarrow = box.width * NARROW <= page.width;
    this.#deflater = isNarrow ? new BandDeflater(this.#band.rows, this.#band.columns) : undefined;
    this.#around = Promise.all([this.#strip(0, box.y), this.#strip(box.y + box.height, page.height)]);
    // Whoever composes meets the failure.
    this.#around.catch((error: unknown) => void error);
  }

  /** A PNG of the page with the ad, which is as large as the box. */
  async compose(ad: Pixels): Promise<Buffer> {
    const deflater = this.#deflater;
    const middle = this.#band.with(ad, (rows) =>
      deflater ? stripOf(rows, deflater.deflate(rows.bytes)) : strip(rows, AD_LEVEL),
    );
    const [[above, below], between] = await Promise.all([this.#around, middle]);
    return pngOf(this.#page, [above, between, below]);
  }

  #strip(from: number, to: number): Promise<Strip> {
    const { data, width } = this.#page;
    const stride = width * CHANNELS;
    return strip({ bytes: filtered(data.subarray(from * stride, to * stride), width) }, PAGE_LEVEL);
  }
}
