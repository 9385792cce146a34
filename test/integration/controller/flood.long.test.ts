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

async function ask(organization: TestOrganization, sets: number, content: string): Promise<string[]> {
  const { db } = shop.store;
  const adId = await insertAd(db, organization, { content });
  const ids: string[] = [];
  for (let i = 0; i < sets; i++) ids.push(await insertSet(db, organization, { pictures: [{ adId }] }));
  await launch(db, shop.queue, organization);
  return ids;
}

const countSettled = async (ids: readonly string[]) => {
  const sets = shop.store.db.selectFrom('screenshot_sets').select('settled_at').where('id', 'in', ids);
  return (await sets.execute()).filter(({ settled_at }) => settled_at !== null).length;
};

/** The most that ran at once, of jobs and of pods. */
function measured() {
  const most = { jobs: 0, pods: 0 };
  const running = new Set<Promise<void>>();
  const measure = async () => {
    const { db } = shop.store;
    const unsettled = await db.selectFrom('screenshot_jobs').select('id').where('settled_at', 'is', null).execute();
    most.jobs = Math.max(most.jobs, unsettled.length);
    const jobs = await shop.cluster.listJobs();
    const pods = jobs.reduce((sum, { active }) => sum + active, 0);
    most.pods = Math.max(most.pods, pods);
  };
  const watch = shop.cluster.watch(() => {
    const measuring = measure().finally(() => running.delete(measuring));
    running.add(measuring);
  });
  const close = async () => {
    await watch.close();
    await Promise.all(running);
  };
  return { most, close };
}

test('a flood of sets waits in PostgreSQL, the cluster stays small, and other organizations get their share', async () => {
  const { most, close } = measured();
  const { db } = shop.store;
  const [flooding, small, tiny] = [
    await insertOrganization(db, { slug: 'flooding' }),
    await insertOrganization(db, { slug: 'small' }),
    await insertOrganization(db, { slug: 'tiny' }),
  ];
  // The captures of the flood do not end until the others have ended.
  const flood = await ask(flooding, FLOOD, 'hang');
  const others = [...(await ask(small, 3, 'fine')), ...(await ask(tiny, 1, 'fine'))];
  await eventually(async () => expect(await countSettled(others)).toBe(others.length));
  expect(await countSettled(flood)).toBe(0);
  await db.updateTable('ads').set({ content: 'fine' }).execute();
  for (const job of await shop.cluster.listJobs()) await shop.cluster.deleteJob(job);
  await eventually(async () => expect(await countSettled(flood)).toBe(FLOOD), 250_000);
  await close();
  expect(most.pods).toBeLessThanOrEqual(LIMITS.maxPods);
  // A Job whose pods have ended stays a moment longer.
  expect(most.jobs).toBeLessThanOrEqual(2 * LIMITS.maxPods);
  // The finished ones are removed.
  await shop.controller.audit();
  await eventually(async () => {
    expect(await shop.cluster.listJobs()).toEqual([]);
    expect((await shop.cluster.listScreenshotJobs()).length).toBeLessThanOrEqual(LIMITS.maxFinishedResources);
  });
});
