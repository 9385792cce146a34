/** The worker of the queue `replay_events`. If the process is killed, the queue repeats the entry, and the replay continues. */
import { runPeriodReplay } from '../workflow/periodReplays.ts';
import type { DeliveryOptions } from './options.ts';

/** One at a time in each process, because replays must not take the connections of deliveries. */
const CONCURRENCY = 1;

/** Starts the worker; it stops with the queue. */
export async function startPeriodReplays({
  queue,
  store,
  log,
}: Pick<DeliveryOptions, 'queue' | 'store' | 'log'>): Promise<void> {
  await queue.work('replay_events', { concurrency: CONCURRENCY }, async (payloads, signal) => {
    for (const { replay_id: id } of payloads) {
      const status = await runPeriodReplay(store.db, id, { signal });
      // The queue repeats an entry that failed.
      if (status === 'stopped') throw new Error('The replay was stopped.');
      log.info({ replay_id: id, status }, 'events of a period sent again');
    }
  });
}
