/** One organization asks for far more than there is room for. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch, type TestOrganization } from '../../support/insertRows.ts';
import { type LocalInstallation, startLocalInstallation } from '../../support/localInstallation.ts';

const LIMITS = { maxPods: 4, maxPodsPerOrganization: 2, parallelism: 2, maxFinishedResources: 5 };
const FLOOD = 24;

let database: TestDatabase;
let shop: LocalInstallation;

beforeEach(async () => {
  database = await testDatabase();
  shop = await startLocalInstallation({ databaseUrl: database.url, settings: LIMITS, maxPods: 4 });
});

afterEach(async () => {
  await shop.close();
  await database.close();
});

async function ask(organization: TestOrganization, sets: number): Promise<string[]> {
  const { db } = shop.store;
  const adId = await insertAd(db, organization);
  const ids: string[] = [];
  for (let i = 0; i < sets; i++) ids.push(await insertSet(db, organization, { pictures: [{ adId }] }));
  await launch(db, shop.queue, organization);
  return ids;
}

const settledAt = async (ids: readonly string[]) => {
  const sets = shop.store.db.selectFrom('screenshot_sets').select('settled_at').where('id', 'in', ids);
  return (await sets.execute()).map(({ settled_at }) => settled_at?.getTime() ?? Number.POSITIVE_INFINITY);
};

/** The most that was there at once, of resources and of pods. */
function measured() {
  const most = { resources: 0, jobs: 0, pods: 0 };
  const watch = shop.cluster.watch(() => {
    void Promise.all([shop.cluster.listScreenshotJobs(), shop.cluster.listJobs()]).then(([resources, jobs]) => {
      most.resources = Math.max(most.resources, resources.length);
      most.jobs = Math.max(most.jobs, jobs.length);
      most.pods = Math.max(
        most.pods,
        jobs.reduce((sum, { active }) => sum + active, 0),
      );
    });
  });
  return { most, watch };
}

test('a flood of sets waits in PostgreSQL, the cluster stays small, and other organizations get their share', {
  timeout: 180_000,
}, async () => {
  const { most, watch } = measured();
  const [flooding, small, tiny] = [
    await insertOrganization(shop.store.db, { slug: 'flooding' }),
    await insertOrganization(shop.store.db, { slug: 'small' }),
    await insertOrganization(shop.store.db, { slug: 'tiny' }),
  ];
  const flood = await ask(flooding, FLOOD);
  const others = [...(await ask(small, 3)), ...(await ask(tiny, 1))];
  await eventually(async () => {
    expect((await settledAt([...flood, ...others])).filter((time) => !Number.isFinite(time))).toEqual([]);
  }, 150_000);
  await watch.close();
  const last = Math.max(...(await settledAt(others)));
  const before = (await settledAt(flood)).filter((time) => time < last).length;
  // Two sets of the flood run at a time, so only a few end before the two rounds of the others.
  expect(before).toBeLessThan(FLOOD / 2);
  expect(most.pods).toBeLessThanOrEqual(LIMITS.maxPods);
  // Those that run, those that are kept for a while, and those that are just being removed.
  expect(most.resources).toBeLessThanOrEqual(2 * (LIMITS.maxPods + LIMITS.maxFinishedResources));
  expect(most.jobs).toBeLessThanOrEqual(3 * LIMITS.maxPods);
});
