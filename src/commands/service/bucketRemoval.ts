import { type Repetition, repeat } from '../../lib/repeat.ts';
import { removeFullBuckets } from '../../store/rateBuckets/rateBuckets.ts';
import type { ServiceContext } from './serviceContext.ts';

const EVERY_MS = 60 * 60_000;

/** Removes rate buckets that are full, now and every hour. */
export function startBucketRemoval({ store, log }: ServiceContext): Repetition {
  return repeat(async () => {
    try {
      await removeFullBuckets(store.db);
    } catch (error) {
      log.error({ err: error }, 'full rate buckets could not be removed; the next try is in an hour');
    }
  }, EVERY_MS);
}
