/** The options and the observer of the controller. */
import type { ClusterPort } from '../cluster/port.ts';
import type { AdmissionLimits } from '../core/jobs/admission.ts';
import type { ReachedMilestone } from '../core/jobs/countedTransactions.ts';
import type { Store } from '../db/database.ts';
import type { Notifications } from '../db/notifications.ts';
import type { Queue } from '../db/queue.ts';
import type { Log } from '../lib/log.ts';

export interface ControllerSettings extends AdmissionLimits {
  /** How often the Job starts a failed index again. */
  readonly retries: number;
  /** Deadline of one run of a capture. */
  readonly podDeadlineSeconds: number;
  /** A job is settled if no capture has started this long after its Job was created. */
  readonly schedulingDeadlineSeconds: number;
  /** How long a settled ScreenshotJob stays in the cluster. */
  readonly finishedTtlSeconds: number;
  /** Maximum of settled ScreenshotJobs. Beyond it the oldest are deleted early. */
  readonly maxFinishedResources: number;
  /** Base URL of the internal API for captures, without a slash at the end. */
  readonly internalUrl: string;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /**
   * Captures are child processes of this one, and none survives it. So all claims are released at the start, and a ScreenshotJob without
   * a row is deleted.
   */
  readonly isLocal: boolean;
}

/** For metrics. */
export interface ControllerObserver {
  /** Final statuses of screenshots that no capture reported. */
  screenshots?(statuses: readonly string[]): void;
  /** Milestones that sets reached, each once. */
  milestones?(reached: readonly ReachedMilestone[]): void;
  /** Called after each reconciliation. */
  reconciled?(outcome: ReconcileOutcome, seconds: number): void;
  audited?(report: AuditReport): void;
}

/** `conflict`: an object had changed since it was read, so the reconciliation is repeated. */
export type ReconcileOutcome = 'done' | 'conflict' | 'failed';

export interface AuditReport {
  /** The audit deleted nothing, because it would have deleted too much. */
  readonly stopped: boolean;
}

export interface ControllerOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly cluster: ClusterPort;
  readonly notifications: Notifications;
  readonly settings: ControllerSettings;
  /** Issues the token of a job's captures for the internal API. Not set if the cluster gives each pod a token. */
  readonly issueToken?: (jobId: string, expiresAt: Date) => string;
  /** @returns why the artifact store is unavailable; undefined if it is available. No capture starts while it is not. */
  readonly storeFault?: () => string | undefined;
  readonly log: Log;
  readonly observe?: ControllerObserver;
  /** Milliseconds on a monotonic clock; tests pass their own. */
  readonly clock?: () => number;
  /** True after the Lease is lost. The controller writes nothing after that. */
  readonly isHalted?: () => boolean;
  /** Called when another leader has begun. This controller writes nothing more, and its process must exit. */
  readonly onSuperseded?: () => void;
}
