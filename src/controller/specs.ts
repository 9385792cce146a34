/** The spec of a ScreenshotJob and of its Job, from the job's row and the settings. */
import type { CaptureJobSpec } from '../cluster/port.ts';
import type { ScreenshotJob, ScreenshotJobSpec } from '../contract/screenshotJob.ts';
import type { StoredJob } from '../core/jobs/jobs.ts';
import { isTracing } from '../observe/tracing.ts';
import type { ControllerOptions, ControllerSettings } from './options.ts';

/** Added to the deadline of the set, so that the Job ends by itself only if no controller runs. */
const JOB_DEADLINE_MARGIN_SECONDS = 3_600;

export function resourceSpec(state: StoredJob, settings: ControllerSettings): ScreenshotJobSpec {
  return {
    organization: state.organization,
    ...(state.set_id === null ? {} : { set: state.set_id }),
    job: state.id,
    priority: state.priority,
    ads: state.creatives.total,
    batches: state.indexes,
    screenshots: state.screenshots.total,
    parallelism: state.parallelism,
    retries: settings.retries,
    deadlines: {
      schedulingSeconds: settings.schedulingDeadlineSeconds,
      captureSeconds: settings.podDeadlineSeconds,
    },
    ttlSecondsAfterFinished: settings.finishedTtlSeconds,
  };
}

/** Each generation has its own name, because a stuck Job keeps its name. */
export function jobName({ name, generation }: Pick<StoredJob, 'name' | 'generation'>): string {
  return `${name}-${generation}`;
}

export function jobSpec(
  state: StoredJob,
  resource: ScreenshotJob,
  { settings, issueToken }: Pick<ControllerOptions, 'settings' | 'issueToken'>,
): CaptureJobSpec {
  // A pod may start just before the deadline of the set.
  const expiresAt = new Date(state.deadline_at.getTime() + settings.podDeadlineSeconds * 1000);
  return {
    name: jobName(state),
    owner: { name: resource.name, uid: resource.uid },
    jobId: state.id,
    organization: state.organization,
    priority: state.priority,
    indexes: state.indexes,
    parallelism: state.parallelism,
    retriesPerIndex: settings.retries,
    podDeadlineSeconds: settings.podDeadlineSeconds,
    jobDeadlineSeconds: settings.setDeadlineSeconds + JOB_DEADLINE_MARGIN_SECONDS,
    environment: {
      ...(state.set_id === null ? {} : { TEARSHEET_SET: state.set_id }),
      TEARSHEET_INTERNAL_URL: settings.internalUrl,
      ...(isTracing() && state.traceparent !== null && { TRACEPARENT: state.traceparent }),
      ...(issueToken === undefined ? {} : { TEARSHEET_TOKEN: issueToken(state.id, expiresAt) }),
    },
  };
}
