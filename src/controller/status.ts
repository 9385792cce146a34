/** The status of a ScreenshotJob, from what Postgres says of the job and the cluster of its pods. */
import type { CaptureJob } from '../cluster/port.ts';
import type { ScreenshotJobReason, ScreenshotJobStatus } from '../contract/screenshotJob.ts';
import { SCREENSHOT_JOB_REASONS } from '../contract/screenshotJob.ts';
import { cutCodePoints, storable } from '../domain/text.ts';
import type { StoredJob } from '../store/jobs/jobs.ts';

type Condition = ScreenshotJobStatus['conditions'][number];
type Counts = StoredJob['creatives'];

/** Why it does not run: a reason of a ScreenshotJob, and words. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

export interface Seen {
  readonly state: StoredJob;
  readonly job: CaptureJob | undefined;
  /** Of its Job; or of what kept its Job from being made. */
  readonly problem: Problem | undefined;
  /** It is being ended on request. */
  readonly canceling: boolean;
  /** The status as it stands, whose times of transition are kept. */
  readonly before: ScreenshotJobStatus | undefined;
  readonly generation: number;
}

const MAX_WORDS = 1_024;

/**
 * What the cluster says is partly others' words: of an admission policy, of a registry, of whoever wrote an Event. They stand in a column
 * of a terminal, in Postgres and in the log: without what steers a terminal or cannot be stored, and not without end.
 */
export function plainWords(text: string): string {
  return cutCodePoints(
    storable(text.slice(0, 4 * MAX_WORDS)).replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, ' '),
    MAX_WORDS,
  );
}

export function statusOf(seen: Seen): ScreenshotJobStatus {
  const { state, job, before, generation } = seen;
  const counts = state.set_id === null ? state.creatives : state.screenshots;
  const { reason, message } = summary(seen);
  return {
    observedGeneration: generation,
    reason,
    ...(message === '' ? {} : { message }),
    progress: `${counts.done}/${counts.total}`,
    ...counts,
    pods: job?.active ?? 0,
    startTime: state.admitted_at.toISOString(),
    ...completion(state),
    conditions: conditionsOf(state, { reason, message }).map((condition) => ({
      ...condition,
      lastTransitionTime: transitionTime(condition, before) ?? state.now.toISOString(),
    })),
  };
}

/** Where captures are at work the problem is over; where they were and are not, they will be again. */
function summary({ state, job, problem, canceling }: Seen): { reason: ScreenshotJobReason; message: string } {
  if (state.settled_at !== null) return ending(state);
  if (canceling) return { reason: 'Canceling', message: 'Its captures are being ended.' };
  if (problem !== undefined) {
    const known = SCREENSHOT_JOB_REASONS.find((name) => name === problem.reason);
    return { reason: known ?? 'PodStartFailed', message: plainWords(problem.message) };
  }
  const isRunning = state.started && job !== undefined && !job.deleting;
  return isRunning ? { reason: 'Running', message: '' } : { reason: 'Queued', message: '' };
}

function ending(state: StoredJob): { reason: ScreenshotJobReason; message: string } {
  const { total, done, failed } = state.set_id === null ? state.creatives : state.screenshots;
  switch (state.outcome) {
    case 'canceled':
      return { reason: 'Canceled', message: `${done} of ${total} were done.` };
    case 'deadline':
      return { reason: 'DeadlineExceeded', message: `${done} of ${total} were done.` };
    case 'unscheduled':
      return { reason: 'DeadlineExceeded', message: plainWords(state.problem ?? 'No capture was started in time.') };
  }
  // Of a set that its captures left behind again and again.
  const last = state.problem === null ? '' : ` ${plainWords(state.problem)}`;
  if (done === 0) return { reason: 'Failed', message: `None of ${total} could be captured.${last}` };
  if (failed > 0)
    return { reason: 'CompletedWithFailures', message: `${failed} of ${total} could not be captured.${last}` };
  return { reason: 'Completed', message: '' };
}

function completion({ settled_at, admitted_at }: StoredJob): { completionTime?: string; duration?: string } {
  if (settled_at === null) return {};
  return {
    completionTime: settled_at.toISOString(),
    duration: durationOf(settled_at.getTime() - admitted_at.getTime()),
  };
}

/** As kubectl writes it: 42s, 3m7s, 2h5m. */
function durationOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${hours}h${minutes}m`;
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`;
}

type Untimed = Omit<Condition, 'lastTransitionTime'>;

function conditionsOf(state: StoredJob, { reason, message }: { reason: string; message: string }): Untimed[] {
  const settled = state.settled_at !== null;
  const isGood = reason === 'Completed' || reason === 'CompletedWithFailures';
  return [
    part('AdsCaptured', state.creatives, 'creatives'),
    part('SitesCaptured', state.screenshots, 'screenshots'),
    {
      type: 'Settled',
      status: settled ? 'True' : 'False',
      reason: settled ? reason : 'Open',
      message: settled ? 'The results are stored.' : 'Results are still missing.',
    },
    {
      type: 'Succeeded',
      status: settled ? (isGood ? 'True' : 'False') : 'Unknown',
      reason,
      message,
    },
  ];
}

function part(type: 'AdsCaptured' | 'SitesCaptured', { total, done, failed }: Counts, what: string): Untimed {
  if (total === 0) return { type, status: 'True', reason: 'NoneWanted', message: `It has no ${what}.` };
  const open = total - done - failed;
  return {
    type,
    status: open === 0 ? 'True' : 'False',
    reason: open > 0 ? 'Capturing' : failed > 0 ? 'CapturedWithFailures' : 'Captured',
    message: `${done} of ${total} ${what} captured, ${failed} failed.`,
  };
}

function transitionTime({ type, status }: Untimed, before: ScreenshotJobStatus | undefined): string | undefined {
  return before?.conditions.find((known) => known.type === type && known.status === status)?.lastTransitionTime;
}
