/** Images that sharp could draw differently from a browser. */
import { crc32 } from 'node:zlib';
import sharp from 'sharp';

/** A green, a red and a gray field. The Adobe marker of a JPEG tells whether its colors are CMYK (0) or YCCK (2). */
export async function cmykJpeg({ hasProfile, transform }: { hasProfile: boolean; transform: number }): Promise<Buffer> {
  const fields = [
    [204, 16, 244, 0],
    [10, 240, 200, 5],
    [0, 0, 0, 128],
  ].flatMap((ink) => Array(100).fill(ink).flat());
  const data = Buffer.concat(Array(250).fill(Buffer.from(fields)));
  const image = sharp(data, { raw: { width: 300, height: 250, channels: 4 } }).pipelineColourspace('cmyk');
  const cmyk = image.toColourspace('cmyk').jpeg({ quality: 100, chromaSubsampling: '4:4:4' });
  const jpeg = await (hasProfile ? cmyk.withIccProfile('cmyk') : cmyk).toBuffer();
  const marker = jpeg.indexOf('Adobe', 0, 'latin1');
  jpeg[marker + 11] = transform;
  return jpeg;
}

/** Dark on the left, green on the right. */
export function halves() {
  const right = {
    input: { create: { width: 150, height: 250, channels: 3 as const, background: '#2c9' } },
    left: 150,
    top: 0,
  };
  return sharp({ create: { width: 300, height: 250, channels: 3, background: '#345' } }).composite([right]);
}

/** Puts a chunk with the gamma 1.0 behind the header. */
export function withGamma(png: Buffer): Buffer {
  const chunk = Buffer.from('0000000467414d41000186a000000000', 'hex');
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 12)), 12);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}
