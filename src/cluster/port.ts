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
  readonly indexes: number;
  readonly parallelism: number;
  readonly retriesPerIndex: number;
  /** Bound on one pod, seconds. */
  readonly podDeadlineSeconds: number;
  /** Handed to the capture programs on top of their own environment. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface CaptureJob {
  readonly name: string;
  readonly uid: string;
  readonly ownerUid: string;
  readonly active: number;
  readonly succeededIndexes: readonly number[];
  readonly failedIndexes: readonly number[];
  readonly finished: boolean;
  readonly deleting: boolean;
  /** What keeps it from running, if anything does: reason (a ScreenshotJob reason) and words. */
  readonly problem?: { readonly reason: string; readonly message: string };
}

export interface ClusterPort {
  createScreenshotJob(name: string, spec: ScreenshotJobSpec): Promise<'created' | 'exists'>;
  getScreenshotJob(name: string): Promise<ScreenshotJob | undefined>;
  listScreenshotJobs(): Promise<ScreenshotJob[]>;
  updateStatus(name: string, status: ScreenshotJobStatus): Promise<void>;
  /** Sets spec.cancel, which is one-way. */
  cancelScreenshotJob(name: string): Promise<void>;
  deleteScreenshotJob(name: string): Promise<void>;
  createJob(spec: CaptureJobSpec): Promise<'created' | 'exists'>;
  getJob(name: string): Promise<CaptureJob | undefined>;
  listJobs(): Promise<CaptureJob[]>;
  /** Ends its pods and removes it. Gone already: no error. */
  deleteJob(name: string): Promise<void>;
  recordEvent(name: string, event: { type: 'Normal' | 'Warning'; reason: string; message: string }): Promise<void>;
  /** `changed` gets the name of a ScreenshotJob whose resource, Job or pods changed; it only enqueues the key. */
  watch(changed: (name: string) => void): { close(): Promise<void> };
  close(): Promise<void>;
}
