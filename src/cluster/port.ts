/**
 * The port to a cluster: what the controller needs of Kubernetes, and no more. `kubernetes.ts` speaks to an API server,
 * `local.ts` keeps the objects in memory and runs captures as child processes of this one.
 */
import type { ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../contract/screenshotJob.ts';

/** An Indexed Job: `indexes` completions, each a capture program of its own. */
export interface CaptureJobSpec {
  readonly name: string;
  /** Name and uid of the ScreenshotJob that owns it. */
  readonly owner: { readonly name: string; readonly uid: string };
  /** The uuid of the job's row in Postgres, handed to the captures. */
  readonly jobId: string;
  /** Slug; a label of the pods. */
  readonly organization: string;
  readonly indexes: number;
  readonly parallelism: number;
  readonly retriesPerIndex: number;
  /** Bound on one pod, seconds. */
  readonly podDeadlineSeconds: number;
  /** Last bound on the Job itself, seconds, for the day that no controller runs. */
  readonly lastBoundSeconds: number;
  /** Handed to the capture programs on top of their own environment. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface CaptureJob {
  readonly name: string;
  readonly uid: string;
  readonly ownerUid: string;
  readonly createdAt: Date;
  /** Pods that were made and are not over. */
  readonly active: number;
  readonly succeededIndexes: readonly number[];
  readonly failedIndexes: readonly number[];
  readonly finished: boolean;
  readonly deleting: boolean;
  /** It is to wait, for its queue or for somebody: it has no pods until it is let go. */
  readonly suspended: boolean;
  /** A pod of it, or its own end, hangs for so long that it will not end by itself: the next generation is to go on. */
  readonly stuck: boolean;
  /** How its latest pod ended, if that was no success: also where the Job is finished, which shows no problem any more. */
  readonly lastFailure?: { readonly reason: string; readonly message: string };
  /** What keeps it from running, if anything does: reason (a ScreenshotJob reason) and words. */
  readonly problem?: { readonly reason: string; readonly message: string };
}

export interface RecordedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The object is another one, or another version, than the caller has seen: look again. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/**
 * The cluster will not have it: a quota is used up, an admission policy says no. Nothing is wrong with the set, and the next
 * try may succeed. A namespace that is being deleted refuses everything too, but that is no such refusal.
 */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly reason: 'QuotaExceeded' | 'PodRejected';

  constructor(reason: RefusedError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What another Job, which is not ours and stays, has as its name. */
export class NameTakenError extends Error {
  override readonly name = 'NameTakenError';
}

/** A Job that no watch tells of. */
export type StrayJob = Pick<CaptureJob, 'name' | 'uid' | 'ownerUid'>;

/** Writes name what the caller has seen, and change nothing else. Reads may be old; a write that rests on an old one throws. */
export interface ClusterPort {
  /** `exists` also where it is on its way out; a later look finds out. @throws RefusedError */
  createScreenshotJob(name: string, spec: ScreenshotJobSpec): Promise<'created' | 'exists'>;
  getScreenshotJob(name: string): Promise<ScreenshotJob | undefined>;
  listScreenshotJobs(): Promise<ScreenshotJob[]>;
  /** @throws ConflictError */
  updateStatus(seen: ScreenshotJob, status: ScreenshotJobStatus): Promise<void>;
  /** Marks it as removed by us, then deletes it. Gone already: no error. @throws ConflictError */
  deleteScreenshotJob(seen: ScreenshotJob): Promise<void>;
  /** Puts our label back, which somebody took off. Gone already: no error. @throws ConflictError */
  labelScreenshotJob(seen: ScreenshotJob): Promise<void>;
  /** ScreenshotJobs and Jobs without the label by which all others are found; whose they are is not said. */
  listStrays(): Promise<{ resources: ScreenshotJob[]; jobs: StrayJob[] }>;
  /** What its deletion waited for is in Postgres: takes our finalizer off. Gone already: no error. */
  releaseScreenshotJob(seen: ScreenshotJob): Promise<void>;
  /** `exists` only where it is ours: of the same owner's uid, and not on its way out. @throws NameTakenError, ConflictError otherwise, RefusedError */
  createJob(spec: CaptureJobSpec): Promise<'created' | 'exists'>;
  getJob(name: string): Promise<CaptureJob | undefined>;
  listJobs(): Promise<CaptureJob[]>;
  /**
   * Ends its pods and removes it. `waits`: it is there, as deleting, until its pods are gone; otherwise its name is free at once and
   * its pods go when they can. Gone already: no error.
   */
  deleteJob(seen: Pick<CaptureJob, 'name' | 'uid'>, options?: { readonly waits?: boolean }): Promise<void>;
  recordEvent(about: ScreenshotJob, event: RecordedEvent): Promise<void>;
  /** `changed` gets the name of a ScreenshotJob whose resource, Job or pods changed; it only enqueues the key. */
  watch(changed: (name: string) => void): { close(): Promise<void> };
  close(): Promise<void>;
}
