/** The resource `ScreenshotJob` (tearsheet.dev/v1alpha1). The CRD is generated from these: what `kubectl explain` says stands here. */
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

/** Of resources, so that the names of Jobs and pods made from it stay within Kubernetes' 63. */
export const SCREENSHOT_JOB_NAME_LENGTH = 52;

/** The API server counts in 32 bits where a client of it may; no number here comes near. */
const count = z.int32().min(0);
const seconds = z.int32().min(1);
const time = z.string().max(64).meta({ format: 'date-time' });

export const ScreenshotJobSpec = z
  .object({
    organization: z.string().max(63).describe('Slug of the organization whose request this is.'),
    set: z.uuid().max(36).optional().describe('Id of the screenshot set. Absent where ads alone are captured.'),
    job: z.uuid().max(36).describe("Id of the job's row in PostgreSQL, which holds all that is to be captured."),
    ads: count.describe('Creatives to be rendered, each once.'),
    batches: count.describe('Indexes of the Job: a site on a device each, or a share of the ads.'),
    screenshots: count.describe('Pictures to be made.'),
    parallelism: z.int32().min(1).describe('Capture pods that may run at the same time.'),
    retries: count.describe('How often an index that broke is started again. Disruptions are not counted.'),
    deadlines: z
      .object({
        schedulingSeconds: seconds.describe('From the launch to the end of the set, pods or no pods.'),
        captureSeconds: seconds.describe('Of one run of one capture pod.'),
      })
      .describe('After these, what is missing is settled as failed.'),
    ttlSecondsAfterFinished: count.describe('How long this resource stays after its end.'),
    cancel: z
      .boolean()
      .optional()
      .describe(
        'Set to true to end it: its pods are stopped and the set is settled as canceled. It cannot be taken back.',
      ),
  })
  .describe('What is to be captured, in numbers. Written by the controller; nothing but cancel can be changed.');

const Condition = z.object({
  type: z.enum(['AdsCaptured', 'SitesCaptured', 'Settled', 'Succeeded']).describe('What is told.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
  reason: z.string().max(64).describe('Why, in one word.'),
  message: z.string().max(1024).describe('Why, in a sentence.'),
  lastTransitionTime: time.describe('When status last changed.'),
});

export const ScreenshotJobStatus = z
  .object({
    observedGeneration: z.int32().min(0).optional().describe('The generation of spec that this status tells of.'),
    reason: z
      .enum(SCREENSHOT_JOB_REASONS)
      .describe('Where it stands: the STATUS column, and the reason of the condition Succeeded.'),
    message: z.string().max(1024).optional().describe('What keeps it from going on, or how it ended.'),
    progress: z.string().max(32).optional().describe('Done of total, as 7/12: the DONE column.'),
    total: count.describe('Pictures of the set; creatives, where there is no set.'),
    done: count.describe('Those that were captured.'),
    failed: count.describe('Those that ended without a picture.'),
    pods: count.describe('Capture pods that run now.'),
    startTime: time.optional().describe('When it was admitted.'),
    completionTime: time.optional().describe('When its results were settled in PostgreSQL.'),
    duration: z.string().max(32).optional().describe('From start to completion, as 1m12s.'),
    conditions: z
      .array(Condition)
      .max(8)
      .describe(
        'AdsCaptured and SitesCaptured tell when that part is done; Settled is True at every end, so it is the one to wait for; Succeeded tells how it ended.',
      ),
  })
  .describe('How far it is. Written by the controller alone.');

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
