/** @returns width and height in pixels, out of the header of a PNG. */
export function pngSize(png: Buffer): { width: number; height: number } {
  if (png.length < 24 || png.toString('latin1', 12, 16) !== 'IHDR') throw new Error('These bytes are no PNG.');
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
