/** Runs in a child process, because the file may be hostile. */
import sharp from 'sharp';
import { invalid } from '../../domain/failure.ts';
import { AREA_MAX } from '../../domain/screenshotOptions.ts';
import { GIVEN_PAGE_LIMITS } from '../../domain/uploads.ts';

const QUALITY = 80;

interface ScreenshotPlan {
  readonly bytes: Buffer;
  /** CSS pixels of the page, and device pixels for each. */
  readonly width: number;
  readonly ratio: number;
}

/** @returns a JPEG of the screenshot at the width of the device. @throws Failure (422) if it is damaged or too large. */
export async function drawScreenshot({ bytes, width, ratio }: ScreenshotPlan): Promise<Buffer> {
  const open = () => sharp(bytes, { limitInputPixels: GIVEN_PAGE_LIMITS.pixels, failOn: 'error' });
  try {
    const { autoOrient: size } = await open().metadata();
    const drawn = Math.round(Math.min(width * ratio, Math.max(width, size.width)));
    const height = Math.min(size.height, Math.floor((AREA_MAX * size.width) / width));
    return await open()
      .autoOrient()
      .extract({ left: 0, top: 0, width: size.width, height })
      .resize({ width: drawn })
      .flatten({ background: '#fff' })
      .jpeg({ quality: QUALITY })
      .toBuffer();
  } catch {
    throw invalid({ file: ['cannot be read as a screenshot: upload it as PNG, JPEG or WebP, with at most 200 MP.'] });
  }
}
