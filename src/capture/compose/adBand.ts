import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';
import { AdlerSum, adler32, filtered, filterRun, type Rows } from './pngParts.ts';

/** The rows of a page that an ad stands in, filtered for a PNG; of each, only the ad's columns are made anew for an ad. */
export class AdBand {
  readonly #page: Pixels;
  readonly #box: PixelBox;
  readonly #rows: Buffer;
  /** Of the rows, with zeros where an ad's bytes come. */
  readonly #adler: number;
  /** Bytes of a row that an ad changes: its own, and the pixel right of it, which counts from its last. */
  readonly #length: number;

  /** @param box wholly inside the page. */
  constructor(page: Pixels, box: PixelBox) {
    this.#page = page;
    this.#box = box;
    const stride = page.width * CHANNELS;
    this.#rows = filtered(page.data.subarray(box.y * stride, (box.y + box.height) * stride), page.width);
    this.#length = Math.min((box.width + 1) * CHANNELS, stride - box.x * CHANNELS);
    for (let row = 0; row < box.height; row++) this.#rows.fill(0, this.#start(row), this.#start(row) + this.#length);
    this.#adler = adler32(this.#rows);
  }

  /** @param ad as large as the box. */
  with(ad: Pixels): Rows {
    const { x, y, width, height } = this.#box;
    const bytes = Buffer.from(this.#rows);
    const sum = new AdlerSum(this.#adler, bytes.length);
    const stride = width * CHANNELS;
    // The pixel on the left, where there is one, the ad, the pixel on the right.
    const run = Buffer.alloc(CHANNELS + this.#length);
    for (let row = 0; row < height; row++) {
      const inPage = ((y + row) * this.#page.width + x) * CHANNELS;
      if (x > 0) this.#page.data.copy(run, 0, inPage - CHANNELS, inPage);
      ad.data.copy(run, CHANNELS, row * stride, (row + 1) * stride);
      if (this.#length > stride) this.#page.data.copy(run, CHANNELS + stride, inPage + stride);
      const at = this.#start(row);
      filterRun(run, bytes, at);
      sum.add(bytes, at, this.#length);
    }
    return { bytes, adler: sum.value };
  }

  /** Behind the filter types of this row and those above. */
  #start(row: number): number {
    return row * (this.#page.width * CHANNELS + 1) + 1 + this.#box.x * CHANNELS;
  }
}
