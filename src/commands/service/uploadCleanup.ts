import { type Repetition, repeat } from '../../lib/repeat.ts';
import { removeExpiredUploads } from '../../workflow/uploads.ts';
import type { ServiceContext } from './serviceContext.ts';

const EVERY_MS = 10 * 60_000;

/** Removes uploads that expired or broke off, now and every ten minutes. All processes of the API do so. */
export function startUploadCleanup({ store, artifacts, log }: ServiceContext): Repetition {
  return repeat(async () => {
    try {
      const removed = await removeExpiredUploads({ db: store.db, artifacts });
      if (removed > 0) log.info({ removed }, 'expired uploads were removed');
    } catch (error) {
      log.error({ err: error }, 'expired uploads could not be removed; the next try is in ten minutes');
    }
  }, EVERY_MS);
}
