import sharp from 'sharp';
import { CHANNELS, type Pixels } from './pixels.ts';

/** A PNG of the pixels; fast rather than small. */
export function encodePng({ data, width, height }: Pixels): Promise<Buffer> {
  const raw = { width, height, channels: CHANNELS } as const;
  return sharp(data, { raw }).png({ compressionLevel: 2, adaptiveFiltering: false, palette: false }).toBuffer();
}
