/** Known failure modes of controllers, each with its symptom in this one. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CaptureJob, type ClusterPort, RefusedError } from '../../../src/cluster/port.ts';
import type { ScreenshotJob } from '../../../src/contract/screenshotJob.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { haveAllBegun, insertAd, insertOrganization, insertSet, launch } from '../../support/insertRows.ts';
import {
  type LocalInstallation,
  type LocalInstallationOptions,
  startLocalInstallation,
} from '../../support/localInstallation.ts';
import { overrideCluster } from '../../support/overrideCluster.ts';
import { required } from '../../support/required.ts';
import { expectLoggedErrors } from '../../support/testLog.ts';

let database: TestDatabase;
let shop: LocalInstallation;

beforeEach(async () => {
  database = await testDatabase();
});

afterEach(async () => {
  await shop.close();
  await database.close();
});

async function open(options: Omit<LocalInstallationOptions, 'databaseUrl'> = {}) {
  shop = await startLocalInstallation({ databaseUrl: database.url, ...options });
}

async function launched(content = 'fine') {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const setId = await insertSet(db, organization, {
    pictures: [{ adId: await insertAd(db, organization, { content }) }],
  });
  await launch(db, shop.queue, organization);
  return { setId, name: `set-${setId}` };
}

const statusOf = async (id: string) =>
  (await shop.store.db.selectFrom('screenshot_sets').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status;
const jobOf = (id: string) =>
  shop.store.db.selectFrom('screenshot_jobs').selectAll().where('set_id', '=', id).executeTakeFirstOrThrow();
const isApproved = (id: string) => eventually(async () => expect(await statusOf(id)).toBe('approved'));

test('a result is stored although its pod is deleted first', async () => {
  await open();
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const [fine, hang] = [await insertAd(db, organization), await insertAd(db, organization, { content: 'hang' })];
  const pictures = [{ adId: fine }, { adId: hang, site: 'https://b.example/' }];
  const setId = await insertSet(db, organization, { pictures });
  await launch(db, shop.queue, organization);
  const statuses = async () =>
    (await db.selectFrom('screenshots').select('status').where('set_id', '=', setId).orderBy('seq').execute()).map(
      ({ status }) => status,
    );
  await eventually(async () => {
    expect(await statuses()).toEqual(['uploaded', 'pending']);
    expect(await haveAllBegun(db)).toBe(true);
  });
  const { uid } = required(await shop.cluster.getJob(`set-${setId}-1`));
  await shop.cluster.deleteJob({ name: `set-${setId}-1`, uid });
  await db
    .updateTable('screenshot_jobs')
    .set({ deadline_at: new Date(0) })
    .execute();
  await shop.controller.audit();
  await isApproved(setId);
  expect(await statuses()).toEqual(['uploaded', 'net_read_timeout']);
});

test('a finalizer is removed after the result is stored and never stays', async () => {
  const released: { name: string; settled: boolean; jobs: number }[] = [];
  await open({
    wrapCluster: overrideCluster((cluster) => ({
      async releaseScreenshotJob(seen: ScreenshotJob) {
        const job = await jobOf(required(seen.spec.set));
        const jobs = (await cluster.listJobs()).length;
        released.push({ name: seen.name, settled: job.settled_at !== null, jobs });
        await cluster.releaseScreenshotJob(seen);
      },
    })),
  });
  const { setId, name } = await launched('hang');
  await eventually(async () => expect((await shop.cluster.getJob(`${name}-1`))?.active).toBe(1));
  shop.cluster.deleteByHand(name);
  await eventually(async () => expect(await shop.cluster.getScreenshotJob(name)).toBeUndefined());
  expect(released).toEqual([{ name, settled: true, jobs: 0 }]);
  expect(await statusOf(setId)).toBe('canceled');
  expect(await shop.cluster.listJobs()).toEqual([]);
});

test('a settled ScreenshotJob waits for no controller when it is deleted', async () => {
  await open();
  const { setId, name } = await launched('fine');
  await isApproved(setId);
  await eventually(async () => expect(await shop.cluster.getScreenshotJob(name)).toMatchObject({ held: false }));
  await shop.controller.stop();
  shop.cluster.deleteByHand(name);
  // Its capture may still end.
  await eventually(async () => expect(await shop.cluster.getScreenshotJob(name)).toBeUndefined());
});

/** Reads that show what was there three reads ago, as a cache does that lags behind. */
function lagging(cluster: ClusterPort): Partial<ClusterPort> {
  const lag = <T>(read: (name: string) => Promise<T | undefined>) => {
    const seen = new Map<string, (T | undefined)[]>();
    return async (name: string) => {
      const known = [...(seen.get(name) ?? []), await read(name)].slice(-4);
      seen.set(name, known);
      return known.length < 4 ? undefined : known[0];
    };
  };
  return {
    getScreenshotJob: lag((name) => cluster.getScreenshotJob(name)),
    getJob: lag((name) => cluster.getJob(name)),
  };
}

test('a stale cache does not repeat a step', async () => {
  const made: string[] = [];
  await open({
    wrapCluster: overrideCluster((cluster) => ({
      ...lagging(cluster),
      async createJob(spec) {
        const answer = await cluster.createJob(spec);
        if (answer === 'created') made.push(spec.name);
        return answer;
      },
    })),
  });
  const { setId, name } = await launched();
  await isApproved(setId);
  expect(made).toEqual([`${name}-1`]);
  expect(await shop.store.db.selectFrom('events').selectAll().execute()).toHaveLength(0);
  expect(await jobOf(setId)).toMatchObject({ generation: 1, outcome: 'complete' });
  expect(shop.warnings).toEqual([]);
});

test('a set whose Job a quota denies shows QuotaExceeded and continues when the quota allows it', async () => {
  let isFull = true;
  await open({
    wrapCluster: overrideCluster((cluster) => ({
      async createJob(spec) {
        if (isFull) throw new RefusedError('QuotaExceeded', 'exceeded quota: jobs, requested: 1, used: 5, limited: 5');
        return cluster.createJob(spec);
      },
    })),
  });
  const { setId, name } = await launched();
  await eventually(async () =>
    expect((await shop.cluster.getScreenshotJob(name))?.status).toMatchObject({
      reason: 'QuotaExceeded',
      message: 'exceeded quota: jobs, requested: 1, used: 5, limited: 5',
    }),
  );
  isFull = false;
  await shop.controller.audit();
  await isApproved(setId);
  expect(await jobOf(setId)).toMatchObject({ generation: 1, outcome: 'complete' });
  expect(shop.warnings).toEqual([]);
});

async function expectFailedAtDeadline(setId: string): Promise<void> {
  await shop.store.db
    .updateTable('screenshot_jobs')
    .set({ deadline_at: new Date(0) })
    .execute();
  await shop.controller.audit();
  await eventually(async () => expect(await statusOf(setId)).toBe('failed'));
}

test('a set is settled at its deadline although the cluster rejects its ScreenshotJob', async () => {
  await open({
    wrapCluster: overrideCluster(() => ({
      async createScreenshotJob() {
        throw new RefusedError('QuotaExceeded', 'exceeded quota: count/screenshotjobs.tearsheet.dev');
      },
    })),
  });
  const { setId } = await launched();
  await eventually(() =>
    expect(shop.warnings.map(({ msg }) => msg)).toContain('the cluster rejected a ScreenshotJob; retrying later'),
  );
  await expectFailedAtDeadline(setId);
});

test('a set is settled at its deadline although the API server does not answer', async () => {
  expectLoggedErrors(/could not be reconciled/);
  const answersNothing = async () => {
    throw new Error('503 Service Unavailable');
  };
  await open({
    wrapCluster: overrideCluster(() => ({ getScreenshotJob: answersNothing, createScreenshotJob: answersNothing })),
  });
  const { setId } = await launched();
  await eventually(async () => expect(await statusOf(setId)).toBe('capturing'));
  await expectFailedAtDeadline(setId);
});

test('a Job that is stuck on a lost node is replaced by the next generation', async () => {
  const hung = new Set<string>();
  const deleted: { name: string; waits: boolean }[] = [];
  const show = (job: CaptureJob | undefined) =>
    job && { ...job, stuck: hung.has(job.name), ...(hung.has(job.name) && { problem: LOST }) };
  const LOST = { reason: 'NodeLost', message: 'The node of set-1 is not ready.' };
  await open({
    wrapCluster: overrideCluster((cluster) => ({
      getJob: async (name) => show(await cluster.getJob(name)),
      async deleteJob(seen, options = {}) {
        deleted.push({ name: seen.name, waits: options.waitForPods === true });
        await cluster.deleteJob(seen, options);
      },
    })),
  });
  const { setId, name } = await launched('hang');
  await eventually(async () => expect((await shop.cluster.getJob(`${name}-1`))?.active).toBe(1));
  await shop.store.db.updateTable('ads').set({ content: 'fine' }).execute();
  hung.add(`${name}-1`);
  await shop.controller.audit();
  await isApproved(setId);
  expect(deleted[0]).toEqual({ name: `${name}-1`, waits: false });
  expect(await jobOf(setId)).toMatchObject({ generation: 2, outcome: 'complete' });
});

test('a set without a started capture is settled, with one text for the client and one for the operator', async () => {
  await open({
    maxPods: 4,
    wrapCluster: overrideCluster((cluster) => ({
      createJob: async (spec) => cluster.createJob({ ...spec, parallelism: 0 }),
      resizeJob: async () => undefined,
      async getJob(name) {
        const job = await cluster.getJob(name);
        return job && { ...job, problem: { reason: 'Unschedulable', message: '0/3 nodes are available.' } };
      },
    })),
  });
  const { setId, name } = await launched();
  await eventually(async () =>
    expect((await shop.cluster.getScreenshotJob(name))?.status?.reason).toBe('Unschedulable'),
  );
  await shop.store.pool.query(`update screenshot_jobs set launched_at = launched_at - interval '601 s'`);
  await shop.controller.audit();
  await eventually(async () => {
    expect((await shop.cluster.getScreenshotJob(name))?.status).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'No capture was started within 600 s. Unschedulable: 0/3 nodes are available.',
    });
  });
  const pictures = await shop.store.db.selectFrom('screenshots').select(['status', 'reason']).execute();
  const reason = 'No capture could be started in time: the cluster had no capacity for it.';
  expect(pictures).toEqual([{ status: 'generic_error', reason }]);
  expect(await statusOf(setId)).toBe('failed');
});

test('a former leader writes nothing to PostgreSQL or to the cluster', async () => {
  expectLoggedErrors(/superseded by a newer leader/);
  const written: string[] = [];
  const superseded = Promise.withResolvers<void>();
  await open({
    onSuperseded: superseded.resolve,
    wrapCluster: overrideCluster((cluster) => ({
      updateStatus: async (seen, status) => {
        written.push(seen.name);
        await cluster.updateStatus(seen, status);
      },
      createJob: async (spec) => {
        written.push(spec.name);
        return cluster.createJob(spec);
      },
      deleteJob: async () => expect.unreachable('A former leader deletes no Job.'),
    })),
  });
  const { setId, name } = await launched('hang');
  await eventually(async () => expect((await shop.cluster.getScreenshotJob(name))?.status?.reason).toBe('Running'));
  await shop.store.db.updateTable('installation').set({ epoch: '1000' }).execute();
  shop.cluster.deleteByHand(name);
  await superseded.promise;
  // A status that was being written when the other leader began may be among these.
  const before = written.length;
  expect(await statusOf(setId)).toBe('capturing');
  const organization = await insertOrganization(shop.store.db);
  const waiting = await insertSet(shop.store.db, organization, {
    pictures: [{ adId: await insertAd(shop.store.db, organization) }],
  });
  await launch(shop.store.db, shop.queue, organization);
  // Its job stays for the leader.
  await eventually(async () => {
    const { rows } = await shop.store.pool.query(
      `select state::text from pgboss.job where name = 'launch' order by created_on desc limit 1`,
    );
    expect(rows).toEqual([{ state: 'retry' }]);
  });
  expect(await statusOf(waiting)).toBe('draft');
  expect(written.length).toBe(before);
});
