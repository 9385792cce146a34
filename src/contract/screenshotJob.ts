/** The resource `ScreenshotJob` (tearsheet.dev/v1alpha1). The CRD's schema is generated from these. */
import { z } from 'zod';

export const SCREENSHOT_JOB_REASONS = [
  'Queued',
  'Running',
  'QuotaExceeded',
  'Unschedulable',
  'ImagePullFailed',
  'PodStartFailed',
  'PodRejected',
  'NodeLost',
  'Suspended',
  'Canceling',
  'DeadlineExceeded',
  'Completed',
  'CompletedWithFailures',
  'Failed',
  'Canceled',
  'UnknownSet',
] as const;
export type ScreenshotJobReason = (typeof SCREENSHOT_JOB_REASONS)[number];

const count = z.number().int().min(0);

export const ScreenshotJobSpec = z.object({
  /** Slug of the organization. */
  organization: z.string().max(63),
  /** The set's uuid; absent for ads alone. */
  set: z.uuid().optional(),
  /** The uuid of the job's row. */
  job: z.uuid(),
  ads: count,
  batches: count,
  screenshots: count,
  parallelism: z.number().int().min(1),
  retries: count,
  deadlines: z.object({ schedulingSeconds: z.number().int().min(1), captureSeconds: z.number().int().min(1) }),
  ttlSecondsAfterFinished: count,
  cancel: z.boolean().optional(),
});

const Condition = z.object({
  type: z.enum(['AdsCaptured', 'SitesCaptured', 'Settled', 'Succeeded']),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().max(64),
  message: z.string().max(1024),
  lastTransitionTime: z.string(),
});

export const ScreenshotJobStatus = z.object({
  observedGeneration: z.number().int().optional(),
  reason: z.enum(SCREENSHOT_JOB_REASONS),
  message: z.string().max(1024).optional(),
  total: count,
  done: count,
  failed: count,
  pods: count,
  startTime: z.string().optional(),
  completionTime: z.string().optional(),
  conditions: z.array(Condition).max(8),
});

export type ScreenshotJobSpec = z.infer<typeof ScreenshotJobSpec>;
export type ScreenshotJobStatus = z.infer<typeof ScreenshotJobStatus>;

export interface ScreenshotJob {
  readonly name: string;
  readonly uid: string;
  /** Of the object as it was read; a write that names an older one is refused. */
  readonly version: string;
  readonly generation: number;
  readonly deleting: boolean;
  /** Its deletion was ours, and cancels nothing. */
  readonly removedByUs: boolean;
  readonly createdAt: Date;
  readonly spec: ScreenshotJobSpec;
  readonly status: ScreenshotJobStatus | undefined;
}
