import type { RetentionLimits } from '../../domain/retention.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { expireSets, REMOVAL_KINDS, type RemovalCounts, removeSome } from '../../workflow/removal.ts';
import type { ServiceContext } from './serviceContext.ts';

const EVERY_MS = 60_000;

/** Removes deleted and expired sets, deleted ads and campaigns, now and every minute. All processes of the API do so, each another set. */
export function startSetRemoval(context: ServiceContext, limits: RetentionLimits): Repetition {
  const { store, artifacts, log, metrics } = context;
  return repeat(async (isStopped) => {
    const total: Record<string, number> = {};
    try {
      const expired = await expireSets(store.db, limits);
      if (expired > 0) log.info({ expired }, 'sets are older than their organizations keep them; they are removed');
      while (!isStopped()) {
        const counts = await removeSome({ db: store.db, artifacts });
        if (counts === undefined) break;
        add(total, counts);
        metrics.countRemoved(counts);
      }
    } catch (error) {
      log.error({ err: error }, 'sets could not be removed; the next try is in a minute');
    }
    if (Object.values(total).some((count) => count > 0))
      log.info({ ...total }, 'removed sets and what belongs to them');
  }, EVERY_MS);
}

function add(total: Record<string, number>, counts: RemovalCounts): void {
  for (const kind of REMOVAL_KINDS) total[kind] = (total[kind] ?? 0) + counts[kind];
}
