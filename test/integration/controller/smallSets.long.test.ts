/** Rarer faults of hosts and guests than those of smallSets.test.ts. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { insertOrganization } from '../../support/insertRows.ts';
import { SmallSetScene } from './smallSetScene.ts';

const scene = new SmallSetScene();

beforeEach(() => scene.open());
afterEach(() => scene.close());

test('small sets of two organizations do not share a capture', async () => {
  const other = await insertOrganization(scene.shop.store.db);
  const mine = [await scene.insertSmallSet(), await scene.insertSmallSet()];
  const theirs = await scene.insertSmallSet('fine', other);
  await scene.launchAll();
  for (const id of [...mine, theirs]) await scene.hasStatus(id, 'approved');
  expect(scene.created.toSorted()).toEqual([`set-${mine[0]}-1`, `set-${theirs}-1`].toSorted());
});

test('a creative that crashes every capture fails alone', async () => {
  const host = await scene.insertSmallSet();
  const guest = await scene.insertSmallSet('crash');
  const later = await scene.insertSmallSet();
  await scene.launchAll();
  await scene.hasStatus(guest, 'failed');
  for (const id of [host, later]) await scene.hasStatus(id, 'approved');
});

test('the deletion of the ScreenshotJob of a guest cancels only the guest', async () => {
  const { host, guest } = await scene.startGuest();
  const next = await scene.insertSmallSet();
  await scene.launchAll();
  scene.shop.cluster.deleteByHand(`set-${guest}`);
  await scene.hasStatus(guest, 'canceled');
  await scene.hasStatus(next, 'approved');
  expect(await scene.statusOf(host)).toBe('approved');
  await eventually(async () => expect(await scene.shop.cluster.getScreenshotJob(`set-${guest}`)).toBeUndefined());
});

test('a guest gets a Job of its own if its host loses its lease', async () => {
  const { host, guest } = await scene.startGuest();
  const { id } = await scene.jobOf(host);
  await scene.shop.store.db
    .updateTable('job_indexes')
    .set({ hosting_until: new Date(0) })
    .where('job_id', '=', id)
    .execute();
  await scene.shop.controller.audit();
  await scene.hasStatus(guest, 'approved');
  expect(scene.created).toContain(`set-${guest}-1`);
});

test('a guest that its host does not open gets a Job of its own', async () => {
  const { guest } = await scene.startGuest();
  // As if the capture had been lost between the answer and its next call.
  const { id } = await scene.jobOf(guest);
  const db = scene.shop.store.db;
  await db.updateTable('job_indexes').set({ started_at: null }).where('job_id', '=', id).execute();
  await db
    .updateTable('screenshot_jobs')
    .set({ hosted_at: new Date(0) })
    .where('id', '=', id)
    .execute();
  await scene.shop.controller.audit();
  await scene.hasStatus(guest, 'approved');
  expect(scene.created).toContain(`set-${guest}-1`);
});

test('the deadline of a guest ends it, and its host takes the next set', async () => {
  const { guest } = await scene.startGuest();
  const next = await scene.insertSmallSet();
  await scene.shop.store.db
    .updateTable('screenshot_jobs')
    .set({ deadline_at: new Date(0) })
    .where('set_id', '=', guest)
    .execute();
  await scene.launchAll();
  await scene.shop.controller.audit();
  await scene.hasStatus(guest, 'failed');
  await scene.hasStatus(next, 'approved');
});
