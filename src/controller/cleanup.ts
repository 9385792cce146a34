/** Deletes all objects of an installation from its cluster, before the controller itself is uninstalled. */
import { type CaptureJob, type ClusterPort, ConflictError } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { stopInstallation } from '../core/jobs/installation.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../lib/log.ts';
import { sleep } from '../lib/sleep.ts';

export interface CleanupOptions {
  readonly db: Database;
  readonly cluster: ClusterPort;
  /** How long to wait for pods to end. */
  readonly waitMs: number;
  readonly log: Log;
  readonly pauseMs?: number;
}

/** Number of objects that were not gone in time. They no longer have our finalizer. */
export interface Leftover {
  readonly resources: number;
  readonly jobs: number;
}

/** How long the controller still creates nothing after the cleanup. By then it is uninstalled, or it must resume its work. */
const STOPPED_AFTERWARDS_SECONDS = 60;

/**
 * Stops the installation in PostgreSQL first, so that a running controller creates nothing again. It cancels no set: an installation on the
 * same database later captures what is open. A second call continues where the first one ended.
 */
export async function cleanUp({ db, cluster, waitMs, log, pauseMs = 1_000 }: CleanupOptions): Promise<Leftover> {
  await stopInstallation(db, waitMs / 1000 + STOPPED_AFTERWARDS_SECONDS);
  const deadline = performance.now() + waitMs;
  let left = await deleteAll(cluster, log, { waitForPods: true });
  while (left.resources + left.jobs > 0 && performance.now() < deadline) {
    await sleep(pauseMs);
    left = await deleteAll(cluster, log, { waitForPods: true });
  }
  // Pods that do not end keep their Job and so its ScreenshotJob. From here on nothing waits for them.
  if (left.resources + left.jobs > 0) left = await deleteAll(cluster, log, { waitForPods: false });
  await stopInstallation(db, STOPPED_AFTERWARDS_SECONDS);
  return left;
}

/** @returns the number of objects that were there before. */
async function deleteAll(
  cluster: ClusterPort,
  log: Log,
  { waitForPods }: { readonly waitForPods: boolean },
): Promise<Leftover> {
  const resources = await cluster.listScreenshotJobs();
  const jobs = await cluster.listJobs();
  const owners = new Set(jobs.map(({ ownerUid }) => ownerUid));
  for (const job of jobs) {
    if (waitForPods && job.deleting) continue;
    await ignoreConflicts(log, job, () => cluster.deleteJob(job, { waitForPods }));
  }
  for (const resource of resources) {
    await ignoreConflicts(log, resource, async () => {
      if (!resource.deleting) await cluster.deleteScreenshotJob(resource);
      else if (!waitForPods || !owners.has(resource.uid)) await cluster.releaseScreenshotJob(resource);
    });
  }
  return { resources: resources.length, jobs: jobs.length };
}

/** The controller may change the same object at the same time. The next pass reads it again. */
async function ignoreConflicts(
  log: Log,
  { name }: CaptureJob | ScreenshotJob,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    log.debug({ object: name, err: error }, 'an object has changed since it was read; reading it again');
  }
}
