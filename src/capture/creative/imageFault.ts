import { fileTypeFromBuffer } from 'file-type';
import sharp from 'sharp';
import { detectContent } from '../../lib/detectContent.ts';

/** Images that sharp decodes too. An animated AVIF it does not. */
const DECODED: readonly string[] = ['image/png', 'image/apng', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];
const SHOWN: readonly string[] = [...DECODED, 'image/bmp', 'image/x-icon', 'image/vnd.microsoft.icon'];
const MAX_PIXELS = 64 * 1024 * 1024;

/** A GIF of one pixel, in place of a picture that comes later. Many are cut off, which is not visible. */
const MAX_STARTER_BYTES = 60;

/**
 * @param image `bytes` is empty if the browser could not decode what the server sent.
 * @returns why browsers do not show an image, or not all of it; undefined if they do.
 */
export async function imageFault(image: { bytes: Buffer; sentBytes: number }): Promise<string | undefined> {
  const { bytes, sentBytes } = image;
  if (sentBytes === 0) return 'it is empty';
  if (bytes.length === 0)
    return sentBytes <= MAX_STARTER_BYTES ? undefined : 'it is damaged, or in a format that no browser shows';
  const type: string = (await fileTypeFromBuffer(bytes))?.mime ?? '';
  if (SHOWN.includes(type)) return bytes.length <= MAX_STARTER_BYTES ? undefined : decodeFault(bytes, type);
  if (type.startsWith('image/')) return `no browser shows images of the type ${type}`;
  const kind = await detectContent(bytes).then(
    (content) => content.kind,
    () => undefined, // The error says what a creative may be, not what an image may be.
  );
  if (kind === 'svg') return undefined;
  return kind === 'html' ? 'it is an HTML page, not an image' : 'it is not an image';
}

async function decodeFault(bytes: Buffer, type: string): Promise<string | undefined> {
  const isSequence = bytes.toString('latin1', 4, 12) === 'ftypavis';
  if (!DECODED.includes(type) || isSequence) return undefined;
  try {
    await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'truncated' })
      .resize(8, 8, { fit: 'fill', fastShrinkOnLoad: false })
      .raw()
      .toBuffer();
    return undefined;
  } catch {
    return 'it is damaged or cut off';
  }
}
