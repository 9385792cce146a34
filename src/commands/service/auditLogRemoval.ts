import { type Repetition, repeat } from '../../lib/repeat.ts';
import { removeOldEntries } from '../../workflow/auditLog.ts';
import type { ServiceContext } from './serviceContext.ts';

const EVERY_MS = 60 * 60_000;

/** Removes old entries of the audit log, now and every hour. All processes of the API do so, each other entries. */
export function startAuditLogRemoval({ store, log }: ServiceContext, days: number): Repetition {
  return repeat(async (isStopped) => {
    try {
      const removed = await removeOldEntries(store.db, { days, isStopped });
      if (removed > 0) log.info({ removed }, 'old entries of the audit log were removed');
    } catch (error) {
      log.error({ err: error }, 'old entries of the audit log could not be removed; the next try is in an hour');
    }
  }, EVERY_MS);
}
