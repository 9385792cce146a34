/** As test/verify/localCrashes.test.ts, once over a real API server: a controller ends with each call that it makes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesCluster } from '../../src/cluster/kubernetes/kubernetesCluster.ts';
import { admitWaiting } from '../../src/core/jobs/admission.ts';
import { CrashingController, SETTINGS } from '../support/crashingController.ts';
import { eventually } from '../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../support/insertRows.ts';
import { type KubernetesInstallation, startKubernetesInstallation } from '../support/kubernetesInstallation.ts';
import { required } from '../support/required.ts';
import { simulateIndex } from '../support/simulatedIndex.ts';

let shop: KubernetesInstallation;
let cluster: KubernetesCluster;
let organization: TestOrganization;

beforeAll(async () => {
  shop = await startKubernetesInstallation('crashes');
  shop.fakeKubelet.startsPods = false;
  cluster = await shop.connect();
  organization = await insertOrganization(shop.store.db);
});

afterAll(() => shop?.close());

async function admitted() {
  const { db } = shop.store;
  const setId = await insertSet(db, organization, { pictures: [{ adId: await insertAd(db, organization) }] });
  const limits = { ...SETTINGS, maxPods: 1_000_000, maxPodsPerOrganization: 1_000_000 };
  const job = required((await db.transaction().execute((tx) => admitWaiting(tx, limits, { reached: [] }))).admitted[0]);
  return { setId, ...job };
}

type Job = Awaited<ReturnType<typeof admitted>>;

const pass = (seconds: number, { jobId }: Job) =>
  shop.store.pool.query(
    `update screenshot_jobs set settled_at = settled_at - make_interval(secs => $1) where id = $2`,
    [seconds, jobId],
  );

async function outcome({ setId, jobId, name }: Job) {
  const { db } = shop.store;
  const resource = await cluster.getScreenshotJob(name);
  const status = resource?.status && {
    reason: resource.status.reason,
    progress: resource.status.progress,
    pods: resource.status.pods,
  };
  const columns = ['outcome', 'generation'] as const;
  return {
    set: await db.selectFrom('screenshot_sets').select('status').where('id', '=', setId).executeTakeFirst(),
    job: await db.selectFrom('screenshot_jobs').select(columns).where('id', '=', jobId).executeTakeFirst(),
    resource: resource && { deleting: resource.deleting, status },
    jobs: (await cluster.listJobs()).map((job) => job.name.replace(name, 'set')),
  };
}

/** Captured, shown for a while, and forgotten: what is there at each of its stations. */
async function run(last?: number) {
  const world = { databaseUrl: shop.database.url, db: shop.store.db, queue: shop.queue, cluster };
  const controller = new CrashingController(world, last);
  const job = await admitted();
  const { jobId, name } = job;
  const eventContext = { queue: shop.queue, publicUrl: SETTINGS.publicUrl };
  const stations: unknown[] = [];
  const rest = async (isThere: () => Promise<unknown>) => {
    // A cluster does its part in its own time.
    await eventually(async () => {
      await controller.reconcileUntilIdle(name);
      await isThere();
    });
    stations.push(await outcome(job));
  };
  try {
    await rest(async () => expect((await cluster.getScreenshotJob(name))?.status?.pods).toBe(1));
    await simulateIndex(shop.store.db, { jobId, index: 0, eventContext });
    await rest(async () => {
      expect((await cluster.getScreenshotJob(name))?.status).toMatchObject({ reason: 'Completed', pods: 1 });
    });
    await pass(11, job);
    await rest(async () => {
      expect(await cluster.getJob(`${name}-1`)).toBeUndefined();
      expect((await cluster.getScreenshotJob(name))?.status?.pods).toBe(0);
    });
    await pass(601, job);
    await rest(async () => expect(await cluster.getScreenshotJob(name)).toBeUndefined());
    return { calls: controller.calls, hasEnded: controller.hasCrashed, stations };
  } finally {
    await controller.close();
  }
}

test('A controller that ends at any call is followed by one that reaches the same state', {
  timeout: 400_000,
}, async () => {
  const whole = await run();
  expect(whole.stations).toHaveLength(4);
  let last = 1;
  for (; ; last++) {
    const broken = await run(last);
    if (!broken.hasEnded) break;
    expect(broken.stations, `ended with call ${last}, ${broken.calls.at(-1)}`).toEqual(whole.stations);
  }
  expect(last).toBeGreaterThan(20);
});
