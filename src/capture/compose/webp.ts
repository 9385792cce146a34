/** Writes an animated WebP from still ones. sharp would encode the whole picture for each frame, and leave blocks in movements. */
import type { PixelBox } from './pixels.ts';

export interface WebpFrame {
  /** Begins at even pixels, because the format halves them. */
  readonly box: PixelBox;
  /** A still WebP of the box, without opacity. */
  readonly webp: Buffer;
  /** Milliseconds. */
  readonly delay: number;
}

const HEADER_BYTES = 12;
/** Flags of the header: the file has an animation, and XMP. */
const CONTENT = 2 | 4;
/** The frame covers what was there before, and stays. */
const OPAQUE = 2;

/** @param size of the whole picture. The first frame fills it. The animation repeats without an end. */
export function webpOf(
  size: { width: number; height: number },
  frames: readonly WebpFrame[],
  { xmp }: { xmp: string },
): Buffer {
  const canvas = Buffer.concat([Buffer.from([CONTENT, 0, 0, 0]), triples(size.width - 1, size.height - 1)]);
  const parts = frames.map(({ box: { x, y, width, height }, webp, delay }) =>
    chunk('ANMF', triples(x / 2, y / 2, width - 1, height - 1, delay), Buffer.from([OPAQUE]), bitstreamOf(webp)),
  );
  const white = Buffer.from([0xff, 0xff, 0xff, 0xff]);
  const head = [chunk('VP8X', canvas), chunk('ANIM', white, Buffer.alloc(2))];
  return chunk('RIFF', Buffer.from('WEBP'), ...head, ...parts, chunk('XMP ', Buffer.from(xmp)));
}

function triples(...values: number[]): Buffer {
  const bytes = Buffer.alloc(3 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUIntLE(value, 3 * at, 3);
  return bytes;
}

/** @returns the chunk of a still WebP that has its pixels. */
function bitstreamOf(webp: Buffer): Buffer {
  for (let at = HEADER_BYTES; at < webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    const end = at + 8 + length + (length & 1);
    if (webp.toString('latin1', at, at + 3) === 'VP8' && webp[at + 3] !== 'X'.charCodeAt(0))
      return webp.subarray(at, end);
    at = end;
  }
  throw new Error('unreachable: a WebP has no pixels');
}

/** @returns the chunk with its length, filled to an even number of bytes. */
function chunk(type: string, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(length, 4);
  return Buffer.concat([head, ...parts, Buffer.alloc(length & 1)]);
}
