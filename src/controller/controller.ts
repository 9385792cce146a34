/** The controller admits waiting sets and reconciles ScreenshotJobs when they change. Only the leader runs it. */
import { ConflictError } from '../cluster/port.ts';
import { admitWaiting } from '../core/jobs/admission.ts';
import { releaseAllClaims } from '../core/jobs/creatives.ts';
import { endAllHosting } from '../core/jobs/hosts.ts';
import { beginEpoch, StaleLeaderError } from '../core/jobs/installation.ts';
import { traceAdmission } from '../core/jobs/traces.ts';
import type { Change } from '../db/notifications.ts';
import { resourceNameOf } from '../domain/resourceNames.ts';
import { audit } from './audit.ts';
import { createLeaderContext, type LeaderContext } from './leaderContext.ts';
import type { ControllerOptions, ReconcileOutcome } from './options.ts';
import { reconcile } from './reconcile.ts';
import { type QueueSize, WorkQueue } from './workQueue.ts';

export type { ControllerSettings } from './options.ts';

export interface Controller {
  /** Runs an audit now. The controller runs one every minute by itself. */
  audit(): Promise<void>;
  workQueue(): QueueSize;
  /** Waits for running reconciliations. The caller stops the work queue. */
  stop(): Promise<void>;
}

const CONCURRENCY = 8;
const AUDIT_MS = 60_000;
/** Several results of one set within this time cause one reconciliation. */
const DEBOUNCE_MS = 20;
/** Caches catch up within seconds, so only more conflicts in a row than this are logged as an error. */
const MAX_CONFLICTS = 8;
/** This many consecutive failures of one ScreenshotJob are logged as an error. */
const LASTING_FAILURES = 5;

export async function startController(options: ControllerOptions): Promise<Controller> {
  const epoch = await beginEpoch(options.store.db);
  if (options.settings.isLocal) {
    await releaseAllClaims(options.store.db);
    await endAllHosting(options.store.db);
  }
  const running = new RunningController(options, epoch);
  await running.start();
  return running;
}

class RunningController implements Controller {
  readonly #options: ControllerOptions;
  readonly #leader: LeaderContext;
  readonly #reconcileQueue: WorkQueue;
  #superseded = false;
  #auditing = Promise.resolve();
  /** An audit that has not begun yet. Further requests share it. */
  #nextAudit: Promise<void> | undefined;
  #stopSteps: (() => Promise<void>)[] = [];

  constructor(options: ControllerOptions, epoch: string) {
    this.#options = options;
    this.#reconcileQueue = new WorkQueue({
      concurrency: CONCURRENCY,
      work: (name) => this.#reconcile(name),
      failed: (name, error, failures) => this.#handleFailure(name, error, failures),
    });
    this.#leader = createLeaderContext(options, epoch, this.#reconcileQueue.add);
  }

  async start(): Promise<void> {
    const { notifications, cluster, queue } = this.#options;
    const unsubscribe = notifications.subscribe((change) => this.#handleChange(change));
    const watch = cluster.watch(this.#reconcileQueue.add);
    await queue.work('launch', { concurrency: 1, batchSize: 100 }, () => this.#admitWaiting());
    await this.audit();
    const interval = setInterval(() => void this.audit(), AUDIT_MS);
    this.#stopSteps = [
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
    return this.#reconcileQueue.size();
  }

  async stop(): Promise<void> {
    for (const step of this.#stopSteps) await step();
    await this.#auditing;
    await this.#reconcileQueue.stop();
  }

  async #reconcile(name: string): Promise<number | undefined> {
    if (this.#superseded) return undefined;
    const startedAt = performance.now();
    const report = (outcome: ReconcileOutcome) =>
      this.#options.observe?.reconciled?.(outcome, (performance.now() - startedAt) / 1000);
    try {
      const next = await reconcile(this.#leader, name);
      report('done');
      return next;
    } catch (error) {
      report(error instanceof ConflictError ? 'conflict' : 'failed');
      throw error;
    }
  }

  #handleFailure(name: string, error: unknown, failures: number): void {
    const { log } = this.#options;
    if (error instanceof StaleLeaderError) this.#stopLeading(error);
    else if (error instanceof ConflictError && failures < MAX_CONFLICTS)
      log.debug(
        { resource: name, err: error },
        'an object has changed since it was read; reconciling the ScreenshotJob again',
      );
    else {
      // Most first failures end by themselves, for example while an API server restarts.
      const level = failures < LASTING_FAILURES ? 'warn' : 'error';
      log[level]({ resource: name, failures, err: error }, 'a ScreenshotJob could not be reconciled; retrying');
    }
  }

  #stopLeading(error: StaleLeaderError): void {
    if (this.#superseded) return;
    this.#superseded = true;
    this.#options.log.error({ err: error }, 'superseded by a newer leader; stopping writes');
    this.#options.onSuperseded?.();
  }

  async #audit(): Promise<void> {
    if (this.#superseded) return;
    try {
      const report = await audit(this.#leader);
      this.#options.observe?.audited?.(report);
    } catch (error) {
      if (error instanceof StaleLeaderError) this.#stopLeading(error);
      else this.#options.log.error({ err: error }, 'the audit failed; the next one runs within a minute');
    }
  }

  /** @throws StaleLeaderError, so that the entry stays in the work queue for the next leader. */
  async #admitWaiting(): Promise<void> {
    try {
      await this.#admit();
    } catch (error) {
      if (error instanceof StaleLeaderError) this.#stopLeading(error);
      throw error;
    }
  }

  async #admit(): Promise<void> {
    const { settings, log } = this.#options;
    for (let more = true; more; ) {
      const { admitted, grown } = await this.#leader.transact((tx, context) => admitWaiting(tx, settings, context));
      for (const job of admitted) {
        const { jobId, name } = job;
        await traceAdmission(job, () => log.info({ job_id: jobId, resource: name }, 'admitted'));
        this.#reconcileQueue.add(name);
      }
      for (const name of grown) this.#reconcileQueue.add(name);
      more = admitted.length > 0;
    }
  }

  #handleChange(change: Change): void {
    const name = nameOf(change);
    if (name !== undefined) this.#reconcileQueue.addAfter(name, DEBOUNCE_MS);
    else if (Object.keys(change).length === 0) void this.audit();
  }
}

/** @returns the name of the ScreenshotJob that has changed; undefined: none or all. */
function nameOf({ resource, set, job }: Change): string | undefined {
  if (resource !== undefined) return resource;
  if (set !== undefined) return resourceNameOf('set', set);
  return job === undefined ? undefined : resourceNameOf('ads', job);
}
