/**
 * The audit compares PostgreSQL with the cluster and the work queue. It repairs what was lost and deletes what is orphaned.
 *
 * 1. Names of unsettled jobs and of finished ScreenshotJobs go into the reconcile queue, so each one is reconciled at least once a minute.
 * 2. Lost labels are restored.
 * 3. Orphaned Jobs are deleted. ScreenshotJobs without a row are reconciled, which marks them. Too many orphans stop this step.
 * 4. Organizations with waiting sets get an entry for admission.
 * 5. Orphaned ads fail, one page of pending ads in each audit.
 */
import type { CaptureJob, UnlabeledResource } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { failOrphanedAdsPage } from '../core/events/orphanedAds.ts';
import { type KnownJob, knownJobs, organizationsWithBacklog } from '../core/jobs/backlog.ts';
import { checkEpoch } from '../core/jobs/installation.ts';
import { unsettledNames } from '../core/jobs/jobs.ts';
import type { LeaderContext } from './leaderContext.ts';
import type { AuditReport } from './options.ts';
import { unknownStatus } from './status.ts';

/** More orphans than both of these suggest a mistake of ours, for example the wrong database. */
const MAX_ORPHANS = { share: 0.2, count: 10 };

export async function audit(leader: LeaderContext): Promise<AuditReport> {
  const { db } = leader.options.store;
  await checkEpoch(db, leader.epoch);
  const report = await auditObjects(leader);
  await enqueueAdmission(leader);
  await failOrphanedAds(leader);
  return report;
}

interface ClusterSnapshot {
  readonly jobs: readonly CaptureJob[];
  readonly resources: readonly ScreenshotJob[];
  readonly known: ReadonlyMap<string, KnownJob>;
}

async function auditObjects(leader: LeaderContext): Promise<AuditReport> {
  const { cluster, options, enqueue } = leader;
  // Jobs are listed before their owners and PostgreSQL is read last, so an object that is created meanwhile is never an orphan.
  const jobs = await cluster.listJobs();
  const resources = await cluster.listScreenshotJobs();
  const { db } = options.store;
  const unsettled = await unsettledNames(db);
  const names = resources.map(({ name }) => name);
  const known = await knownJobs(db, names);
  for (const name of unsettled) enqueue(name);
  const snapshot = { jobs, resources, known };
  enqueueFinished(leader, snapshot);
  await restoreLabels(leader, resources);
  return deleteOrphans(leader, snapshot);
}

/** Enqueues the settled ScreenshotJobs for which something is left to do. */
function enqueueFinished(leader: LeaderContext, { jobs, resources, known }: ClusterSnapshot): void {
  const { enqueue, options, surplus } = leader;
  const ownersOfJobs = new Set(jobs.map(({ ownerUid }) => ownerUid));
  const finished = resources.flatMap((resource) => {
    const settledAt = known.get(resource.name)?.settled_at?.getTime();
    return settledAt === undefined ? [] : [{ resource, settledAt }];
  });
  const oldestFirst = finished.toSorted((a, b) => a.settledAt - b.settledAt);
  surplus.clear();
  const tooMany = Math.max(0, finished.length - options.settings.maxFinishedResources);
  for (const { resource } of oldestFirst.slice(0, tooMany)) surplus.add(resource.name);
  for (const { resource, settledAt } of oldestFirst) {
    const { name, uid, deleting, held, status, spec } = resource;
    const isComplete = status?.completionTime !== undefined && !deleting && !held && !ownersOfJobs.has(uid);
    // This clock may be wrong. The reconciliation decides by the clock of PostgreSQL.
    const isExpired = settledAt + spec.ttlSecondsAfterFinished * 1000 <= Date.now();
    if (!isComplete || isExpired || surplus.has(name)) enqueue(name);
  }
  options.log.debug({ finished: finished.length }, 'audited finished ScreenshotJobs');
}

/**
 * Restores the label by which watches find our objects. A ScreenshotJob gets its label back. A Job is deleted, and created again if it is
 * still needed.
 */
async function restoreLabels(leader: LeaderContext, resources: readonly ScreenshotJob[]): Promise<void> {
  const { cluster, options } = leader;
  const unlabeled = await cluster.listUnlabeled();
  const found = unlabeled.resources.map(({ resource }) => resource);
  const known = await knownJobs(
    options.store.db,
    found.map(({ name }) => name),
  );
  // An object with the name of one of our rows, but another job id, belongs to another installation.
  const ours = found.filter(({ name, spec }) => known.get(name)?.id === spec.job);
  const owners = new Set([...resources, ...ours].map(({ uid }) => uid));
  const jobs = unlabeled.jobs.filter(({ ownerUid }) => owners.has(ownerUid));
  for (const resource of ours) {
    options.log.warn(
      { resource: resource.name },
      'a ScreenshotJob had lost the label of its installation; restoring the label',
    );
    await cluster.labelScreenshotJob(resource);
  }
  const isUnknown = ({ resource, installation }: UnlabeledResource) =>
    installation === undefined && !known.has(resource.name);
  await explainUnknown(
    leader,
    unlabeled.resources.filter(isUnknown).map(({ resource }) => resource),
  );
  for (const job of jobs) {
    options.log.warn({ job: job.name }, 'a Job had lost the label of its installation; deleting the Job');
    await cluster.deleteJob(job);
  }
}

/** A ScreenshotJob that a person made has no label, so only the audit sees it. It says why nothing happens. */
async function explainUnknown(
  { statuses, options }: LeaderContext,
  resources: readonly ScreenshotJob[],
): Promise<void> {
  for (const resource of resources.filter(({ status }) => (status?.conditions ?? []).length === 0)) {
    options.log.warn({ resource: resource.name }, 'a ScreenshotJob has no set and no label; leaving it as it is');
    await statuses.write(resource, unknownStatus(resource, new Date()));
  }
}

/** Orphans are ScreenshotJobs without a row and Jobs without a ScreenshotJob. */
async function deleteOrphans(leader: LeaderContext, { jobs, resources, known }: ClusterSnapshot): Promise<AuditReport> {
  const { firstSeen, cluster, enqueue, options } = leader;
  const owners = new Set(resources.map(({ uid }) => uid));
  const unknown = resources.filter(({ name }) => !known.has(name));
  const orphanedJobs = jobs.filter(({ ownerUid }) => !owners.has(ownerUid));
  const orphans = [...unknown, ...orphanedJobs];
  firstSeen.keepOnly(new Set(orphans.map(({ uid }) => uid)));
  const judged = orphans.filter(({ uid }) => firstSeen.msUntilJudged(uid) === 0).length;
  const all = jobs.length + resources.length;
  if (judged > MAX_ORPHANS.count && judged > MAX_ORPHANS.share * all) {
    options.log.error(
      { unknown_resource: unknown.length, orphan_job: orphanedJobs.length, all },
      'too many orphaned objects; the audit deletes none of them. Check that DATABASE_URL names the right database',
    );
    return { stopped: true };
  }
  for (const { name } of unknown) enqueue(name);
  // The garbage collector of the cluster usually deletes these Jobs first.
  for (const job of orphanedJobs) {
    if (firstSeen.msUntilJudged(job.uid) > 0 || job.deleting) continue;
    options.log.warn({ job: job.name }, 'a Job is orphaned because its ScreenshotJob is gone; deleting the Job');
    await cluster.deleteJob(job);
  }
  return { stopped: false };
}

async function enqueueAdmission({ options, transact }: LeaderContext): Promise<void> {
  const { store, queue } = options;
  const organizations = await organizationsWithBacklog(store.db);
  await transact(async (tx) => {
    for (const organization_id of organizations) await queue.enqueue(tx, 'launch', { organization_id });
  });
}

/** Reads one page of pending ads, so that the cost of an audit does not grow. Later audits read the other pages. */
async function failOrphanedAds({ transact, auditProgress }: LeaderContext): Promise<void> {
  const reason = 'It will not be captured.';
  const after = auditProgress.lastPendingAd;
  const { last } = await transact((tx, context) => failOrphanedAdsPage(tx, { after, reason }, context));
  auditProgress.lastPendingAd = last;
}
