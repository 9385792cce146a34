/** The controller: admits what waits, and reconciles ScreenshotJobs as they change. One leader at a time runs it. */
import { ConflictError } from '../cluster/port.ts';
import { resourceNameOf } from '../domain/resourceNames.ts';
import type { Change } from '../store/database/notifications.ts';
import { beginEpoch, StaleLeaderError } from '../store/installation/installation.ts';
import { releaseAllClaims } from '../store/jobs/creatives.ts';
import { admitWaiting } from '../workflow/admission.ts';
import { audit } from './audit.ts';
import { beginTerm, type LeaderContext } from './leaderContext.ts';
import type { ControllerOptions, ReconcileOutcome } from './options.ts';
import { reconcile } from './reconcile.ts';
import { createWorkQueue, type QueueSize, type WorkQueue } from './workQueue.ts';

export type { ControllerSettings } from './options.ts';

export interface Controller {
  /** Compares Postgres with the cluster now; it does so every minute by itself. */
  audit(): Promise<void>;
  workQueue(): QueueSize;
  /** Ends reconciling; what is being done is waited for. The queue is stopped by whoever started it. */
  stop(): Promise<void>;
}

const CONCURRENCY = 8;
const AUDIT_MS = 60_000;
/** Several results of one set in a row are looked at once. */
const GATHER_MS = 20;
/** Caches catch up within seconds: what does not fit more often than this is worth a line. */
const MAX_CONFLICTS = 8;

export async function startController(options: ControllerOptions): Promise<Controller> {
  const epoch = await beginEpoch(options.store.db);
  if (options.settings.isLocal) await releaseAllClaims(options.store.db);
  const running = new RunningController(options, epoch);
  await running.start();
  return running;
}

class RunningController implements Controller {
  readonly #options: ControllerOptions;
  readonly #term: LeaderContext;
  readonly #work: WorkQueue;
  #superseded = false;
  #auditing = Promise.resolve();
  /** One that has not begun: whoever asks meanwhile is told by it. */
  #nextAudit: Promise<void> | undefined;
  #end: (() => Promise<void>)[] = [];

  constructor(options: ControllerOptions, epoch: string) {
    this.#options = options;
    this.#work = createWorkQueue({
      concurrency: CONCURRENCY,
      work: (name) => this.#reconcile(name),
      failed: (name, error, failures) => this.#complain(name, error, failures),
      ...(options.observe?.queue && { observe: options.observe.queue }),
    });
    this.#term = beginTerm(options, epoch, this.#work.add);
  }

  async start(): Promise<void> {
    const { notifications, cluster, queue } = this.#options;
    const unsubscribe = notifications.subscribe((change) => this.#hear(change));
    const watch = cluster.watch(this.#work.add);
    await queue.work('launch', { concurrency: 1, batchSize: 100 }, () => this.#launch());
    await this.audit();
    const interval = setInterval(() => void this.audit(), AUDIT_MS);
    this.#end = [
      async () => {
        clearInterval(interval);
        unsubscribe();
      },
      () => watch.close(),
    ];
  }

  audit(): Promise<void> {
    this.#nextAudit ??= this.#auditing.then(() => {
      this.#nextAudit = undefined;
      return this.#audit();
    });
    this.#auditing = this.#nextAudit;
    return this.#nextAudit;
  }

  workQueue(): QueueSize {
    return this.#work.size();
  }

  async stop(): Promise<void> {
    for (const end of this.#end) await end();
    await this.#auditing;
    await this.#work.stop();
  }

  async #reconcile(name: string): Promise<number | undefined> {
    if (this.#superseded) return undefined;
    const begun = performance.now();
    const tell = (outcome: ReconcileOutcome) =>
      this.#options.observe?.reconciled?.(outcome, (performance.now() - begun) / 1000);
    try {
      const again = await reconcile(this.#term, name);
      tell('done');
      return again;
    } catch (error) {
      tell(error instanceof ConflictError ? 'conflict' : 'failed');
      throw error;
    }
  }

  #complain(name: string, error: unknown, failures: number): void {
    const { log } = this.#options;
    if (error instanceof StaleLeaderError) this.#abdicate(error);
    else if (error instanceof ConflictError && failures < MAX_CONFLICTS)
      log.debug({ resource: name, err: error }, 'a ScreenshotJob had changed meanwhile');
    else log.error({ resource: name, failures, err: error }, 'a ScreenshotJob could not be reconciled');
  }

  /** Another leader has begun. */
  #abdicate(error: StaleLeaderError): void {
    if (this.#superseded) return;
    this.#superseded = true;
    this.#options.log.error({ err: error }, 'another leader has begun');
    this.#options.onSuperseded?.();
  }

  async #audit(): Promise<void> {
    if (this.#superseded) return;
    try {
      const report = await audit(this.#term);
      this.#options.observe?.audited?.(report);
    } catch (error) {
      if (error instanceof StaleLeaderError) this.#abdicate(error);
      else this.#options.log.error({ err: error }, 'the audit failed');
    }
  }

  /** @throws StaleLeaderError, so that the job stays for the leader. */
  async #launch(): Promise<void> {
    try {
      await this.#admit();
    } catch (error) {
      if (error instanceof StaleLeaderError) this.#abdicate(error);
      throw error;
    }
  }

  async #admit(): Promise<void> {
    const { settings, log } = this.#options;
    for (let admitted = 1; admitted > 0; ) {
      const jobs = await this.#term.transact((tx) => admitWaiting(tx, settings));
      for (const { jobId, name } of jobs) {
        log.info({ job_id: jobId, resource: name }, 'admitted');
        this.#work.add(name);
      }
      admitted = jobs.length;
    }
  }

  #hear(change: Change): void {
    const name = nameOf(change);
    if (name !== undefined) this.#work.addAfter(name, GATHER_MS);
    else if (Object.keys(change).length === 0) void this.audit();
  }
}

/** The resource that a change is about; undefined: none, or all. */
function nameOf({ set, job }: Change): string | undefined {
  if (set !== undefined) return resourceNameOf({ setId: set });
  return job === undefined ? undefined : resourceNameOf({ jobId: job });
}
