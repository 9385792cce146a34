import type { ClusterPort } from '../cluster/port.ts';
import type { Log } from '../observe/log.ts';
import type { Queue } from '../queue/queue.ts';
import type { AdmissionLimits } from '../store/admission.ts';
import type { Store } from '../store/database.ts';
import type { Notifications } from '../store/notifications.ts';

export interface ControllerSettings extends AdmissionLimits {
  /** How often a capture that broke is started again. */
  readonly retries: number;
  /** Bound on one run of a capture. */
  readonly podDeadlineSeconds: number;
  /** How long a settled ScreenshotJob stays in the cluster. */
  readonly finishedTtlSeconds: number;
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

export interface ControllerOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly cluster: ClusterPort;
  readonly notifications: Notifications;
  readonly settings: ControllerSettings;
  /** Makes the token that a job's captures show to the internal API. */
  readonly issueToken: (jobId: string, expiresAt: Date) => string;
  readonly log: Log;
  /** Told of the final states of pictures that no capture reported. */
  readonly observe?: { screenshots?(statuses: readonly string[]): void };
  /** Another leader has begun; this one changes nothing any more, and its process should end. */
  readonly onSuperseded?: () => void;
}
