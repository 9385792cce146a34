import type { ScreenshotJob, ScreenshotJobStatus } from '../contract/screenshotJob.ts';
import { readJob } from '../store/jobs/jobs.ts';
import { type LeaderContext, NOW, SOON } from './leaderContext.ts';

const UNKNOWN: ScreenshotJobStatus = {
  reason: 'UnknownSet',
  message: 'No row of the database knows it.',
  ...{ total: 0, done: 0, failed: 0, pods: 0, conditions: [] },
};

/** A name that no row has. A resource of that name may be of somebody who looks at another database: it is left, and says so. */
export async function meetUnknown(term: LeaderContext, name: string): Promise<number | undefined> {
  const { cluster, options, acquaintance, statuses, retention } = term;
  const resource = await cluster.getScreenshotJob(name);
  if (resource === undefined) {
    statuses.forget(name);
    retention.forget(name);
    return undefined;
  }
  // Made since the first look.
  if ((await readJob(options.store.db, name)) !== undefined) return NOW;
  // Nobody waits for its result, so nothing holds it.
  if (resource.deleting) return release(term, resource);
  const left = acquaintance.timeLeft(resource.uid);
  if (left > 0) return left;
  if (options.settings.isLocal) {
    await cluster.deleteScreenshotJob(resource);
    return SOON;
  }
  if (resource.status?.reason === 'UnknownSet') return undefined;
  options.log.warn({ resource: name }, 'a ScreenshotJob that no row knows');
  await statuses.write(resource, { ...UNKNOWN, observedGeneration: resource.generation });
  return undefined;
}

async function release({ cluster, statuses }: LeaderContext, resource: ScreenshotJob): Promise<undefined> {
  await cluster.releaseScreenshotJob(resource);
  statuses.forget(resource.name);
}
