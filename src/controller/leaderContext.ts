/** Everything that a leader needs, from winning the Lease to losing it. All its writes are fenced by its epoch. */
import type { ClusterPort } from '../cluster/port.ts';
import { type CountedTransact, countedTransact } from '../core/jobs/countedTransactions.ts';
import { checkEpoch, requireEpoch, StaleLeaderError } from '../core/jobs/installation.ts';
import type { ControllerOptions } from './options.ts';
import { StatusWriter } from './status.ts';

export interface LeaderContext {
  readonly options: ControllerOptions;
  readonly epoch: string;
  /** Its writes throw StaleLeaderError after a newer leader has taken over. */
  readonly cluster: ClusterPort;
  readonly statuses: StatusWriter;
  /** Ages of objects that may be orphaned. */
  readonly firstSeen: FirstSeenTracker;
  /** Names of the oldest finished ScreenshotJobs, if the last audit found too many: the API server and our caches keep each in memory. */
  readonly surplus: Set<string>;
  /** How far the audit has read the pending ads, which it reads page by page. */
  readonly auditProgress: { lastPendingAd: string | undefined };
  /**
   * Runs a transaction of this leader and counts the screenshots that it resolves. The transaction fails if another leader has begun, and no
   * other leader can begin before it ends. @throws StaleLeaderError
   */
  readonly transact: CountedTransact;
  /** Adds the name of a ScreenshotJob to the reconcile queue. */
  readonly enqueue: (name: string) => void;
}

/** Return values of a reconciliation, in milliseconds: reconcile again immediately. */
export const NOW = 0;
/** Reconcile again after the cluster had a moment to act. */
export const SOON = 100;
/** Reconcile again although a change should be reported anyway, in case the report is lost. */
export const LATER = 10_000;

export function createLeaderContext(
  options: ControllerOptions,
  epoch: string,
  enqueue: LeaderContext['enqueue'],
): LeaderContext {
  const { store, queue, settings, log, observe } = options;
  const checkLease = () => {
    if (options.isHalted?.()) throw new StaleLeaderError(epoch, 'of another leader');
  };
  const cluster = fenceWrites(options.cluster, async () => {
    checkLease();
    await checkEpoch(store.db, epoch);
    checkLease();
  });
  return {
    options,
    epoch,
    cluster,
    statuses: new StatusWriter(cluster, log, options),
    firstSeen: new FirstSeenTracker(options.clock),
    surplus: new Set(),
    auditProgress: { lastPendingAd: undefined },
    transact: countedTransact({
      transact: (work) =>
        store.db.transaction().execute(async (transaction) => {
          await requireEpoch(transaction, epoch);
          const result = await work(transaction);
          checkLease();
          return result;
        }),
      count: (statuses) => observe?.screenshots?.(statuses),
      time: (milestones) => observe?.milestones?.(milestones),
      queue,
      publicUrl: settings.publicUrl,
    }),
    enqueue,
  };
}

/** All other methods count as writes, so that a new one is fenced unless it is named here. */
const READS = new Set<string | symbol>([
  'getScreenshotJob',
  'listScreenshotJobs',
  'listUnlabeled',
  'getJob',
  'listJobs',
  'watch',
  'close',
] satisfies readonly (keyof ClusterPort)[]);

/**
 * Wraps the cluster so that each write first calls `checkLeadership`, which throws if another leader has begun.
 *
 * Another leader may still begin between the check and the write. Such a write changes nothing wrong: updates and deletions name the uid
 * or the version that was read, and names of created objects are the same for every leader.
 */
function fenceWrites(cluster: ClusterPort, checkLeadership: () => Promise<void>): ClusterPort {
  return new Proxy(cluster, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      if (READS.has(name)) return method.bind(target);
      return async (...parameters: unknown[]): Promise<unknown> => {
        await checkLeadership();
        return Reflect.apply(method, target, parameters);
      };
    },
  });
}

/** An object is not judged before this time has passed since it was first seen, because its row or its owner may not be visible yet. */
const MIN_AGE_MS = 120_000;

/**
 * When each object was first seen, by uid, on this process's own clock. The times in the objects come from other clocks, which may be wrong
 * by hours.
 */
export class FirstSeenTracker {
  readonly #clock: () => number;
  readonly #firstSeen = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** @returns milliseconds until the object may be judged; 0: now. The first call starts the time. */
  msUntilJudged(uid: string): number {
    const now = this.#clock();
    const firstSeen = this.#firstSeen.get(uid) ?? now;
    this.#firstSeen.set(uid, firstSeen);
    return Math.max(0, firstSeen + MIN_AGE_MS - now);
  }

  /** Forgets all objects except these. */
  keepOnly(uids: ReadonlySet<string>): void {
    for (const uid of this.#firstSeen.keys()) if (!uids.has(uid)) this.#firstSeen.delete(uid);
  }
}
