/** Takes everything of an installation out of its cluster, before the controller itself is removed. */

import type { CaptureJob, ClusterPort } from '../cluster/port.ts';
import { ConflictError } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import type { Log } from '../lib/log.ts';
import { sleep } from '../lib/sleep.ts';
import type { Database } from '../store/database/database.ts';
import { stopInstallation } from '../store/installation/installation.ts';

export interface CleanupOptions {
  readonly db: Database;
  readonly cluster: ClusterPort;
  /** For pods to end. */
  readonly waitMs: number;
  readonly log: Log;
  readonly pauseMs?: number;
}

/** What was not gone in time; our finalizers do not hold it any more. */
export interface Leftover {
  readonly resources: number;
  readonly jobs: number;
}

/** Until the controller is gone too; should it stay, it goes on by itself afterwards. */
const AFTERWARDS_SECONDS = 60;

/**
 * No set is canceled: what is open stays open in Postgres, and an installation on the same database goes on with it. Nothing
 * is made again meanwhile, although the controller may still run. Calling it again does what is left to do.
 */
export async function cleanUp({ db, cluster, waitMs, log, pauseMs = 1_000 }: CleanupOptions): Promise<Leftover> {
  await stopInstallation(db, waitMs / 1000 + AFTERWARDS_SECONDS);
  const deadline = performance.now() + waitMs;
  let left = await sweep(cluster, log, { waits: true });
  while (left.resources + left.jobs > 0 && performance.now() < deadline) {
    await sleep(pauseMs);
    left = await sweep(cluster, log, { waits: true });
  }
  // Pods that do not end hold their Job and so its owner: from here on they are left to themselves.
  if (left.resources + left.jobs > 0) left = await sweep(cluster, log, { waits: false });
  await stopInstallation(db, AFTERWARDS_SECONDS);
  return left;
}

/** @returns what was there. */
async function sweep(cluster: ClusterPort, log: Log, { waits }: { waits: boolean }): Promise<Leftover> {
  const resources = await cluster.listScreenshotJobs();
  const jobs = await cluster.listJobs();
  const owners = new Set(jobs.map(({ ownerUid }) => ownerUid));
  for (const job of jobs)
    if (!waits || !job.deleting) await ignoreConflicts(log, job, () => cluster.deleteJob(job, { waits }));
  for (const resource of resources) {
    await ignoreConflicts(log, resource, async () => {
      if (!resource.deleting) await cluster.deleteScreenshotJob(resource);
      else if (!waits || !owners.has(resource.uid)) await cluster.releaseScreenshotJob(resource);
    });
  }
  return { resources: resources.length, jobs: jobs.length };
}

/** The controller may be at the same object, and the next sweep looks again. */
async function ignoreConflicts(
  log: Log,
  { name }: CaptureJob | ScreenshotJob,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    log.debug({ object: name, err: error }, 'an object had changed meanwhile');
  }
}
