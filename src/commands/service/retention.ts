import type { RetentionPolicy } from '../../domain/retention.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../domain/uploads.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';
import { OLD_KINDS, removeOld } from '../../workflow/retention.ts';
import type { ServiceContext } from './serviceContext.ts';

const EVERY_MS = 10 * 60_000;
/** The next run continues. */
const RUN_MS = 5 * 60_000;

/**
 * Removes events, deliveries, replays, answers to requests and drafts that organizations no longer keep, now and every ten
 * minutes. All processes of the API do so, each other rows.
 */
export function startRetention({ store, log, metrics }: ServiceContext, policy: RetentionPolicy): Repetition {
  return repeat(async (isStopped) => {
    try {
      const counts = await removeOld(store.db, {
        policy,
        draftDays: DEFAULT_UPLOAD_LIMITS.days,
        until: performance.now() + RUN_MS,
        isStopped,
        // The removal counts drafts, as ads, when it deletes them.
        removed: ({ kind, organizationId, count }) => {
          if (kind !== 'draft') metrics.countRemoved({ [kind]: count });
          log.debug({ kind, organization_id: organizationId, count }, 'a step of the retention');
        },
      });
      if (OLD_KINDS.some((kind) => counts[kind] > 0))
        log.info({ ...counts }, 'removed what organizations no longer keep');
    } catch (error) {
      log.error(
        { err: error },
        'old events, deliveries and answers could not be removed; the next try is in ten minutes',
      );
    }
  }, EVERY_MS);
}
