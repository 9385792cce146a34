/** The picture of a page on which no ad was placed. A person decides from it what to do. */
import { MAX_PAGE_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Log } from '../../lib/log.ts';
import type { PagePicture } from './page.ts';

/** CSS pixels. The best slots of most pages are higher up. */
export const FAILED_PAGE_HEIGHT = 8_000;
/** A failure must not wait long for it. */
const PICTURE_MS = 8_000;

/** Never throws, because a failure is reported without the picture too. @returns undefined without one; the log says why. */
export async function pictureOfFailure(
  capture: () => Promise<PagePicture>,
  { site, log }: { readonly site: string; readonly log: Log | undefined },
): Promise<PagePicture | undefined> {
  try {
    const picture = await withDeadline(PICTURE_MS, capture());
    const { length } = picture.png;
    if (length > MAX_PAGE_PICTURE_BYTES) throw new Error(`it has ${length} bytes, more than ${MAX_PAGE_PICTURE_BYTES}`);
    return picture;
  } catch (error) {
    log?.warn({ site, err: error }, 'there is no picture of the page on which screenshots failed');
    return undefined;
  }
}
