/** The resource `ScreenshotJob` (tearsheet.dev/v1alpha1). The CRD is generated from these schemas, so the descriptions are those of `kubectl explain`. */
import { z } from 'zod';
import { PRIORITIES } from '../domain/priorities.ts';

/** How long a settled ScreenshotJob stays in the cluster. Kubernetes keeps a finished Job as long. */
export const FINISHED_TTL_SECONDS = 3_600;

export const SCREENSHOT_JOB_REASONS = [
  'Queued',
  'Running',
  'QuotaExceeded',
  'Unschedulable',
  'ImagePullFailed',
  'PodStartFailed',
  'PodRejected',
  'PermissionDenied',
  'JobNameConflict',
  'NodeLost',
  'OOMKilled',
  'PodFailed',
  'Evicted',
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

/** Maximum length of a name. The names of its Jobs and pods are longer, and Kubernetes allows 63 characters. */
export const SCREENSHOT_JOB_NAME_LENGTH = 52;

/** Some clients of the API server read integers with 32 bits. */
const count = z.int32().min(0);
const seconds = z.int32().min(1);
const time = z.string().max(64).meta({ format: 'date-time' });

export const ScreenshotJobSpec = z
  .object({
    organization: z.string().max(63).describe('Slug of the organization that made the request.'),
    set: z.uuid().max(36).optional().describe('Id of the screenshot set. Absent for ads alone and for a placement.'),
    job: z.uuid().max(36).describe("Id of the job's row in PostgreSQL. The row lists everything to capture."),
    priority: z.enum(PRIORITIES).optional().describe('How urgent it is. Absent: normal.'),
    ads: count.describe('Number of creatives to render.'),
    batches: count.describe(
      'Number of indexes of the Job. One index is one site on one device, or a share of the ads.',
    ),
    screenshots: count.describe('Number of screenshots to capture; 1 for a placement.'),
    parallelism: z
      .int32()
      .min(1)
      .describe(
        'Capture pods that may run at the same time at first. The Job gets more when places are free and no set waits.',
      ),
    retries: count.describe('How often a failed index is started again. Disruptions do not count.'),
    deadlines: z
      .object({
        schedulingSeconds: seconds.describe(
          'Maximum time from the creation of the Job to the start of its first capture.',
        ),
        captureSeconds: seconds.describe('Maximum time of one run of one capture pod.'),
      })
      .describe('When a deadline has passed, everything unresolved fails.'),
    ttlSecondsAfterFinished: count.describe('How long this resource is kept after its end.'),
    cancel: z
      .boolean()
      .optional()
      .describe('Set to true to cancel: the pods are stopped and the set is settled as canceled. It cannot be undone.'),
  })
  .describe('The work, in numbers. The controller writes it. Only cancel can be changed.');

const Condition = z.object({
  type: z.enum(['AdsCaptured', 'SitesCaptured', 'Settled', 'Succeeded']).describe('Name of the condition.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition is true.'),
  reason: z.string().max(64).describe('The cause, in one word.'),
  message: z.string().max(1024).describe('The cause, in a sentence.'),
  lastTransitionTime: time.describe('When status last changed.'),
});

export const ScreenshotJobStatus = z
  .object({
    observedGeneration: z.int32().min(0).optional().describe('The metadata.generation that this status is about.'),
    reason: z
      .enum(SCREENSHOT_JOB_REASONS)
      .describe('The current state: the STATUS column and the reason of the condition Succeeded.'),
    message: z.string().max(1024).optional().describe('Why it does not make progress, or how it ended.'),
    progress: z.string().max(32).optional().describe('Done of total, for example 7/12: the DONE column.'),
    total: count.describe('Number of screenshots of the set; number of creatives if there is no set.'),
    done: count.describe('How many of them were captured.'),
    failed: count.describe('How many of them failed.'),
    pods: count.describe('Number of capture pods that exist and have not ended.'),
    startTime: time.optional().describe('When it was admitted.'),
    completionTime: time.optional().describe('When its results were settled in PostgreSQL.'),
    duration: z.string().max(32).optional().describe('Time from start to completion, for example 1m12s.'),
    conditions: z
      .array(Condition)
      .max(8)
      .describe(
        'AdsCaptured and SitesCaptured are True when that part is done. Settled is True at every end, so wait for Settled. Succeeded shows how it ended.',
      ),
  })
  .describe('The progress and the result. Only the controller writes it.');

export type ScreenshotJobSpec = z.infer<typeof ScreenshotJobSpec>;
export type ScreenshotJobStatus = z.infer<typeof ScreenshotJobStatus>;

export interface ScreenshotJob {
  readonly name: string;
  readonly uid: string;
  /** The resourceVersion that was read. A write that names an older one fails. */
  readonly version: string;
  readonly generation: number;
  readonly deleting: boolean;
  /** It has our finalizer, so its deletion waits for the controller. */
  readonly held: boolean;
  /** The controller deleted it, which does not cancel the set. */
  readonly removedByUs: boolean;
  readonly createdAt: Date;
  readonly spec: ScreenshotJobSpec;
  readonly status: ScreenshotJobStatus | undefined;
}
