/** The pieces of a PNG file of 8-bit RGB rows, so that what pictures share need not be compressed for each of them. */
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, type ZlibOptions } from 'node:zlib';
import { CHANNELS } from './pixels.ts';

const deflate = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw);

/** Filter type Sub: what each byte adds to the pixel on its left. It looks at no other row. */
const SUB = 1;
const MODULUS = 65_521;
const MIN_CHUNK = 16_384;

/** Filtered rows, compressed: any number of them make up one picture. */
export interface Strip {
  readonly chunk: readonly Buffer[];
  readonly adler: number;
  readonly bytes: number;
}

/** Filtered rows, each with its filter type in front, and their checksum where it is known. */
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

/** Red, green and blue in one number; 0 beyond the left edge, as the filter has it. */
export function pixelAt(pixels: Buffer, at: number): number {
  return ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
}

/** Filters a run into `out`. Plain variables carry the pixel on the left: this is where the time of a picture goes. */
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

/** @param level of zlib; what is kept for many pictures is worth more of it. */
export async function strip({ bytes, adler }: Rows, level: number): Promise<Strip> {
  // In one go: each further chunk is another way to a thread and back.
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
  // 8 bits, true colour; compression, filter and interlace methods are 0.
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

/** In pieces, of which the largest is not copied before the file is made. */
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

/** The checksum of bytes of which some were zeros: what stands there now is added. */
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

  /** `length` bytes that begin at `from`, where they count for all that follow. */
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

/** That of two strips, one after the other, from those of each. */
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
