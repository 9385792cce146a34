import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch } from '../../support/insertRows.ts';
import { type LocalInstallation, PUBLIC_URL, startLocalInstallation } from '../../support/localInstallation.ts';

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

const setOf = (id: string) =>
  shop.store.db.selectFrom('screenshot_sets').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const picturesOf = (id: string) =>
  shop.store.db.selectFrom('screenshots').selectAll().where('set_id', '=', id).orderBy('seq').execute();

test('a set is admitted, captured by child processes and settled with its event', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const fine = await insertAd(db, organization);
  const broken = await insertAd(db, organization, { content: 'fail' });
  const setId = await insertSet(db, organization, {
    pictures: [
      { adId: fine },
      { adId: fine, device: 'mobile', markerMs: 1_000 },
      { adId: fine, site: 'https://blog.example/' },
      { adId: broken },
    ],
    subscribers: [{ webhook_url: 'https://hooks.example/a', s3_bucket: 'bucket', s3_key_prefix: 'ar_' }],
  });
  await launch(db, shop.queue, organization);
  await eventually(async () => expect((await setOf(setId)).status).toBe('approved'));

  expect((await picturesOf(setId)).map(({ status }) => status)).toEqual([
    'uploaded',
    'uploaded',
    'uploaded',
    'ad_not_captured',
  ]);
  const ads = await db.selectFrom('ads').selectAll().orderBy('status').execute();
  expect(ads.map(({ status, reason, width }) => ({ status, reason, width }))).toEqual([
    { status: 'not_found', reason: 'The media answered 404.', width: null },
    { status: 'uploaded', reason: null, width: 300 },
  ]);
  const frames = await db.selectFrom('creative_frames').select(['marker_ms', 'ratio']).orderBy('marker_ms').execute();
  expect(frames.map(({ marker_ms, ratio }) => [marker_ms, Number(ratio)]).sort()).toEqual(
    [
      [-1, 1],
      [1_000, 3],
    ].sort(),
  );
  const event = await db.selectFrom('events').selectAll().executeTakeFirstOrThrow();
  expect(event.topic).toBe('screenshot_set.approved');
  const envelope = JSON.parse(event.body);
  expect(envelope.data.object.screenshots[0].image_url).toMatch(`${PUBLIC_URL}/i/`);
  expect(envelope.data.object.review_notes).toContain('1 of 4');
  const deliveries = await db.selectFrom('deliveries').select(['channel', 'target']).orderBy('channel').execute();
  expect(deliveries).toEqual([
    { channel: 's3', target: 's3://bucket/ar_' },
    { channel: 'webhook', target: 'https://hooks.example/a' },
  ]);
  await eventually(async () => {
    const resource = await shop.cluster.getScreenshotJob(`set-${setId}`);
    expect(resource?.status).toMatchObject({ reason: 'CompletedWithFailures', total: 4, done: 3, failed: 1 });
    expect(await shop.cluster.listJobs()).toEqual([]);
  });
  await eventually(() =>
    expect(shop.counted.toSorted()).toEqual(['ad_not_captured', 'uploaded', 'uploaded', 'uploaded']),
  );
  expect(shop.warnings).toEqual([]);
});

test('ads that are created together share one job, and each notifies its own subscribers', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const ads = [];
  for (let i = 0; i < 3; i++) {
    const subscribers = [{ webhook_url: `https://hooks.example/${i}` }];
    ads.push(await insertAd(db, organization, { source: 'create_ad', subscribers }));
  }
  await launch(db, shop.queue, organization);
  await eventually(async () => {
    const rows = await db.selectFrom('ads').select('status').execute();
    expect(rows.every(({ status }) => status === 'uploaded')).toBe(true);
    expect(await db.selectFrom('screenshot_jobs').select('outcome').execute()).toEqual([{ outcome: 'complete' }]);
  });
  const events = await db.selectFrom('events').selectAll().execute();
  expect(events.map(({ body }) => JSON.parse(body).data.object.id).sort()).toEqual(ads.sort());
  expect(events.every(({ topic }) => topic === 'ad.uploaded')).toBe(true);
  expect(await db.selectFrom('deliveries').select('target').execute()).toHaveLength(3);
});

test('a creative that crashes its renderer three times fails and is not captured again', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const deadly = await insertAd(db, organization, { content: 'crash' });
  const fine = await insertAd(db, organization);
  const setId = await insertSet(db, organization, { pictures: [{ adId: deadly }, { adId: fine }] });
  await launch(db, shop.queue, organization);
  await eventually(async () => expect((await setOf(setId)).status).toBe('approved'));
  expect((await picturesOf(setId)).map(({ status, reason }) => [status, reason])).toEqual([
    ['ad_not_captured', 'It ended the renderer three times.'],
    ['uploaded', null],
  ]);
  expect(shop.counted.toSorted()).toEqual(['ad_not_captured', 'uploaded']);
});
