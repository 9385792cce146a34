/** The status of a ScreenshotJob, from what Postgres says of the job and the cluster of its pods. */
import type { CaptureJob } from '../cluster/port.ts';
import type { ScreenshotJobReason, ScreenshotJobSpec, ScreenshotJobStatus } from '../contract/screenshotJob.ts';
import { SCREENSHOT_JOB_REASONS } from '../contract/screenshotJob.ts';
import type { JobState } from '../store/jobState.ts';
import type { ControllerSettings } from './options.ts';

export function resourceSpec(state: JobState, settings: ControllerSettings): ScreenshotJobSpec {
  return {
    organization: state.organization,
    ...(state.set_id === null ? {} : { set: state.set_id }),
    job: state.id,
    ads: state.creatives.total,
    batches: state.indexes,
    screenshots: state.screenshots.total,
    parallelism: state.parallelism,
    retries: settings.retries,
    deadlines: {
      schedulingSeconds: settings.setDeadlineSeconds,
      captureSeconds: settings.podDeadlineSeconds,
    },
    ttlSecondsAfterFinished: settings.finishedTtlSeconds,
  };
}

interface Seen {
  readonly state: JobState;
  readonly job: CaptureJob | undefined;
  /** The status as it stands, whose times of transition are kept. */
  readonly before: ScreenshotJobStatus | undefined;
  readonly generation: number;
}

export function statusOf({ state, job, before, generation }: Seen): ScreenshotJobStatus {
  const counts = state.set_id === null ? state.creatives : state.screenshots;
  const { reason, message } = summary(state, job);
  const settled = state.settled_at !== null;
  const isGood = reason === 'Completed' || reason === 'CompletedWithFailures';
  const conditions = [
    part('AdsCaptured', state.creatives, 'creatives'),
    part('SitesCaptured', state.screenshots, 'screenshots'),
    {
      type: 'Settled' as const,
      status: settled ? ('True' as const) : ('False' as const),
      reason: settled ? reason : 'Open',
      message: settled ? 'The results are stored.' : 'Results are still missing.',
    },
    {
      type: 'Succeeded' as const,
      status: settled ? (isGood ? ('True' as const) : ('False' as const)) : ('Unknown' as const),
      reason,
      message,
    },
  ];
  return {
    observedGeneration: generation,
    reason,
    ...(message === '' ? {} : { message }),
    ...counts,
    pods: job?.active ?? 0,
    startTime: state.admitted_at.toISOString(),
    ...(state.settled_at === null ? {} : { completionTime: state.settled_at.toISOString() }),
    conditions: conditions.map((condition) => ({
      ...condition,
      lastTransitionTime: transitionTime(condition, before) ?? state.now.toISOString(),
    })),
  };
}

function part(type: 'AdsCaptured' | 'SitesCaptured', { total, done, failed }: JobState['creatives'], what: string) {
  const open = total - done - failed;
  return {
    type,
    status: open === 0 ? ('True' as const) : ('False' as const),
    reason: open > 0 ? 'Capturing' : failed > 0 ? 'CapturedWithFailures' : 'Captured',
    message: `${done} of ${total} ${what} captured, ${failed} failed.`,
  };
}

function transitionTime(
  { type, status }: { type: string; status: string },
  before: ScreenshotJobStatus | undefined,
): string | undefined {
  return before?.conditions.find((known) => known.type === type && known.status === status)?.lastTransitionTime;
}

function summary(state: JobState, job: CaptureJob | undefined): { reason: ScreenshotJobReason; message: string } {
  if (state.settled_at !== null) return ending(state);
  if (state.cancel_requested) return { reason: 'Canceling', message: 'Its captures are being ended.' };
  if (job?.problem !== undefined) {
    const { reason, message } = job.problem;
    const known = SCREENSHOT_JOB_REASONS.find((name) => name === reason);
    return { reason: known ?? 'PodStartFailed', message: message.slice(0, 1024) };
  }
  return (job?.active ?? 0) > 0 ? { reason: 'Running', message: '' } : { reason: 'Queued', message: '' };
}

function ending(state: JobState): { reason: ScreenshotJobReason; message: string } {
  const { total, done, failed } = state.set_id === null ? state.creatives : state.screenshots;
  if (state.outcome === 'canceled') return { reason: 'Canceled', message: `${done} of ${total} were done.` };
  if (state.outcome === 'deadline') return { reason: 'DeadlineExceeded', message: `${done} of ${total} were done.` };
  if (done === 0) return { reason: 'Failed', message: `None of ${total} could be captured.` };
  if (failed > 0) return { reason: 'CompletedWithFailures', message: `${failed} of ${total} could not be captured.` };
  return { reason: 'Completed', message: '' };
}

/** Whether the two say the same to somebody who reads them. */
export function isSameStatus(a: ScreenshotJobStatus | undefined, b: ScreenshotJobStatus): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
