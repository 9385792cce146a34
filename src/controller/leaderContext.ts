/** What a leader has at hand during its term. */
import type { CaptureJob, ClusterPort } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { checkEpoch, requireEpoch, StaleLeaderError } from '../store/installation/installation.ts';
import type { StoredJob } from '../store/jobs/jobs.ts';
import { type CountedTransact, countedTransact } from '../workflow/countedTransactions.ts';
import { fenced } from './fence.ts';
import { FirstSeenTracker } from './firstSeenTracker.ts';
import type { ControllerOptions } from './options.ts';
import { Retention } from './retention.ts';
import { type Problem, statusOf } from './status.ts';
import { StatusWriter } from './statusWriter.ts';

export interface LeaderContext {
  readonly options: ControllerOptions;
  readonly epoch: string;
  /** Refuses writes once another leader has begun. */
  readonly cluster: ClusterPort;
  readonly statuses: StatusWriter;
  /** Of objects that nobody knows. */
  readonly acquaintance: FirstSeenTracker;
  /** Of resources that are finished. */
  readonly retention: Retention;
  /** How far the audit has come through what it does not look at in one go. */
  readonly progress: { lastPendingAd: string | undefined };
  /**
   * Runs a transaction of this leader and counts the screenshots that it resolves. The transaction fails if another
   * leader has begun, and no other leader can begin before it ends. @throws StaleLeaderError
   */
  readonly transact: CountedTransact;
  /** Has another ScreenshotJob reconciled soon. */
  readonly look: (name: string) => void;
}

/** Look again at once. */
export const NOW = 0;
/** Look again when others have had a moment. */
export const SOON = 100;
/** Look again although nothing should have to be waited for that nobody tells of. */
export const LATER = 10_000;

export function beginTerm(options: ControllerOptions, epoch: string, look: LeaderContext['look']): LeaderContext {
  const { store, queue, settings, log, observe } = options;
  const requireLead = () => {
    if (options.isHalted?.()) throw new StaleLeaderError(epoch, 'of another leader');
  };
  const cluster = fenced(options.cluster, async () => {
    requireLead();
    await checkEpoch(store.db, epoch);
    requireLead();
  });
  return {
    options,
    epoch,
    cluster,
    statuses: new StatusWriter(cluster, log, options.clock),
    acquaintance: new FirstSeenTracker(options.clock),
    retention: new Retention(settings.mostFinishedResources),
    progress: { lastPendingAd: undefined },
    transact: countedTransact({
      transact: (work) =>
        store.db.transaction().execute(async (transaction) => {
          await requireEpoch(transaction, epoch);
          const result = await work(transaction);
          requireLead();
          return result;
        }),
      count: (statuses) => observe?.screenshots?.(statuses),
      queue,
      publicUrl: settings.publicUrl,
    }),
    look,
  };
}

export interface Shown {
  readonly resource: ScreenshotJob;
  readonly job: CaptureJob | undefined;
  readonly problem?: Problem | undefined;
  readonly canceling?: boolean;
}

/** Says in the resource how things are. @returns in how many milliseconds that is possible, if it is too early. */
export function show(
  { statuses }: LeaderContext,
  state: StoredJob,
  { resource, job, problem = job?.problem, canceling = false }: Shown,
): Promise<number> {
  const { status: before, generation } = resource;
  return statuses.write(resource, statusOf({ state, job, problem, canceling, before, generation }));
}
