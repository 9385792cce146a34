/** The picture of a page on which no ad was placed. A person decides from it what to do. */
import { MAX_PAGE_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import { ConcurrencyLimit } from '../../lib/concurrencyLimit.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Log } from '../../lib/log.ts';
import type { Size } from '../creative/creative.ts';
import type { PagePicture } from './page.ts';

/** CSS pixels. The best slots of most pages are in this part, and a hostile page may be as large as it likes. */
const LARGEST = { width: 3_000, height: 8_000 };
/** A failure must not wait long for it. */
const PICTURE_MS = 20_000;
/** One at a time, because each needs 100 MB for a moment. */
const LOCK = new ConcurrencyLimit(1);

/** Never throws, because a failure is reported without the picture too. @returns undefined without one; the log says why. */
export async function pictureOfFailure(
  capture: (largest: Size) => Promise<PagePicture>,
  { site, log }: { readonly site: string; readonly log: Log | undefined },
): Promise<PagePicture | undefined> {
  try {
    const picture = await LOCK.run(() => withDeadline(PICTURE_MS, capture(LARGEST)));
    const { length } = picture.png;
    if (length > MAX_PAGE_PICTURE_BYTES) throw new Error(`it has ${length} bytes, more than ${MAX_PAGE_PICTURE_BYTES}`);
    return picture;
  } catch (error) {
    log?.warn({ site, err: error }, 'there is no picture of the page on which screenshots failed');
    return undefined;
  }
}
