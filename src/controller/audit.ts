/** Compares Postgres with the cluster and the queue: what was lost is made again, what nobody owns is removed. */
import type { CaptureJob } from '../cluster/port.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { deliveryGroup } from '../store/deliveries/deliveryGroup.ts';
import { checkEpoch } from '../store/installation/installation.ts';
import { type KnownJob, knownJobs, organizationsWithBacklog, overdueDeliveries } from '../store/jobs/auditQueries.ts';
import { unsettledNames } from '../store/jobs/jobs.ts';
import { purgeIdempotencyKeys } from '../store/organizations/idempotency.ts';
import { failOrphanedAdsPage } from '../workflow/orphanedAds.ts';
import type { LeaderContext } from './leaderContext.ts';
import type { AuditReport } from './options.ts';
import { restoreLabels } from './restoreLabels.ts';

/** A delivery is due, and its job is on its way, for so long. */
const PATIENCE_SECONDS = 30;
/** More than this at once is rather a mistake of ours than that many orphans. */
const MAX_ORPHANS = { share: 0.2, count: 10 };

export async function audit(term: LeaderContext): Promise<AuditReport> {
  const { options, epoch } = term;
  await checkEpoch(options.store.db, epoch);
  const { stopped, ...objects } = await auditObjects(term);
  await launchWaiting(term);
  const overdue_delivery = await sendOverdue(term);
  const forsaken_ad = await failForsaken(term);
  await purgeIdempotencyKeys(options.store.db);
  return { stopped, findings: { ...objects, overdue_delivery, forsaken_ad } };
}

interface Seen {
  readonly jobs: readonly CaptureJob[];
  readonly resources: readonly ScreenshotJob[];
  readonly known: ReadonlyMap<string, KnownJob>;
}

async function auditObjects(term: LeaderContext) {
  // Owners after what they own, and Postgres last: whatever was made in between has its owner and its row already.
  const jobs = await term.cluster.listJobs();
  const resources = await term.cluster.listScreenshotJobs();
  const { db } = term.options.store;
  const open = await unsettledNames(db);
  const known = await knownJobs(
    db,
    resources.map(({ name }) => name),
  );
  for (const name of open) term.look(name);
  const seen = { jobs, resources, known };
  finishSettled(term, seen);
  const present = new Set(resources.map(({ name }) => name));
  const lost_label = await restoreLabels(term, resources);
  const lost_resource = open.filter((name) => !present.has(name)).length;
  return { lost_label, lost_resource, ...(await removeOrphans(term, seen)) };
}

/** Those that are settled, but for those of which nothing is to be done yet. */
function finishSettled({ look, options, retention }: LeaderContext, { jobs, resources, known }: Seen): void {
  const withJob = new Set(jobs.map(({ ownerUid }) => ownerUid));
  const finished = resources.flatMap((resource) => {
    const settledAt = known.get(resource.name)?.settled_at?.getTime();
    return settledAt === undefined ? [] : [{ resource, settledAt }];
  });
  for (const { resource, settledAt } of finished.toSorted((a, b) => a.settledAt - b.settledAt)) {
    const { name, uid, deleting, status, spec } = resource;
    const oldest = retention.keep(name);
    if (oldest !== undefined) look(oldest);
    const saysSo = status?.completionTime !== undefined && !deleting && !withJob.has(uid);
    // By this clock, which may be wrong: Postgres's decides when it is looked at.
    const isOver = settledAt + spec.ttlSecondsAfterFinished * 1000 <= Date.now();
    if (!saysSo || isOver || retention.isExcess(name)) look(name);
  }
  options.log.debug({ finished: finished.length }, 'audited what is finished');
}

/** Resources that no row knows, and Jobs whose resource is gone. */
async function removeOrphans(term: LeaderContext, { jobs, resources, known }: Seen) {
  const { acquaintance, cluster, look, options } = term;
  const owners = new Set(resources.map(({ uid }) => uid));
  const unknown = resources.filter(({ name }) => !known.has(name));
  const ownerless = jobs.filter(({ ownerUid }) => !owners.has(ownerUid));
  const strangers = [...unknown, ...ownerless];
  acquaintance.keep(new Set(strangers.map(({ uid }) => uid)));
  const judged = strangers.filter(({ uid }) => acquaintance.timeLeft(uid) === 0).length;
  const report = { unknown_resource: unknown.length, orphan_job: ownerless.length };
  const all = jobs.length + resources.length;
  if (judged > MAX_ORPHANS.count && judged > MAX_ORPHANS.share * all) {
    options.log.error(
      { ...report, all },
      'so many objects that nobody owns are left alone; is this the right database?',
    );
    return { ...report, stopped: true };
  }
  for (const { name } of unknown) look(name);
  // The cluster collects what has lost its owner; this is for what it has overlooked.
  for (const job of ownerless) {
    if (acquaintance.timeLeft(job.uid) > 0 || job.deleting) continue;
    options.log.warn({ job: job.name }, 'a Job whose ScreenshotJob is gone is removed');
    await cluster.deleteJob(job);
  }
  return { ...report, stopped: false };
}

async function launchWaiting({ options, transact }: LeaderContext): Promise<void> {
  const { store, queue } = options;
  const organizations = await organizationsWithBacklog(store.db);
  await transact(async (tx) => {
    for (const organization_id of organizations) await queue.enqueue(tx, 'launch', { organization_id });
  });
}

/** @returns how many deliveries had nobody to send them. */
async function sendOverdue({ options, transact }: LeaderContext): Promise<number> {
  const { store, queue, log } = options;
  const overdue = await overdueDeliveries(store.db, PATIENCE_SECONDS);
  const missing = new Set(await queue.deliveriesWithoutJob(overdue.map(({ id }) => id)));
  if (missing.size === 0) return 0;
  log.warn({ deliveries: missing.size }, 'deliveries had no job in the queue');
  await transact(async (tx) => {
    for (const { id, target } of overdue.filter(({ id }) => missing.has(id))) {
      await queue.enqueue(tx, 'deliver', { delivery_id: id }, { group: deliveryGroup(target) });
    }
  });
  return missing.size;
}

/** Of the next page of pending ads: so each audit costs the same, and in the end all have been looked at. */
async function failForsaken({ transact, progress }: LeaderContext): Promise<number> {
  const reason = 'Nothing captures it any more.';
  const after = progress.lastPendingAd;
  const { failed, last } = await transact((tx, context) => failOrphanedAdsPage(tx, { after, reason }, context));
  progress.lastPendingAd = last;
  return failed;
}
