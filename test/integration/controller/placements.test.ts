/** The job of a placement, with the controller, the internal API and fake captures. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import {
  haveAllBegun,
  insertAd,
  insertOrganization,
  insertPlacement,
  insertSet,
  launch,
  type TestOrganization,
} from '../../support/insertRows.ts';
import { type LocalInstallation, startLocalInstallation } from '../../support/localInstallation.ts';

let database: TestDatabase;
let shop: LocalInstallation;
let organization: TestOrganization;

beforeEach(async () => {
  database = await testDatabase();
  shop = await startLocalInstallation({
    ...{ databaseUrl: database.url, hosts: true, maxPods: 1 },
    settings: { parallelism: 1, retries: 0 },
  });
  organization = await insertOrganization(shop.store.db);
});

afterEach(async () => {
  await shop.close();
  await database.close();
});

const insert = (host: string) => insertPlacement(shop.store.db, organization, { site: `https://${host}.example/` });
const launchAll = () => launch(shop.store.db, shop.queue, organization);
const placementOf = (id: string) =>
  shop.store.db.selectFrom('placements').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const hasResult = (id: string, result: object) =>
  eventually(async () => expect(await placementOf(id)).toMatchObject(result));

test('a placement gets a ScreenshotJob of its own, which counts one picture', async () => {
  const id = await insert('news');
  await launchAll();
  await hasResult(id, { status: 'uploaded', reason: null, image_token: expect.any(String) });
  await eventually(async () => {
    const resource = await shop.cluster.getScreenshotJob(`placement-${id}`);
    expect(resource?.spec).toMatchObject({ job: id, ads: 0, screenshots: 1, batches: 1 });
    expect(resource?.status).toMatchObject({ reason: 'Completed', progress: '1/1' });
  });
});

test('a capture that has finished a small set takes the placement that waits', async () => {
  const setId = await insertSet(shop.store.db, organization, {
    pictures: [{ adId: await insertAd(shop.store.db, organization) }],
  });
  const id = await insert('news');
  await launchAll();
  await hasResult(id, { status: 'uploaded' });
  const job = await shop.store.db
    .selectFrom('screenshot_jobs as guest')
    .innerJoin('screenshot_jobs as host', 'host.id', 'guest.host_job_id')
    .select('host.set_id')
    .where('guest.id', '=', id)
    .executeTakeFirst();
  expect(job?.set_id).toBe(setId);
});

test('a placement whose captures end again and again without a result fails with the reason', async () => {
  const id = await insert('crash');
  await launchAll();
  await hasResult(id, { status: 'generic_error', reason: expect.stringContaining('capture') });
});

test('a placement that hangs fails at the deadline of its job', async () => {
  const id = await insert('hang');
  await launchAll();
  await eventually(async () => expect(await haveAllBegun(shop.store.db)).toBe(true));
  await shop.store.db
    .updateTable('screenshot_jobs')
    .set({ deadline_at: new Date(0) })
    .execute();
  await shop.controller.audit();
  await hasResult(id, { status: 'net_read_timeout', reason: expect.stringContaining('was not finished within') });
});

test('a placement whose ScreenshotJob a person deletes is canceled', async () => {
  const id = await insert('hang');
  await launchAll();
  await eventually(async () => expect(await haveAllBegun(shop.store.db)).toBe(true));
  shop.cluster.deleteByHand(`placement-${id}`);
  await hasResult(id, { status: 'canceled', reason: 'The capture was canceled.' });
});
