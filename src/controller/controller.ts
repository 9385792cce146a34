/** The controller: admits what waits, and reconciles ScreenshotJobs as they change. One leader at a time runs it. */
import { admitWaiting } from '../store/admission.ts';
import { beginEpoch, StaleLeaderError } from '../store/installation.ts';
import { releaseAllClaims } from '../store/jobCreatives.ts';
import type { Change } from '../store/notifications.ts';
import { audit } from './audit.ts';
import type { ControllerOptions } from './options.ts';
import { createReconciler } from './reconcile.ts';
import { createWorkQueue } from './workQueue.ts';

export type { ControllerSettings } from './options.ts';

export interface Controller {
  /** Compares Postgres with the cluster now; it does so every minute by itself. */
  audit(): Promise<void>;
  /** Ends reconciling; what is being done is waited for. The queue is stopped by whoever started it. */
  stop(): Promise<void>;
}

const CONCURRENCY = 8;
const AUDIT_MS = 60_000;
/** Several results of one set in a row are looked at once. */
const GATHER_MS = 20;

export async function startController(options: ControllerOptions): Promise<Controller> {
  const { store, queue, cluster, notifications, settings, log } = options;
  const epoch = await beginEpoch(store.db);
  if (settings.isLocal) await releaseAllClaims(store.db);
  const reconciler = createReconciler(options, epoch);
  let superseded = false;

  const work = createWorkQueue({
    concurrency: CONCURRENCY,
    work: async (name) => (superseded ? undefined : reconciler.reconcile(name)),
    failed: (name, error, failures) => {
      if (error instanceof StaleLeaderError) {
        superseded = true;
        options.onSuperseded?.();
      }
      log.error({ resource: name, failures, err: error }, 'a ScreenshotJob could not be reconciled');
    },
  });

  const auditNow = async () => {
    if (superseded) return;
    await audit(options, work.add).catch((error: unknown) => log.error({ err: error }, 'the audit failed'));
  };
  let auditing = Promise.resolve();
  const startAudit = () => {
    auditing = auditing.then(auditNow);
    return auditing;
  };

  const heard = (change: Change) => {
    const name = nameOf(change);
    if (name !== undefined) work.addAfter(name, GATHER_MS);
    else if (Object.keys(change).length === 0) void startAudit();
  };

  const unsubscribe = notifications.subscribe(heard);
  const watch = cluster.watch(work.add);
  await queue.work('launch', { concurrency: 1, batchSize: 100 }, async () => {
    for (let admitted = 1; admitted > 0 && !superseded; ) {
      const jobs = await store.db.transaction().execute((tx) => admitWaiting(tx, settings));
      for (const { jobId, name } of jobs) {
        log.info({ job_id: jobId, resource: name }, 'admitted');
        work.add(name);
      }
      admitted = jobs.length;
    }
  });
  await startAudit();
  const interval = setInterval(() => void startAudit(), AUDIT_MS);

  return {
    audit: startAudit,
    async stop() {
      clearInterval(interval);
      unsubscribe();
      await watch.close();
      await auditing;
      await work.stop();
    },
  };
}

/** The resource that a change is about; undefined: none, or all. */
function nameOf({ set, job }: Change): string | undefined {
  if (set !== undefined) return `set-${set}`;
  return job === undefined ? undefined : `ads-${job}`;
}
