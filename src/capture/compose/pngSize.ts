/** @returns width and height in pixels, from the header of a PNG. */
export function pngSize(png: Buffer): { width: number; height: number } {
  if (png.length < 24 || png.toString('latin1', 12, 16) !== 'IHDR') throw new Error('These bytes are not a PNG.');
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
