import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';
import { AdlerSum, adler32, filtered, filterRun, pixelAt, type Rows } from './pngParts.ts';

/** The rows of a page that contain the ad's box, filtered for a PNG. For each ad, only the ad's columns are written again. */
export class AdBand {
  readonly #page: Pixels;
  readonly #box: PixelBox;
  readonly #rows: Buffer;
  /** The checksum of the rows with zeros in place of the ad's bytes. */
  readonly #adler: number;
  /** Bytes of a row that an ad changes: its own, and the pixel to its right, because the filter subtracts the ad's last pixel from it. */
  readonly #length: number;
  /** Unused copies of the rows. Allocating a megabyte for each picture would keep the garbage collector busy. */
  readonly #free: Buffer[] = [];

  /** @param box entirely inside the page. */
  constructor(page: Pixels, box: PixelBox) {
    this.#page = page;
    this.#box = box;
    const stride = page.width * CHANNELS;
    this.#rows = filtered(page.data.subarray(box.y * stride, (box.y + box.height) * stride), page.width);
    this.#length = Math.min((box.width + 1) * CHANNELS, stride - box.x * CHANNELS);
    for (let row = 0; row < box.height; row++) this.#rows.fill(0, this.#start(row), this.#start(row) + this.#length);
    this.#adler = adler32(this.#rows);
  }

  /** @param ad as large as the box. @param use gets the rows. They must not be used after it returns, because the next ad reuses them. */
  async with<T>(ad: Pixels, use: (rows: Required<Rows>) => T | Promise<T>): Promise<T> {
    const bytes = this.#free.pop() ?? Buffer.from(this.#rows);
    try {
      return await use({ bytes, adler: this.#fill(bytes, ad) });
    } finally {
      this.#free.push(bytes);
    }
  }

  /** Puts the ad into the rows. @returns their checksum. */
  #fill(bytes: Buffer, ad: Pixels): number {
    const { x, y, width, height } = this.#box;
    const sum = new AdlerSum(this.#adler, bytes.length);
    const stride = width * CHANNELS;
    const pixels = this.#page.data;
    for (let row = 0; row < height; row++) {
      const at = this.#start(row);
      const inPage = ((y + row) * this.#page.width + x) * CHANNELS;
      const left = x > 0 ? pixelAt(pixels, inPage - CHANNELS) : 0;
      filterRun({ pixels: ad.data, from: row * stride, length: stride, left }, bytes, at);
      const last = pixelAt(ad.data, (row + 1) * stride - CHANNELS);
      const right = { pixels, from: inPage + stride, length: this.#length - stride, left: last };
      filterRun(right, bytes, at + stride);
      sum.add(bytes, at, this.#length);
    }
    return sum.value;
  }

  /** Behind the filter types of this row and those above. */
  #start(row: number): number {
    return row * (this.#page.width * CHANNELS + 1) + 1 + this.#box.x * CHANNELS;
  }
}
