/** The parts of a PNG file of 8-bit RGB rows. Parts that pictures share are compressed only once. */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, type ZlibOptions } from 'node:zlib';
import { CHANNELS } from './pixels.ts';

const deflate = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw);

/** Filter type Sub: the difference of each byte to the pixel on its left. It reads no other row. */
const SUB = 1;
const MODULUS = 65_521;
const MIN_CHUNK = 16_384;

/** Compressed filtered rows. A picture consists of any number of strips. */
export interface Strip {
  readonly chunk: readonly Buffer[];
  readonly adler: number;
  readonly bytes: number;
}

/** Filtered rows, each with its filter type in front, and their checksum if it is known. */
export interface Rows {
  readonly bytes: Buffer;
  readonly adler?: number;
}

/** @param rows RGB bytes, `width` pixels a row. @returns each row with its filter type in front. */
export function filtered(rows: Buffer, width: number): Buffer {
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
export interface Run {
  readonly pixels: Buffer;
  readonly from: number;
  /** Bytes. */
  readonly length: number;
  /** The pixel on their left, as {@link pixelAt} gives it. */
  readonly left: number;
}

/** Red, green and blue in one number; 0 beyond the left edge, as the filter defines. */
export function pixelAt(pixels: Buffer, at: number): number {
  return ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
}

/** Filters a run into `out`. Local variables hold the pixel on the left, because most of a picture's time is spent here. */
export function filterRun({ pixels, from, length, left }: Run, out: Buffer, at: number): void {
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
export async function strip({ bytes, adler }: Rows, level: number): Promise<Strip> {
  // One chunk, because each further chunk is another round trip to a thread.
  const chunkSize = Math.max(MIN_CHUNK, bytes.length >> 2);
  // A sync flush ends at a whole byte and leaves the stream open for the next strip.
  const body = await deflate(bytes, { level, chunkSize, finishFlush: constants.Z_SYNC_FLUSH });
  return { chunk: chunk('IDAT', body), adler: adler ?? adler32(bytes), bytes: bytes.length };
}

/** The whole file. */
export function pngOf(size: { width: number; height: number }, strips: readonly Strip[]): Buffer {
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
export class AdlerSum {
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
