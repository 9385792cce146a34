import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditReport } from '../../../src/controller/options.ts';
import { openStore } from '../../../src/db/database.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch } from '../../support/insertRows.ts';
import { type LocalInstallation, startLocalInstallation } from '../../support/localInstallation.ts';
import { overrideCluster } from '../../support/overrideCluster.ts';
import { required } from '../../support/required.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { expectLoggedErrors } from '../../support/testLog.ts';

let database: TestDatabase;
let shop: LocalInstallation;

beforeEach(async () => {
  database = await testDatabase();
  shop = await startLocalInstallation({ databaseUrl: database.url });
});

afterEach(async () => {
  await shop.close();
  await database.close();
});

const statusOf = async (id: string) =>
  (await shop.store.db.selectFrom('screenshot_sets').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status;

test('an empty cluster gets all objects again from PostgreSQL', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const sets: string[] = [];
  for (let i = 0; i < 2; i++) {
    const hanging = await insertAd(db, organization, { content: 'hang' });
    const fine = await insertAd(db, organization);
    const pictures = [{ adId: hanging }, { adId: fine, site: 'https://b.example/' }];
    sets.push(await insertSet(db, organization, { pictures }));
  }
  await launch(db, shop.queue, organization);
  await eventually(async () => {
    const claimed = await db
      .selectFrom('job_creatives')
      .selectAll()
      .where('claim_expires_at', 'is not', null)
      .execute();
    expect(claimed.length).toBeGreaterThan(0);
  });
  await shop.close();
  const before = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  await before.db.updateTable('ads').set({ content: 'fine' }).execute();
  await before.close();

  shop = await startLocalInstallation({ databaseUrl: database.url });
  for (const id of sets) await eventually(async () => expect(await statusOf(id)).toBe('approved'));
  const creatives = await shop.store.db.selectFrom('job_creatives').selectAll().execute();
  expect(creatives.map(({ status, claims_lost }) => [status, claims_lost])).toEqual(
    Array.from({ length: 4 }, () => ['rendered', 0]),
  );
});

test('a set and an ad whose admission entry was lost are admitted by the audit', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const setId = await insertSet(db, organization, { pictures: [{ adId: await insertAd(db, organization) }] });
  const adId = await insertAd(db, organization, { source: 'create_ad' });
  await shop.controller.audit();
  await eventually(async () => expect(await statusOf(setId)).toBe('approved'));
  await eventually(async () => {
    const ad = await db.selectFrom('ads').select('status').where('id', '=', adId).executeTakeFirstOrThrow();
    expect(ad.status).toBe('uploaded');
  });
});

test('a deleted ScreenshotJob and a deleted Job are created again', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const setId = await insertSet(db, organization, {
    pictures: [{ adId: await insertAd(db, organization, { content: 'hang' }) }],
  });
  await launch(db, shop.queue, organization);
  const name = `set-${setId}`;
  const job = await eventually(async () => {
    const found = await shop.cluster.getJob(`${name}-1`);
    expect(found?.active).toBe(1);
    return found;
  });
  await shop.cluster.deleteScreenshotJob(required(await shop.cluster.getScreenshotJob(name)));
  await eventually(async () => {
    const again = await shop.cluster.getJob(`${name}-1`);
    expect(again?.active).toBe(1);
    expect(again?.uid).not.toBe(job?.uid);
  });
  expect(await statusOf(setId)).toBe('capturing');
});

/** A cluster that another installation uses too, with a clock that the test advances. */
async function elsewhere() {
  await shop.close();
  const time = { now: 0 };
  const reports: AuditReport[] = [];
  shop = await startLocalInstallation({
    databaseUrl: database.url,
    settings: { isLocal: false },
    clock: () => time.now,
    observe: { audited: (report) => reports.push(report) },
  });
  const audit = async () => {
    await shop.controller.audit();
    return required(reports.at(-1));
  };
  return { time, audit };
}

const RESOURCE = {
  ...{ organization: 'demo', job: randomUUID(), ads: 1, batches: 1, screenshots: 9, parallelism: 1, retries: 1 },
  ...{ deadlines: { schedulingSeconds: 1, captureSeconds: 1 }, ttlSecondsAfterFinished: 1 },
};

const JOB = {
  ...{
    jobId: randomUUID(),
    organization: 'demo',
    priority: 'normal' as const,
    indexes: 1,
    parallelism: 1,
    retriesPerIndex: 0,
  },
  ...{ podDeadlineSeconds: 60, jobDeadlineSeconds: 3_600, environment: {} },
};

test('a ScreenshotJob without a row is marked as UnknownSet after two minutes and kept', async () => {
  const { time, audit } = await elsewhere();
  const name = `set-${randomUUID()}`;
  await shop.cluster.createScreenshotJob(name, RESOURCE);
  await audit();
  expect((await shop.cluster.getScreenshotJob(name))?.status).toBeUndefined();
  time.now = 121_000;
  await audit();
  await eventually(async () => expect((await shop.cluster.getScreenshotJob(name))?.status?.reason).toBe('UnknownSet'));
  time.now = 600_000;
  await audit();
  expect(await shop.cluster.getScreenshotJob(name)).toMatchObject({ deleting: false });
  shop.cluster.deleteByHand(name);
  await eventually(async () => expect(await shop.cluster.getScreenshotJob(name)).toBeUndefined());
});

test('an orphaned Job is deleted after two minutes', async () => {
  const { time, audit } = await elsewhere();
  await shop.cluster.createJob({ ...JOB, name: 'set-lost-1', owner: { name: 'set-lost', uid: randomUUID() } });
  await audit();
  time.now = 119_000;
  await audit();
  expect(await shop.cluster.listJobs()).toHaveLength(1);
  time.now = 121_000;
  await audit();
  expect(await shop.cluster.listJobs()).toEqual([]);
});

test('the audit deletes nothing and reports an error if there are too many orphans', async () => {
  expectLoggedErrors(/too many orphaned objects/);
  const { time, audit } = await elsewhere();
  for (let i = 0; i < 11; i++)
    await shop.cluster.createJob({ ...JOB, name: `set-${i}-1`, owner: { name: `set-${i}`, uid: randomUUID() } });
  await audit();
  time.now = 300_000;
  expect(await audit()).toEqual({ stopped: true });
  expect(await shop.cluster.listJobs()).toHaveLength(11);
  expect(shop.warnings.map(({ msg }) => msg)).toContain(
    'too many orphaned objects; the audit deletes none of them. Check that DATABASE_URL names the right database',
  );
  // One less is no alert any more.
  await shop.cluster.deleteJob(required((await shop.cluster.listJobs())[0]));
  expect(await audit()).toEqual({ stopped: false });
  expect(await shop.cluster.listJobs()).toEqual([]);
});

test('the oldest finished ScreenshotJobs are deleted early if there are too many', async () => {
  await shop.close();
  shop = await startLocalInstallation({ databaseUrl: database.url, settings: { maxFinishedResources: 1 } });
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const names: string[] = [];
  for (let i = 0; i < 3; i++) {
    const setId = await insertSet(db, organization, { pictures: [{ adId: await insertAd(db, organization) }] });
    await launch(db, shop.queue, organization);
    await eventually(async () => expect(await statusOf(setId)).toBe('approved'));
    names.push(`set-${setId}`);
  }
  await shop.controller.audit();
  await eventually(async () => {
    const left = await shop.cluster.listScreenshotJobs();
    expect(left.map(({ name }) => name)).toEqual(names.slice(2));
  });
});

test('an orphaned ad fails with a reason', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const orphaned = await insertAd(db, organization);
  const waiting = await insertAd(db, organization, { content: 'hang', source: 'create_ad' });
  await shop.controller.audit();
  const rows = await db.selectFrom('ads').select(['id', 'status', 'reason']).execute();
  expect(rows).toContainEqual({ id: orphaned, status: 'generic_error', reason: 'It will not be captured.' });
  expect(rows).toContainEqual({ id: waiting, status: 'pending', reason: null });
});

test('several requests for an audit during an audit lead to one more audit', async () => {
  await shop.close();
  let lists = 0;
  let gate: Promise<void> | undefined;
  shop = await startLocalInstallation({
    databaseUrl: database.url,
    wrapCluster: overrideCluster((cluster) => ({
      async listJobs() {
        lists += 1;
        await gate;
        return cluster.listJobs();
      },
    })),
  });
  const before = lists;
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const running = shop.controller.audit();
  await eventually(() => expect(lists).toBe(before + 1));
  const asked = Array.from({ length: 20 }, () => shop.controller.audit());
  resolve();
  await Promise.all([running, ...asked]);
  expect(lists).toBe(before + 2);
});
