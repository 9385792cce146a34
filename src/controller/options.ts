import type { ClusterPort } from '../cluster/port.ts';
import type { Log } from '../lib/log.ts';
import type { Queue } from '../queue/queue.ts';
import type { Store } from '../store/database/database.ts';
import type { Notifications } from '../store/database/notifications.ts';
import type { AdmissionLimits } from '../workflow/admission.ts';
import type { QueueObserver } from './workQueue.ts';

export interface ControllerSettings extends AdmissionLimits {
  /** How often a capture that broke is started again. */
  readonly retries: number;
  /** Bound on one run of a capture. */
  readonly podDeadlineSeconds: number;
  /** A set of which nothing was started so long after its launch is settled, with what the cluster says. */
  readonly schedulingDeadlineSeconds: number;
  /** How long a settled ScreenshotJob stays in the cluster. */
  readonly finishedTtlSeconds: number;
  /** Of settled ScreenshotJobs; beyond, the oldest go before their time. */
  readonly mostFinishedResources: number;
  /** How captures reach the internal API, without a slash at its end. */
  readonly internalUrl: string;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  /**
   * The captures are children of this process: none has outlived the last one, so what they held is free, and resources
   * that no row knows are removed instead of named.
   */
  readonly isLocal: boolean;
}

/** Told of everything that is measured. */
export interface ControllerObserver {
  /** Final states of pictures that no capture reported. */
  screenshots?(statuses: readonly string[]): void;
  /** One look at one ScreenshotJob. */
  reconciled?(outcome: ReconcileOutcome, seconds: number): void;
  readonly queue?: QueueObserver;
  audited?(report: AuditReport): void;
}

/** `conflict`: something had changed meanwhile, and was looked at again. */
export type ReconcileOutcome = 'done' | 'conflict' | 'failed';

export interface AuditReport {
  readonly findings: Readonly<Record<AuditFinding, number>>;
  /** So much was to be removed that nothing was. */
  readonly stopped: boolean;
}

export const AUDIT_FINDINGS = [
  'lost_label',
  'lost_resource',
  'unknown_resource',
  'orphan_job',
  'overdue_delivery',
  'forsaken_ad',
] as const;
export type AuditFinding = (typeof AUDIT_FINDINGS)[number];

export interface ControllerOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly cluster: ClusterPort;
  readonly notifications: Notifications;
  readonly settings: ControllerSettings;
  /** Makes the token that a job's captures show to the internal API, where the cluster gives them none. */
  readonly issueToken?: (jobId: string, expiresAt: Date) => string;
  readonly log: Log;
  readonly observe?: ControllerObserver;
  /** Milliseconds that never run backwards; tests have their own. */
  readonly clock?: () => number;
  /** True once the Lease is lost: from then on nothing is written. */
  readonly isHalted?: () => boolean;
  /** Another leader has begun; this one changes nothing any more, and its process should end. */
  readonly onSuperseded?: () => void;
}
