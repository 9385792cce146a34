/** Small sets share captures: the faults of hosts and guests, with the controller, the internal API and fake captures. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readJob } from '../../../src/core/jobs/jobs.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch, type TestOrganization } from '../../support/insertRows.ts';
import {
  type LocalInstallation,
  type LocalInstallationOptions,
  startLocalInstallation,
} from '../../support/localInstallation.ts';
import { overrideCluster } from '../../support/overrideCluster.ts';
import { required } from '../../support/required.ts';

/** One capture runs at a time, so small sets wait for it. */
const ONE_CAPTURE = { maxPods: 1, parallelism: 1 };

let database: TestDatabase;
let shop: LocalInstallation;
let organization: TestOrganization;
/** The names of created Jobs. */
let created: string[];

const countJobs = overrideCluster((cluster) => ({
  createJob: (spec) => {
    created.push(spec.name);
    return cluster.createJob(spec);
  },
}));

async function start(options: Partial<LocalInstallationOptions> = {}): Promise<void> {
  shop = await startLocalInstallation({
    ...{ databaseUrl: database.url, hosts: true, settings: ONE_CAPTURE, wrapCluster: countJobs },
    ...options,
  });
}

beforeEach(async () => {
  created = [];
  database = await testDatabase();
  await start();
  organization = await insertOrganization(shop.store.db);
});

afterEach(async () => {
  await shop.close();
  await database.close();
});

const insertSmallSet = async (content = 'fine', owner = organization) =>
  insertSet(shop.store.db, owner, { pictures: [{ adId: await insertAd(shop.store.db, owner, { content }) }] });
const launchAll = () => launch(shop.store.db, shop.queue, organization);
const statusOf = async (id: string) =>
  (await shop.store.db.selectFrom('screenshot_sets').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status;
const jobOf = (setId: string) =>
  shop.store.db.selectFrom('screenshot_jobs').selectAll().where('set_id', '=', setId).executeTakeFirstOrThrow();
const hasStatus = (id: string, status: string) => eventually(async () => expect(await statusOf(id)).toBe(status));
const hasNoJobs = () => eventually(async () => expect(await shop.cluster.listJobs()).toEqual([]));

/** A host that works on a guest whose capture hangs once. The first set is the host's own. */
async function startGuest(): Promise<{ host: string; guest: string }> {
  const host = await insertSmallSet();
  const guest = await insertSmallSet('wait');
  await launchAll();
  await hasStatus(host, 'approved');
  await eventually(async () => {
    const { claim_expires_at } = await shop.store.db
      .selectFrom('job_creatives')
      .innerJoin('screenshot_jobs', 'screenshot_jobs.id', 'job_id')
      .select('claim_expires_at')
      .where('set_id', '=', guest)
      .executeTakeFirstOrThrow();
    expect(claim_expires_at).not.toBeNull();
    expect(await shop.cluster.getScreenshotJob(`set-${guest}`)).toBeDefined();
  });
  return { host, guest };
}

test('small sets of one organization share one Job, and each has its ScreenshotJob and its own result', async () => {
  const sets: string[] = [];
  for (let count = 0; count < 5; count++) sets.push(await insertSmallSet(count === 2 ? 'fail' : 'fine'));
  await launchAll();
  for (const [count, id] of sets.entries()) await hasStatus(id, count === 2 ? 'failed' : 'approved');
  expect(created).toEqual([`set-${sets[0]}-1`]);
  await eventually(async () => {
    for (const [count, id] of sets.entries())
      expect((await shop.cluster.getScreenshotJob(`set-${id}`))?.status?.reason).toBe(
        count === 2 ? 'Failed' : 'Completed',
      );
  });
  await hasNoJobs();
  expect(shop.warnings).toEqual([]);
});

test('a guest that is done before it has a ScreenshotJob gets one', async () => {
  await insertSmallSet();
  const guest = await insertSmallSet();
  await shop.close();
  let failed = false;
  const failOnce = overrideCluster((cluster) => ({
    async createScreenshotJob(name, ...rest) {
      if (name !== `set-${guest}` || failed) return cluster.createScreenshotJob(name, ...rest);
      failed = true;
      await eventually(async () =>
        expect(required(await readJob(shop.store.db, name)).screenshots).toMatchObject({ done: 1 }),
      );
      throw new Error('the API server is restarting');
    },
  }));
  await start({ wrapCluster: failOnce });
  await launchAll();
  await hasStatus(guest, 'approved');
  expect(failed).toBe(true);
  await eventually(async () =>
    expect((await shop.cluster.getScreenshotJob(`set-${guest}`))?.status?.reason).toBe('Completed'),
  );
});

test('small sets of two organizations do not share a capture', async () => {
  const other = await insertOrganization(shop.store.db);
  const mine = [await insertSmallSet(), await insertSmallSet()];
  const theirs = await insertSmallSet('fine', other);
  await launchAll();
  for (const id of [...mine, theirs]) await hasStatus(id, 'approved');
  expect(created.toSorted()).toEqual([`set-${mine[0]}-1`, `set-${theirs}-1`].toSorted());
});

test('the status of a guest names its host', async () => {
  const { host, guest } = await startGuest();
  await eventually(async () => {
    const status = (await shop.cluster.getScreenshotJob(`set-${guest}`))?.status;
    expect(status).toMatchObject({ reason: 'Running', pods: 0 });
    expect(status?.message).toContain(`set-${host}`);
  });
});

test('a guest whose host crashes gets a Job of its own, and the other sets are not affected', async () => {
  const host = await insertSmallSet();
  const guest = await insertSmallSet('crash once');
  const later = await insertSmallSet();
  await launchAll();
  for (const id of [host, guest, later]) await hasStatus(id, 'approved');
  expect(created).toContain(`set-${guest}-1`);
  expect((await jobOf(guest)).generation).toBe(1);
  expect((await jobOf(host)).outcome).toBe('complete');
  await hasNoJobs();
});

test('a creative that crashes every capture fails alone', async () => {
  const host = await insertSmallSet();
  const guest = await insertSmallSet('crash');
  const later = await insertSmallSet();
  await launchAll();
  await hasStatus(guest, 'failed');
  for (const id of [host, later]) await hasStatus(id, 'approved');
});

test('a canceled guest ends at once, and its host takes the next set', async () => {
  const { host, guest } = await startGuest();
  const next = await insertSmallSet();
  await launchAll();
  shop.cluster.cancelByHand(`set-${guest}`);
  await hasStatus(guest, 'canceled');
  await hasStatus(next, 'approved');
  expect(created).toEqual([`set-${host}-1`]);
});

test('the deletion of the ScreenshotJob of a guest cancels only the guest', async () => {
  const { host, guest } = await startGuest();
  const next = await insertSmallSet();
  await launchAll();
  shop.cluster.deleteByHand(`set-${guest}`);
  await hasStatus(guest, 'canceled');
  await hasStatus(next, 'approved');
  expect(await statusOf(host)).toBe('approved');
  await eventually(async () => expect(await shop.cluster.getScreenshotJob(`set-${guest}`)).toBeUndefined());
});

test('a guest gets a Job of its own if the ScreenshotJob of its host is deleted', async () => {
  const { host, guest } = await startGuest();
  shop.cluster.deleteByHand(`set-${host}`);
  await hasStatus(guest, 'approved');
  expect(created).toEqual([`set-${host}-1`, `set-${guest}-1`]);
  expect(await statusOf(host)).toBe('approved');
  await eventually(async () => expect(await shop.cluster.getScreenshotJob(`set-${host}`)).toBeUndefined());
});

test('a guest gets a Job of its own if its host loses its lease', async () => {
  const { host, guest } = await startGuest();
  const { id } = await jobOf(host);
  await shop.store.db
    .updateTable('job_indexes')
    .set({ hosting_until: new Date(0) })
    .where('job_id', '=', id)
    .execute();
  await shop.controller.audit();
  await hasStatus(guest, 'approved');
  expect(created).toContain(`set-${guest}-1`);
});

test('a guest that its host does not open gets a Job of its own', async () => {
  const { guest } = await startGuest();
  // As if the capture had been lost between the answer and its next call.
  const { id } = await jobOf(guest);
  const db = shop.store.db;
  await db.updateTable('job_indexes').set({ started_at: null }).where('job_id', '=', id).execute();
  await db
    .updateTable('screenshot_jobs')
    .set({ hosted_at: new Date(0) })
    .where('id', '=', id)
    .execute();
  await shop.controller.audit();
  await hasStatus(guest, 'approved');
  expect(created).toContain(`set-${guest}-1`);
});

test('the deadline of a guest ends it, and its host takes the next set', async () => {
  const { guest } = await startGuest();
  const next = await insertSmallSet();
  await shop.store.db
    .updateTable('screenshot_jobs')
    .set({ deadline_at: new Date(0) })
    .where('set_id', '=', guest)
    .execute();
  await launchAll();
  await shop.controller.audit();
  await hasStatus(guest, 'failed');
  await hasStatus(next, 'approved');
});

test('the Job of a host stays while it works on a guest, and ends after it', async () => {
  const { host, guest } = await startGuest();
  await shop.controller.audit();
  await eventually(async () =>
    expect((await shop.cluster.getScreenshotJob(`set-${host}`))?.status).toMatchObject({
      reason: 'Completed',
      pods: 1,
    }),
  );
  expect((await shop.cluster.listJobs()).map(({ name }) => name)).toEqual([`set-${host}-1`]);
  shop.cluster.cancelByHand(`set-${guest}`);
  await hasStatus(guest, 'canceled');
  await hasNoJobs();
});

test('a restart of the process gives the guest a Job of its own', async () => {
  const { guest } = await startGuest();
  await shop.close();
  await start();
  await eventually(() => expect(created.at(-1)).toBe(`set-${guest}-1`));
});
