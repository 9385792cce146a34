import { type Repetition, repeat } from '../../lib/repeat.ts';
import { indexRenamed } from '../../workflow/changes.ts';
import type { ServiceContext } from './serviceContext.ts';

const EVERY_MS = 30_000;

/** Writes new names of ads and campaigns into the search of their sets, now and every half minute. All processes of the API do so. */
export function startSearchUpdates({ store, log }: ServiceContext): Repetition {
  return repeat(async (isStopped) => {
    try {
      while (!isStopped() && (await indexRenamed(store.db)));
    } catch (error) {
      log.error({ err: error }, 'new names could not be written into the search; the next try is in half a minute');
    }
  }, EVERY_MS);
}
