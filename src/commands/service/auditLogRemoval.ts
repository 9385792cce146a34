import { removeOldEntries } from '../../workflow/auditLog.ts';
import type { ServiceContext } from './serviceContext.ts';

const EVERY_MS = 60 * 60_000;

interface AuditLogRemoval {
  /** Waits for the step that is running. */
  stop(): Promise<void>;
}

/** Removes old entries of the audit log, now and every hour. All processes of the API do so, each other entries. */
export function startAuditLogRemoval({ store, log }: ServiceContext, days: number): AuditLogRemoval {
  let stopped = false;
  const run = async () => {
    try {
      const removed = await removeOldEntries(store.db, { days, isStopped: () => stopped });
      if (removed > 0) log.info({ removed }, 'old entries of the audit log were removed');
    } catch (error) {
      log.error({ err: error }, 'old entries of the audit log could not be removed; the next try is in an hour');
    }
  };
  let running = run();
  const timer = setInterval(() => {
    running = running.then(run);
  }, EVERY_MS);
  return {
    stop: () => {
      stopped = true;
      clearInterval(timer);
      return running;
    },
  };
}
