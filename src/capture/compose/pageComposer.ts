import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, type ZlibOptions } from 'node:zlib';
import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';

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

/** The rows of a page that contain the ad's box, filtered for a PNG. For each ad, only the ad's columns are written again. */
class AdBand {
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

const deflate = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw);

/** Filter type Sub: the difference of each byte to the pixel on its left. It reads no other row. */
const SUB = 1;
const MODULUS = 65_521;
const MIN_CHUNK = 16_384;

/** Compressed filtered rows. A picture consists of any number of strips. */
interface Strip {
  readonly chunk: readonly Buffer[];
  readonly adler: number;
  readonly bytes: number;
}

/** Filtered rows, each with its filter type in front, and their checksum if it is known. */
interface Rows {
  readonly bytes: Buffer;
  readonly adler?: number;
}

/** @param rows RGB bytes, `width` pixels a row. @returns each row with its filter type in front. */
function filtered(rows: Buffer, width: number): Buffer {
  const stride = width * CHANNELS;
  const count = rows.length / stride;
  const out = Buffer.allocUnsafe(count * (stride + 1));
  for (let row = 0; row < count; row++) {
    const at = row * (stride + 1);
    out[at] = SUB;
    filterRun({ pixels: rows, from: row * stride, length: stride, left: 0 }, out, at + 1);
  }
  return out;
}

/** Neighbouring pixels of one row. */
interface Run {
  readonly pixels: Buffer;
  readonly from: number;
  /** Bytes. */
  readonly length: number;
  /** The pixel on their left, as {@link pixelAt} gives it. */
  readonly left: number;
}

/** Red, green and blue in one number; 0 beyond the left edge, as the filter defines. */
function pixelAt(pixels: Buffer, at: number): number {
  return ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
}

/** Filters a run into `out`. Local variables hold the pixel on the left, because most of a picture's time is spent here. */
function filterRun({ pixels, from, length, left }: Run, out: Buffer, at: number): void {
  let red = left >> 16;
  let green = (left >> 8) & 0xff;
  let blue = left & 0xff;
  for (let next = from, to = at; next < from + length; next += CHANNELS, to += CHANNELS) {
    const r = pixels[next] ?? 0;
    const g = pixels[next + 1] ?? 0;
    const b = pixels[next + 2] ?? 0;
    out[to] = r - red;
    out[to + 1] = g - green;
    out[to + 2] = b - blue;
    red = r;
    green = g;
    blue = b;
  }
}

/** @param level of zlib; a higher level pays if many pictures use the strip. */
async function strip({ bytes, adler }: Rows, level: number): Promise<Strip> {
  // One chunk, because each further chunk is another round trip to a thread.
  const chunkSize = Math.max(MIN_CHUNK, bytes.length >> 2);
  // A sync flush ends at a whole byte and leaves the stream open for the next strip.
  const body = await deflate(bytes, { level, chunkSize, finishFlush: constants.Z_SYNC_FLUSH });
  return { chunk: chunk('IDAT', body), adler: adler ?? adler32(bytes), bytes: bytes.length };
}

/** The whole file. */
function pngOf(size: { width: number; height: number }, strips: readonly Strip[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size.width, 0);
  header.writeUInt32BE(size.height, 4);
  // 8 bits, true color; compression, filter and interlace methods are 0.
  header.set([8, 2, 0, 0, 0], 8);
  // An empty last block, and the checksum of all rows.
  const end = Buffer.from([0x03, 0, 0, 0, 0, 0]);
  end.writeUInt32BE(strips.reduce(joinedAdler, { adler: 1, bytes: 0 }).adler, 2);
  return Buffer.concat([
    SIGNATURE,
    ...chunk('IHDR', header),
    ...chunk('IDAT', ZLIB_HEADER),
    ...strips.flatMap((one) => one.chunk),
    ...chunk('IDAT', end),
    ...chunk('IEND', Buffer.alloc(0)),
  ]);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const ZLIB_HEADER = Buffer.from([0x78, 0x01]);

/** In pieces, so that the largest one is copied only once, into the file. */
function chunk(type: string, body: Buffer): Buffer[] {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length, 0);
  head.write(type, 4, 'latin1');
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(body, crc32(head.subarray(4))), 0);
  return [head, body, end];
}

/** The checksum of zlib streams. */
export function adler32(bytes: Buffer): number {
  let a = 1;
  let b = 0;
  for (let from = 0; from < bytes.length; from += 3_800) {
    const to = Math.min(from + 3_800, bytes.length);
    for (let at = from; at < to; at++) {
      a += bytes[at] ?? 0;
      b += a;
    }
    a %= MODULUS;
    b %= MODULUS;
  }
  return ((b << 16) | a) >>> 0;
}

/** The checksum after zeros were replaced with bytes: adds the part of these bytes. */
class AdlerSum {
  readonly #bytes: number;
  #a: number;
  #b: number;

  constructor(adler: number, bytes: number) {
    this.#bytes = bytes;
    this.#a = adler & 0xffff;
    this.#b = adler >>> 16;
  }

  get value(): number {
    return ((this.#b << 16) | this.#a) >>> 0;
  }

  /** Adds the sum of `length` bytes that begin at `from`. Their place in the whole counts for the second half of the checksum. */
  add(bytes: Buffer, from: number, length: number): void {
    let sum = 0;
    let late = 0;
    for (let index = 0; index < length; index++) {
      const byte = bytes[from + index] ?? 0;
      sum += byte;
      late += index * byte;
    }
    this.#a = (this.#a + sum) % MODULUS;
    this.#b = (this.#b + (this.#bytes - from) * sum - late) % MODULUS;
  }
}

/** The checksum of two strips in sequence, from the checksums of both. */
function joinedAdler(
  one: { adler: number; bytes: number },
  two: { adler: number; bytes: number },
): { adler: number; bytes: number } {
  const [a1, b1] = [one.adler & 0xffff, one.adler >>> 16];
  const [a2, b2] = [two.adler & 0xffff, two.adler >>> 16];
  const length = two.bytes % MODULUS;
  const a = (a1 + a2 - 1 + MODULUS) % MODULUS;
  const b = (((b1 + b2) % MODULUS) + ((length * (a1 - 1 + MODULUS)) % MODULUS)) % MODULUS;
  return { adler: ((b << 16) | a) >>> 0, bytes: one.bytes + two.bytes };
}
