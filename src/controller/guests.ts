/**
 * A guest has no Job of its own, because the capture of another job, its host, works on it. If the host stops before the guest is settled,
 * the guest gets a Job as every other job.
 */
import type { CaptureJob } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { removeHost } from '../store/jobs/hosting.ts';
import type { StoredJob } from '../store/jobs/jobs.ts';
import { stopHosting } from '../workflow/hosting.ts';
import { type LeaderContext, NOW } from './leaderContext.ts';

/** A lease may be renewed at the last moment. */
const CHECK_MARGIN_MS = 10;

export interface Hosted {
  readonly resource: ScreenshotJob;
  readonly host: NonNullable<StoredJob['host']>;
  /** Milliseconds until the job must be reconciled for other reasons. */
  readonly dueMs: number;
}

/** Waits as long as the host works on the job. */
export async function waitForHost(
  leader: LeaderContext,
  state: StoredJob,
  { resource, host, dueMs }: Hosted,
): Promise<number> {
  if (!host.works) {
    const fields = { job_id: state.id, set_id: state.set_id, host: host.name };
    leader.options.log.warn(fields, 'the capture that worked on a small set ended; the set gets a Job of its own');
    await leader.transact((tx) => removeHost(tx, state.id));
    return NOW;
  }
  const statusPause = await leader.statuses.update(state, { resource, job: undefined });
  return Math.min(statusPause, host.check_ms + CHECK_MARGIN_MS, dueMs);
}

/**
 * Ends the hosting of a settled job if its captures have ended or must end, so that its guests do not wait for the lease.
 * @returns whether a capture still hosts.
 */
export async function checkHosting(
  { transact }: LeaderContext,
  state: StoredJob,
  { resource, job }: { readonly resource: ScreenshotJob | undefined; readonly job: CaptureJob | undefined },
): Promise<boolean> {
  if (!state.hosting) return false;
  const mustEnd = state.outcome !== 'complete' || resource === undefined || resource.deleting;
  if (!mustEnd && job !== undefined && !job.finished && !job.stuck && !job.deleting) return true;
  await transact((tx) => stopHosting(tx, state.id));
  return false;
}
