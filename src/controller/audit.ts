/** Compares Postgres with the cluster and the queue: what was lost is made again, what nobody knows is removed. */
import { deliveryGroup } from '../store/deliveryGroup.ts';
import { failForsakenAds } from '../store/forsakenAds.ts';
import { purgeIdempotencyKeys } from '../store/idempotency.ts';
import { unsettledNames } from '../store/jobState.ts';
import { knownNames, organizationsThatWait, overdueDeliveries } from '../store/leftovers.ts';
import type { ControllerOptions } from './options.ts';

/** A delivery is due, and its job is on its way, for so long. */
const PATIENCE_SECONDS = 30;
/** More than this at once is rather a mistake of ours than that many orphans. */
const MOST_ORPHANS = { share: 0.2, count: 10 };

/** Everything that waits on somebody is handed to them again; `look` gets the names of ScreenshotJobs to reconcile. */
export async function audit(options: ControllerOptions, look: (name: string) => void): Promise<void> {
  // The cluster first: a resource made in between has its row already.
  const resources = await options.cluster.listScreenshotJobs();
  for (const name of await unsettledNames(options.store.db)) look(name);
  await lookAtOrphans(
    options,
    resources.map(({ name }) => name),
    look,
  );
  await removeOwnerlessJobs(options, new Set(resources.map(({ uid }) => uid)));
  await launchWaiting(options);
  await sendOverdue(options);
  const aftermath = { queue: options.queue, publicUrl: options.settings.publicUrl };
  const reason = 'Nothing captures it any more.';
  await options.store.db.transaction().execute((tx) => failForsakenAds(tx, { reason }, aftermath));
  await purgeIdempotencyKeys(options.store.db);
}

async function lookAtOrphans(
  { store, log }: ControllerOptions,
  names: readonly string[],
  look: (name: string) => void,
): Promise<void> {
  const known = await knownNames(store.db, names);
  const orphans = names.filter((name) => !known.has(name));
  if (orphans.length > MOST_ORPHANS.count && orphans.length > MOST_ORPHANS.share * names.length) {
    log.error(
      { orphans: orphans.length, resources: names.length },
      'so many ScreenshotJobs that no row knows are left alone; is this the right database?',
    );
    return;
  }
  // Settled ones too: their time to live may be over.
  for (const name of names) look(name);
}

async function removeOwnerlessJobs({ cluster, settings }: ControllerOptions, owners: Set<string>): Promise<void> {
  // Elsewhere the cluster itself collects what has lost its owner.
  if (!settings.isLocal) return;
  const jobs = await cluster.listJobs();
  const current = new Set((await cluster.listScreenshotJobs()).map(({ uid }) => uid));
  const ownerless = jobs.filter(({ ownerUid }) => !owners.has(ownerUid) && !current.has(ownerUid));
  await Promise.all(ownerless.map((job) => cluster.deleteJob(job)));
}

async function launchWaiting({ store, queue }: ControllerOptions): Promise<void> {
  const organizations = await organizationsThatWait(store.db);
  await store.db.transaction().execute(async (tx) => {
    for (const organization_id of organizations) await queue.enqueue(tx, 'launch', { organization_id });
  });
}

async function sendOverdue({ store, queue, log }: ControllerOptions): Promise<void> {
  const overdue = await overdueDeliveries(store.db, PATIENCE_SECONDS);
  const missing = new Set(await queue.deliveriesWithoutJob(overdue.map(({ id }) => id)));
  if (missing.size === 0) return;
  log.warn({ deliveries: missing.size }, 'deliveries had no job in the queue');
  await store.db.transaction().execute(async (tx) => {
    for (const { id, target } of overdue.filter(({ id }) => missing.has(id))) {
      await queue.enqueue(tx, 'deliver', { delivery_id: id }, { group: deliveryGroup(target) });
    }
  });
}
