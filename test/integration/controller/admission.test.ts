import { type RawBuilder, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AdmissionLimits, admitWaiting } from '../../../src/core/jobs/admission.ts';
import { chooseQuotas } from '../../../src/core/organizations/operator.ts';
import type { Store } from '../../../src/db/database.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../../support/insertRows.ts';
import { testStore } from '../../support/testStore.ts';

const LIMITS = { maxPods: 6, maxPodsPerOrganization: 3, parallelism: 2, setDeadlineSeconds: 600 };

let store: Store;

beforeEach(async () => {
  store = await testStore();
});

afterEach(() => store.close());

const admit = async (limits = LIMITS) =>
  (await store.db.transaction().execute((tx) => admitWaiting(tx, limits, { reached: [] }))).admitted;
const onePictureSet = async (organization: TestOrganization) =>
  insertSet(store.db, organization, { pictures: [{ adId: await insertAd(store.db, organization) }] });

test('three organizations share the limit, however much one of them requests', async () => {
  const [large, small, tiny] = [
    await insertOrganization(store.db, { slug: 'large' }),
    await insertOrganization(store.db, { slug: 'small' }),
    await insertOrganization(store.db, { slug: 'tiny' }),
  ];
  for (let i = 0; i < 30; i++) await onePictureSet(large);
  for (let i = 0; i < 5; i++) await onePictureSet(small);
  await onePictureSet(tiny);
  expect(await admit()).toHaveLength(6);
  const jobs = await store.db
    .selectFrom('screenshot_jobs')
    .innerJoin('organizations', 'organizations.id', 'organization_id')
    .select('slug')
    .orderBy('slug')
    .execute();
  expect(jobs.map(({ slug }) => slug)).toEqual(['large', 'large', 'large', 'small', 'small', 'tiny']);
  expect(await admit()).toEqual([]);
  // The first one that ends admits one more, of the organization with the fewest captures.
  await store.db
    .updateTable('screenshot_jobs')
    .set({ settled_at: new Date() })
    .where('organization_id', '=', large.id)
    .execute();
  expect(await admit()).toHaveLength(3);
  const running = await store.db
    .selectFrom('screenshot_jobs')
    .select((eb) => ['organization_id', eb.fn.countAll<string>().as('count')])
    .where('settled_at', 'is', null)
    .groupBy('organization_id')
    .execute();
  expect(new Map(running.map(({ organization_id, count }) => [organization_id, Number(count)]))).toEqual(
    new Map([
      [large.id, 2],
      [small.id, 3],
      [tiny.id, 1],
    ]),
  );
});

test('two concurrent admissions create each job once', async () => {
  const organization = await insertOrganization(store.db);
  for (let i = 0; i < 3; i++) await insertAd(store.db, organization, { source: 'create_ad' });
  await onePictureSet(organization);
  const all = await Promise.all([admit(), admit(), admit(), admit()]);
  expect(
    all
      .flat()
      .map(({ name }) => name.slice(0, 4))
      .sort(),
  ).toEqual(['ads-', 'set-']);
  expect(await store.db.selectFrom('screenshot_jobs').selectAll().execute()).toHaveLength(2);
});

test('a set becomes a job with an index for each page and creatives with all their markers', async () => {
  const organization = await insertOrganization(store.db);
  const adId = await insertAd(store.db, organization);
  const setId = await insertSet(store.db, organization, {
    pictures: [
      { adId, markerMs: 0 },
      { adId, markerMs: 1_000 },
      { adId, markerMs: 1_000, site: 'https://b.example/' },
      { adId, markerMs: 2_000, site: 'https://b.example/', device: 'Google Pixel 4' },
    ],
  });
  const [job] = await admit();
  expect(job?.name).toBe(`set-${setId}`);
  const pictures = await store.db.selectFrom('screenshots').select('job_index').orderBy('seq').execute();
  expect(pictures.map(({ job_index }) => job_index)).toEqual([0, 0, 1, 2]);
  expect(await store.db.selectFrom('job_indexes').select(['index', 'attempt']).orderBy('index').execute()).toEqual([
    { index: 0, attempt: 0 },
    { index: 1, attempt: 0 },
    { index: 2, attempt: 0 },
  ]);
  const [creative] = await store.db.selectFrom('job_creatives').selectAll().execute();
  expect(creative?.wanted).toEqual([
    { marker_ms: 0, ratio: 1 },
    { marker_ms: 1_000, ratio: 1 },
    { marker_ms: 2_000, ratio: 2.75 },
  ]);
  expect(await store.db.selectFrom('screenshot_sets').select('status').execute()).toEqual([{ status: 'capturing' }]);
});

test('ads that arrive together are admitted in groups of twenty, and a single ad at once', async () => {
  const organization = await insertOrganization(store.db);
  for (let i = 0; i < 21; i++) await insertAd(store.db, organization, { source: 'create_ad' });
  await insertAd(store.db, organization);
  const jobs = await admit();
  expect(jobs.map(({ name }) => name.slice(0, 4))).toEqual(['ads-', 'ads-']);
  const sizes = await store.db
    .selectFrom('job_creatives')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .groupBy('job_id')
    .orderBy('count')
    .execute();
  expect(sizes.map(({ count }) => Number(count))).toEqual([1, 20]);
  expect(await admit()).toEqual([]);
});

test('a set that needs more pods than are free gets the free ones', async () => {
  const organization = await insertOrganization(store.db);
  const adId = await insertAd(store.db, organization);
  const pictures = ['a', 'b', 'c', 'd'].map((site) => ({ adId, site: `https://${site}.example/` }));
  await insertSet(store.db, organization, { pictures });
  await insertSet(store.db, organization, { pictures });
  await admit();
  const jobs = await store.db.selectFrom('screenshot_jobs').select('parallelism').orderBy('admitted_at').execute();
  expect(jobs.map(({ parallelism }) => parallelism).sort()).toEqual([1, 2]);
});

test('a set gets the places that become free, unless another set waits for them', async () => {
  const organization = await insertOrganization(store.db);
  const adId = await insertAd(store.db, organization);
  const insert = (sites: string) =>
    insertSet(store.db, organization, {
      pictures: [...sites].map((one) => ({ adId, site: `https://${one}.example/` })),
    });
  const first = await insert('ab');
  const second = await insert('cde');
  const third = await insert('f');
  const limits = { ...LIMITS, maxPods: 3, parallelism: 3 };
  const grow = () => store.db.transaction().execute((tx) => admitWaiting(tx, limits, { reached: [] }));
  const parallelismOf = async (setId: string) =>
    (await store.db.selectFrom('screenshot_jobs').select('parallelism').where('set_id', '=', setId).executeTakeFirst())
      ?.parallelism;
  const settle = (setId: string) =>
    store.db.updateTable('screenshot_jobs').set({ settled_at: new Date() }).where('set_id', '=', setId).execute();
  expect(await grow()).toMatchObject({ grown: [] });
  expect([await parallelismOf(first), await parallelismOf(second)]).toEqual([2, 1]);
  await settle(first);
  expect(await grow()).toMatchObject({ admitted: [{ name: `set-${third}` }], grown: [] });
  expect(await grow()).toMatchObject({ grown: [`set-${second}`] });
  expect(await parallelismOf(second)).toBe(2);
  await settle(third);
  await sql`update job_indexes set started_at = now() where index > 0`.execute(store.db);
  expect(await grow()).toMatchObject({ grown: [`set-${second}`] });
  expect(await grow()).toMatchObject({ grown: [] });
  expect(await parallelismOf(second)).toBe(3);
});

test('a set grows within the limit of its organization, and to at most one pod for each index that has not finished', async () => {
  const organization = await insertOrganization(store.db);
  const adId = await insertAd(store.db, organization);
  const pictures = ['a', 'b', 'c'].map((one) => ({ adId, site: `https://${one}.example/` }));
  const setId = await insertSet(store.db, organization, { pictures });
  const grow = async (limits: Partial<AdmissionLimits>) => {
    const all = { ...LIMITS, maxPods: 20, maxPodsPerOrganization: 20, parallelism: 10, ...limits };
    await store.db.transaction().execute((tx) => admitWaiting(tx, all, { reached: [] }));
    const job = store.db.selectFrom('screenshot_jobs').select('parallelism').where('set_id', '=', setId);
    return (await job.executeTakeFirstOrThrow()).parallelism;
  };
  expect(await grow({ maxPods: 2 })).toBe(2);
  expect(await grow({ maxPodsPerOrganization: 2 })).toBe(2);
  const setIndexes = (set: RawBuilder<unknown>) => sql`update job_indexes set ${set} where index = 0`.execute(store.db);
  await setIndexes(sql`started_at = now(), finished_at = now()`);
  expect(await grow({})).toBe(2);
  await setIndexes(sql`started_at = null, finished_at = null`);
  expect(await grow({ fixedParallelism: true })).toBe(2);
  expect(await grow({})).toBe(3);
});

test('the own quota of an organization replaces the limit of the others', async () => {
  const [few, many] = [
    await insertOrganization(store.db, { slug: 'few' }),
    await insertOrganization(store.db, { slug: 'many' }),
  ];
  for (let i = 0; i < 6; i++) {
    await onePictureSet(few);
    await onePictureSet(many);
  }
  await chooseQuotas(store.db, 'few', { running_captures: 1 });
  await chooseQuotas(store.db, 'many', { running_captures: 5 });
  await admit();
  const running = await store.db.selectFrom('screenshot_jobs').select('organization_id').execute();
  const of = (id: string) => running.filter(({ organization_id }) => organization_id === id).length;
  expect([of(few.id), of(many.id)]).toEqual([1, 5]);
});

test('an urgent set is admitted before many that wait longer', async () => {
  const organization = await insertOrganization(store.db);
  for (let i = 0; i < 25; i++) await onePictureSet(organization);
  const urgent = await onePictureSet(organization);
  await store.db.updateTable('screenshot_sets').set({ priority: 'high' }).where('id', '=', urgent).execute();
  const [first] = await admit();
  expect(first?.name).toBe(`set-${urgent}`);
});
