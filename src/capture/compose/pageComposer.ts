import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, type ZlibOptions } from 'node:zlib';
import { CHANNELS, overlaid, type PixelBox, type Pixels } from './pixels.ts';

/** zlib's levels. The page's strips are compressed once for all pictures, and the rows of an ad for each picture. */
const PAGE_LEVEL = 4;
const AD_LEVEL = 1;

/** Composes pictures of one page with different ads in the same box. Only the rows of the ad are compressed for each picture. */
export class PageComposer {
  readonly #page: Pixels;
  readonly #box: PixelBox;
  /** Started at once, because an ad arrives soon. */
  readonly #around: Promise<readonly [above: Strip, below: Strip]>;

  /** @param box entirely inside the page. */
  constructor(page: Pixels, box: PixelBox) {
    this.#page = page;
    this.#box = box;
    const [above, below] = [rowsOf(page, 0, box.y), rowsOf(page, box.y + box.height, page.height)];
    this.#around = Promise.all([strip(above, PAGE_LEVEL), strip(below, PAGE_LEVEL)]);
    // The next call of compose throws the error.
    this.#around.catch((error: unknown) => void error);
  }

  /** A PNG of the page with the ad, which is as large as the box. */
  async compose(ad: Pixels): Promise<Buffer> {
    const { x, y, height } = this.#box;
    const band = overlaid(rowsOf(this.#page, y, y + height), ad, { x, y: 0 });
    const [[above, below], middle] = await Promise.all([this.#around, strip(band, AD_LEVEL)]);
    return pngOf(this.#page, [above, middle, below]);
  }
}

/** Rows of a page, without a copy. */
function rowsOf({ data, width }: Pixels, from: number, to: number): Pixels {
  const stride = width * CHANNELS;
  return { data: data.subarray(from * stride, to * stride), width, height: to - from };
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

/** @returns the rows for a PNG, each with its filter type in front. Local variables hold the pixel on the left, for speed. */
function filtered({ data, width, height }: Pixels): Buffer {
  const stride = width * CHANNELS;
  const out = Buffer.allocUnsafe(height * (stride + 1));
  for (let from = 0, to = 0; from < data.length; ) {
    out[to++] = SUB;
    let red = 0;
    let green = 0;
    let blue = 0;
    for (const end = from + stride; from < end; from += CHANNELS, to += CHANNELS) {
      const r = data[from] ?? 0;
      const g = data[from + 1] ?? 0;
      const b = data[from + 2] ?? 0;
      out[to] = r - red;
      out[to + 1] = g - green;
      out[to + 2] = b - blue;
      red = r;
      green = g;
      blue = b;
    }
  }
  return out;
}

/** @param level of zlib; a higher level pays if many pictures use the strip. */
async function strip(rows: Pixels, level: number): Promise<Strip> {
  const bytes = filtered(rows);
  // One chunk, because each further chunk is another round trip to a thread.
  const chunkSize = Math.max(MIN_CHUNK, bytes.length >> 2);
  // A sync flush ends at a whole byte and leaves the stream open for the next strip.
  const body = await deflate(bytes, { level, chunkSize, finishFlush: constants.Z_SYNC_FLUSH });
  return { chunk: chunk('IDAT', body), adler: adler32(bytes), bytes: bytes.length };
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
