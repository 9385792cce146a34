/**
 * Writes an animated GIF with one palette for all frames. sharp chooses the palette. It would also write the frames, but it
 * chooses a palette for each of them, which takes a hundred times as long and makes still parts flicker.
 */
import { setImmediate } from 'node:timers/promises';
import sharp from 'sharp';
import { CHANNELS, type PixelBox, type Pixels } from './pixels.ts';

export interface GifFrame {
  readonly box: PixelBox;
  /** The pixels of the box. */
  readonly pixels: Pixels;
  /** Hundredths of a second. */
  readonly delay: number;
}

/** 256 entries of red, green and blue. */
type Palette = Buffer;

const PALETTE_BYTES = 256 * CHANNELS;
/** Colors are looked up by their upper bits. */
const BITS = 6;
/** The thresholds of an ordered dither, 0 to 15. */
const DITHER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/** @param sample a picture with the colors of all frames. @returns the palette for them. */
export async function paletteOf({ data, width, height }: Pixels): Promise<Palette> {
  const gif = await sharp(data, { raw: { width, height, channels: CHANNELS } })
    .gif({ effort: 3, dither: 0 })
    .toBuffer();
  const start = 13;
  const colors = gif.subarray(start, start + CHANNELS * (2 << ((gif[10] ?? 0) & 7)));
  const palette = Buffer.alloc(PALETTE_BYTES);
  for (let at = 0; at < PALETTE_BYTES; at += 1) palette[at] = colors[at % colors.length] ?? 0;
  return palette;
}

/** XMP is not in blocks. A reader that takes each byte for the length of a block comes through these to the end. */
const XMP_END = Buffer.from([1, ...Array.from({ length: 256 }, (_, at) => 255 - at), 0]);

/** @param size of the whole picture. The first frame fills it. The animation repeats without an end. */
export async function gifOf(
  size: { width: number; height: number },
  palette: Palette,
  frames: Iterable<GifFrame>,
  { xmp }: { xmp: string },
): Promise<Buffer> {
  const parts = [Buffer.from('GIF89a'), words(size.width, size.height), Buffer.from([0xf7, 0, 0]), palette];
  parts.push(Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0', 'latin1'));
  parts.push(Buffer.from('\x21\xff\x0bXMP DataXMP', 'latin1'), Buffer.from(xmp), XMP_END);
  const indexOf = colorFinder(palette);
  for (const { box, pixels, delay } of frames) {
    // Other pages of the capture must not wait for all frames.
    await setImmediate();
    parts.push(Buffer.from([0x21, 0xf9, 4, 4]), words(delay), Buffer.from([0, 0]));
    parts.push(Buffer.from([0x2c]), words(box.x, box.y, box.width, box.height), Buffer.from([0, 8]));
    parts.push(...compressed(indexed(pixels, palette, indexOf)));
  }
  return Buffer.concat([...parts, Buffer.from([0x3b])]);
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt16LE(value, 2 * at);
  return bytes;
}

/** @returns a function that finds the entry of the palette for a color. */
function colorFinder(palette: Palette): (red: number, green: number, blue: number) => number {
  const known = new Int16Array(1 << (3 * BITS)).fill(-1);
  const drop = 8 - BITS;
  return (red, green, blue) => {
    const cell = ((red >> drop) << (2 * BITS)) | ((green >> drop) << BITS) | (blue >> drop);
    const found = known[cell] ?? -1;
    if (found >= 0) return found;
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let entry = 0; entry < 256; entry += 1) {
      const at = entry * CHANNELS;
      const [r, g, b] = [red - (palette[at] ?? 0), green - (palette[at + 1] ?? 0), blue - (palette[at + 2] ?? 0)];
      const distance = 2 * r * r + 4 * g * g + b * b;
      if (distance < least) [best, least] = [entry, distance];
    }
    known[cell] = best;
    return best;
  };
}

const clamped = (value: number) => Math.max(0, Math.min(255, value));

/** @returns an entry of the palette for each pixel. Colors of the palette stay even, and others are dithered. */
function indexed({ data, width }: Pixels, palette: Palette, indexOf: ReturnType<typeof colorFinder>): Uint8Array {
  const indexes = new Uint8Array(data.length / CHANNELS);
  for (let at = 0, pixel = 0; pixel < indexes.length; at += CHANNELS, pixel += 1) {
    const [red, green, blue] = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
    const nearest = indexOf(red, green, blue);
    const entry = nearest * CHANNELS;
    const [r, g, b] = [
      red - (palette[entry] ?? 0),
      green - (palette[entry + 1] ?? 0),
      blue - (palette[entry + 2] ?? 0),
    ];
    if (Math.abs(r) + Math.abs(g) + Math.abs(b) <= 6) {
      indexes[pixel] = nearest;
      continue;
    }
    const share = (DITHER[((Math.floor(pixel / width) & 3) << 2) | ((pixel % width) & 3)] ?? 0) / 8;
    indexes[pixel] = indexOf(clamped(red + r * share), clamped(green + g * share), clamped(blue + b * share));
  }
  return indexes;
}

const CLEAR = 256;
const END = 257;
const MAX_CODE = 4095;

/** LZW with codes of 9 to 12 bits, in blocks of at most 255 bytes. */
function compressed(indexes: Uint8Array): Buffer[] {
  const out = Buffer.allocUnsafe(indexes.length * 2 + 16);
  let [bytes, buffer, bits, width] = [0, 0, 0, 9];
  const put = (code: number) => {
    buffer |= code << bits;
    for (bits += width; bits >= 8; bits -= 8, buffer >>>= 8) out[bytes++] = buffer & 0xff;
  };
  // The code of a prefix and its next index; 0 for none. Only codes above END are stored.
  const table = new Uint16Array((MAX_CODE + 1) << 8);
  let next = END + 1;
  let prefix = indexes[0] ?? 0;
  put(CLEAR);
  for (let at = 1; at < indexes.length; at += 1) {
    const index = indexes[at] ?? 0;
    const key = (prefix << 8) | index;
    const known = table[key] ?? 0;
    if (known !== 0) {
      prefix = known;
      continue;
    }
    put(prefix);
    prefix = index;
    if (next > MAX_CODE) {
      put(CLEAR);
      table.fill(0);
      [next, width] = [END + 1, 9];
      continue;
    }
    table[key] = next;
    if (next === 1 << width && width < 12) width += 1;
    next += 1;
  }
  put(prefix);
  put(END);
  if (bits > 0) out[bytes++] = buffer & 0xff;
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes; at += 255) {
    const block = out.subarray(at, Math.min(bytes, at + 255));
    blocks.push(Buffer.from([block.length]), block);
  }
  return [...blocks, Buffer.from([0])];
}
