/** Somebody took off the label by which all that is ours is found. */
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { knownJobs } from '../store/jobs/auditQueries.ts';
import type { LeaderContext } from './leaderContext.ts';

/** A resource gets it back, a Job is removed, and made again where it is still wanted. @returns how many there were. */
export async function restoreLabels(term: LeaderContext, resources: readonly ScreenshotJob[]): Promise<number> {
  const { cluster, options } = term;
  const strays = await cluster.listStrays();
  const names = strays.resources.map(({ name }) => name);
  const known = await knownJobs(options.store.db, names);
  // What has the name of one of ours and is not of our row was made by somebody else.
  const ours = strays.resources.filter(({ name, spec }) => known.get(name)?.id === spec.job);
  const owners = new Set([...resources, ...ours].map(({ uid }) => uid));
  const jobs = strays.jobs.filter(({ ownerUid }) => owners.has(ownerUid));
  for (const resource of ours) {
    options.log.warn({ resource: resource.name }, 'a ScreenshotJob had lost its label');
    await cluster.labelScreenshotJob(resource);
  }
  for (const job of jobs) {
    options.log.warn({ job: job.name }, 'a Job had lost its label, and is removed');
    await cluster.deleteJob(job);
  }
  return ours.length + jobs.length;
}
