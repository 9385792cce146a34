import { crc32 } from 'node:zlib';
import sharp from 'sharp';

/** Writes an animated PNG with one picture for each color, because sharp cannot write one. It repeats without end. */
export async function animatedPng(
  colours: readonly string[],
  { width, height, delayMs }: { width: number; height: number; delayMs: number },
): Promise<Buffer> {
  const create = (background: string) =>
    sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer();
  const stills = await Promise.all(colours.map(create));
  let sequence = 0;
  const frames = stills.flatMap((still, index) => {
    const control = chunk('fcTL', u32(sequence++, width, height, 0, 0), u16(delayMs, 1_000), Buffer.alloc(2));
    const data = dataOf(still, 'IDAT');
    return [control, index === 0 ? chunk('IDAT', data) : chunk('fdAT', u32(sequence++), data)];
  });
  const [first = Buffer.alloc(0)] = stills;
  const head = [first.subarray(0, 8), chunk('IHDR', dataOf(first, 'IHDR')), chunk('acTL', u32(colours.length, 0))];
  return Buffer.concat([...head, ...frames, chunk('IEND')]);
}

function chunk(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), ...content]);
  return Buffer.concat([u32(body.length - 4), body, u32(crc32(body))]);
}

/** The content of all chunks of a type. */
function dataOf(png: Buffer, type: string): Buffer {
  const found: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === type)
      found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return Buffer.concat(found);
}

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
