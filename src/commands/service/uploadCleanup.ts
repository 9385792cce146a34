import { type Repetition, repeat } from '../../lib/repeat.ts';
import { removeFullBuckets } from '../../store/rateBuckets/rateBuckets.ts';
import { removeUnreportedPictures } from '../../workflow/unreportedPictures.ts';
import { removeExpiredUploads } from '../../workflow/uploads.ts';
import type { ServiceContext } from './serviceContext.ts';

const EVERY_MS = 10 * 60_000;

/**
 * Removes uploads that expired or broke off, pictures that a capture uploaded but did not report, and full rate buckets,
 * now and every ten minutes. All processes of the API do so.
 */
export function startUploadCleanup({ store, artifacts, log, metrics }: ServiceContext): Repetition {
  return repeat(async () => {
    try {
      const removed = await removeExpiredUploads({ db: store.db, artifacts });
      metrics.countRemoved({ upload: removed });
      if (removed > 0) log.info({ removed }, 'expired uploads were removed');
      const pictures = await removeUnreportedPictures({ db: store.db, artifacts });
      if (pictures > 0) log.info({ removed: pictures }, 'pictures that no capture reported were removed');
      await removeFullBuckets(store.db);
    } catch (error) {
      log.error(
        { err: error },
        'expired uploads, unreported pictures and full rate buckets could not be removed; the next try is in ten minutes',
      );
    }
  }, EVERY_MS);
}
