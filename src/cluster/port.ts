/**
 * The port to a cluster: everything that the controller needs from Kubernetes. `kubernetes/` implements it with an API server. `local/`
 * keeps the objects in memory and runs captures as child processes.
 */
import { CAPTURE_EXIT } from '../contract/captureProtocol.ts';
import type { ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../contract/screenshotJob.ts';
import type { Priority } from '../domain/priorities.ts';

/** An Indexed Job with one completion for each index. Each index runs the capture program once. */
export interface CaptureJobSpec {
  readonly name: string;
  /** Name and uid of the ScreenshotJob. */
  readonly owner: { readonly name: string; readonly uid: string };
  /** Id of the job's row in PostgreSQL. */
  readonly jobId: string;
  /** Slug; a label of the pods. */
  readonly organization: string;
  readonly priority: Priority;
  readonly indexes: number;
  readonly parallelism: number;
  readonly retriesPerIndex: number;
  readonly podDeadlineSeconds: number;
  /** Deadline of the whole Job. It matters only if no controller runs. */
  readonly jobDeadlineSeconds: number;
  /** Added to the environment of the capture program. */
  readonly environment: Readonly<Record<string, string>>;
}

/** After these exit codes of a capture a retry would fail in the same way. */
export const FINAL_EXITS: readonly number[] = [
  CAPTURE_EXIT.usage,
  CAPTURE_EXIT.superseded,
  CAPTURE_EXIT.refused,
  CAPTURE_EXIT.deadline,
];

/** Why a Job does not run or how it failed: a reason of a ScreenshotJob, with a message for operators. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

export interface CaptureJob {
  readonly name: string;
  readonly uid: string;
  readonly ownerUid: string;
  readonly createdAt: Date;
  /** Pods that may run at the same time. Missing if an outside queue admits the Job with its pods. */
  readonly parallelism?: number;
  /** Pods that exist and have not ended. */
  readonly active: number;
  readonly succeededIndexes: readonly number[];
  readonly failedIndexes: readonly number[];
  readonly finished: boolean;
  readonly deleting: boolean;
  /** A suspended Job has no pods until its queue or an operator resumes it. */
  readonly suspended: boolean;
  /** A pod or the Job has failed to end for so long that the next generation must take over. */
  readonly stuck: boolean;
  /** It was created with another capture profile than the present one. */
  readonly outdated?: boolean;
  /** How the latest pod ended, unless it succeeded. Set for a finished Job too, which has no `problem`. */
  readonly lastFailure?: Problem;
  /** Why the Job does not run. */
  readonly problem?: Problem;
}

export interface RecordedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The object has changed since it was read. Read it again. */
export class ConflictError extends Error {}

/**
 * The cluster rejects the object because a quota is used up, because of an admission policy, or because Tearsheet lacks a right. The set is not at fault, and a retry may
 * succeed. This error is not used when the namespace is being deleted.
 */
export class RefusedError extends Error {
  readonly reason: 'QuotaExceeded' | 'PodRejected' | 'PermissionDenied';

  constructor(reason: RefusedError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The Job name is taken by a Job that this installation does not own. */
export class JobNameConflictError extends Error {}

/** A Job without the label of the installation, so no watch reports it. */
export type UnlabeledJob = Pick<CaptureJob, 'name' | 'uid' | 'ownerUid'>;

export interface UnlabeledResource {
  readonly resource: ScreenshotJob;
  /** The installation that its label names. */
  readonly installation: string | undefined;
}

export interface UnlabeledObjects {
  readonly resources: readonly UnlabeledResource[];
  readonly jobs: readonly UnlabeledJob[];
}

export interface DeleteJobOptions {
  /** True: the Job stays, as deleting, until its pods are gone. False: its name is free at once, and its pods end later. */
  readonly waitForPods?: boolean;
}

/**
 * Reads may be out of date. Each write names the uid or the version of the object that the caller has read, and throws ConflictError
 * if the object is a different one now. Deleting or releasing an object that is gone is not an error.
 */
export interface ClusterPort {
  /**
   * @param traceparent becomes an annotation, so that other programs can continue the trace.
   * @returns `exists` also if the existing one is being deleted. @throws RefusedError, ConflictError
   */
  createScreenshotJob(name: string, spec: ScreenshotJobSpec, traceparent?: string): Promise<'created' | 'exists'>;
  getScreenshotJob(name: string): Promise<ScreenshotJob | undefined>;
  listScreenshotJobs(): Promise<ScreenshotJob[]>;
  /** @throws ConflictError */
  updateStatus(resource: ScreenshotJob, status: ScreenshotJobStatus): Promise<void>;
  /** Marks the ScreenshotJob as removed by us, then deletes it. @throws ConflictError */
  deleteScreenshotJob(resource: ScreenshotJob): Promise<void>;
  /** Restores the label of the installation. @throws ConflictError */
  labelScreenshotJob(resource: ScreenshotJob): Promise<void>;
  /** ScreenshotJobs and Jobs without the label of this installation. They may belong to another one. */
  listUnlabeled(): Promise<UnlabeledObjects>;
  /** Removes our finalizer, also before a deletion. Call it when the result is in PostgreSQL. @throws ConflictError */
  releaseScreenshotJob(resource: ScreenshotJob): Promise<void>;
  /**
   * @returns `exists` only if the existing Job has the same owner and is not being deleted.
   * @throws JobNameConflictError, ConflictError, RefusedError
   */
  createJob(spec: CaptureJobSpec): Promise<'created' | 'exists'>;
  getJob(name: string): Promise<CaptureJob | undefined>;
  listJobs(): Promise<CaptureJob[]>;
  /** Lets more or fewer pods of the Job run at the same time. */
  resizeJob(job: Pick<CaptureJob, 'name' | 'uid'>, parallelism: number): Promise<void>;
  deleteJob(job: Pick<CaptureJob, 'name' | 'uid'>, options?: DeleteJobOptions): Promise<void>;
  /** Records a Kubernetes Event about the ScreenshotJob. */
  recordEvent(resource: ScreenshotJob, event: RecordedEvent): Promise<void>;
  /** Calls `changed` with the name of a ScreenshotJob if it, its Job or its pods have changed. */
  watch(changed: (name: string) => void): { close(): Promise<void> };
  close(): Promise<void>;
}
