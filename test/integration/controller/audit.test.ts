import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/store/database.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch } from '../../support/requests.ts';
import { required } from '../../support/required.ts';
import { openWorkshop, type Workshop } from '../../support/workshop.ts';

let database: TestDatabase;
let shop: Workshop;

beforeEach(async () => {
  database = await testDatabase();
  shop = await openWorkshop({ databaseUrl: database.url });
});

afterEach(async () => {
  await shop.close();
  await database.close();
});

const statusOf = async (id: string) =>
  (await shop.store.db.selectFrom('screenshot_sets').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status;

test('When all memory is lost, everything is made again from Postgres', async () => {
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
  const before = openStore({ url: database.url });
  await before.db.updateTable('ads').set({ content: 'fine' }).execute();
  await before.close();

  shop = await openWorkshop({ databaseUrl: database.url });
  for (const id of sets) await eventually(async () => expect(await statusOf(id)).toBe('approved'));
  const creatives = await shop.store.db.selectFrom('job_creatives').selectAll().execute();
  expect(creatives.map(({ status, claims_lost }) => [status, claims_lost])).toEqual(
    Array.from({ length: 4 }, () => ['rendered', 0]),
  );
});

test('A set and an ad whose launch job was lost are launched all the same', async () => {
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

test('A resource and a Job that were deleted by hand are made again', async () => {
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

test('A pending ad that nothing captures any more fails with a reason', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const forsaken = await insertAd(db, organization);
  const waiting = await insertAd(db, organization, { content: 'hang', source: 'create_ad' });
  await shop.controller.audit();
  const rows = await db.selectFrom('ads').select(['id', 'status', 'reason']).execute();
  expect(rows).toContainEqual({ id: forsaken, status: 'generic_error', reason: 'Nothing captures it any more.' });
  expect(rows).toContainEqual({ id: waiting, status: 'pending', reason: null });
});

test('A delivery without a job in the queue gets one; answers to requests are forgotten after a day', async () => {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const adId = await insertAd(db, organization, {
    content: 'hang',
    source: 'create_ad',
    subscribers: [{ webhook_url: 'https://hooks.example/' }],
  });
  const subscriber = await db.selectFrom('subscribers').selectAll().executeTakeFirstOrThrow();
  const event = randomUUID();
  const delivery = randomUUID();
  const shared = { organization_id: organization.id };
  await db
    .insertInto('events')
    .values({ id: event, ...shared, topic: 'ad.uploaded', body: '{}' })
    .execute();
  await db
    .insertInto('deliveries')
    .values({
      ...{ id: delivery, ...shared, event_id: event, subscriber_id: subscriber.id, ad_id: adId, channel: 'webhook' },
      ...{ target: 'https://hooks.example/', next_attempt_at: new Date(Date.now() - 60_000) },
    })
    .execute();
  for (const [key, hours] of [['old', 25] as const, ['new', 23] as const]) {
    await db
      .insertInto('idempotency_keys')
      .values({
        ...{ ...shared, key, endpoint: 'ads', body_sha256: Buffer.alloc(32), status_code: 201, response: '{}' },
        created_at: new Date(Date.now() - hours * 3_600_000),
      })
      .execute();
  }
  expect(await shop.queue.deliveriesWithoutJob([delivery])).toEqual([delivery]);
  await shop.controller.audit();
  expect(await shop.queue.deliveriesWithoutJob([delivery])).toEqual([]);
  await shop.controller.audit();
  expect((await shop.queue.depth()).find(({ name }) => name === 'deliver')?.depth).toBe(1);
  expect(await db.selectFrom('idempotency_keys').select('key').execute()).toEqual([{ key: 'new' }]);
});
