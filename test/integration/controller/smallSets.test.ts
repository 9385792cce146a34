/** Small sets share captures: the faults of hosts and guests, with the controller, the internal API and fake captures. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readJob } from '../../../src/core/jobs/jobs.ts';
import { eventually } from '../../support/eventually.ts';
import { overrideCluster } from '../../support/overrideCluster.ts';
import { required } from '../../support/required.ts';
import { SmallSetScene } from './smallSetScene.ts';

const scene = new SmallSetScene();

beforeEach(() => scene.open());
afterEach(() => scene.close());

test('small sets of one organization share one Job, and each has its ScreenshotJob and its own result', async () => {
  const sets: string[] = [];
  for (let count = 0; count < 5; count++) sets.push(await scene.insertSmallSet(count === 2 ? 'fail' : 'fine'));
  await scene.launchAll();
  for (const [count, id] of sets.entries()) await scene.hasStatus(id, count === 2 ? 'failed' : 'approved');
  expect(scene.created).toEqual([`set-${sets[0]}-1`]);
  await eventually(async () => {
    for (const [count, id] of sets.entries())
      expect((await scene.shop.cluster.getScreenshotJob(`set-${id}`))?.status?.reason).toBe(
        count === 2 ? 'Failed' : 'Completed',
      );
  });
  await scene.hasNoJobs();
  expect(scene.shop.warnings).toEqual([]);
});

test('a guest that is done before it has a ScreenshotJob gets one', async () => {
  await scene.insertSmallSet();
  const guest = await scene.insertSmallSet();
  await scene.shop.close();
  let failed = false;
  const failOnce = overrideCluster((cluster) => ({
    async createScreenshotJob(name, ...rest) {
      if (name !== `set-${guest}` || failed) return cluster.createScreenshotJob(name, ...rest);
      failed = true;
      await eventually(async () =>
        expect(required(await readJob(scene.shop.store.db, name)).screenshots).toMatchObject({ done: 1 }),
      );
      throw new Error('the API server is restarting');
    },
  }));
  await scene.start({ wrapCluster: failOnce });
  await scene.launchAll();
  await scene.hasStatus(guest, 'approved');
  expect(failed).toBe(true);
  await eventually(async () =>
    expect((await scene.shop.cluster.getScreenshotJob(`set-${guest}`))?.status?.reason).toBe('Completed'),
  );
});

test('a guest whose host crashes gets a Job of its own, and the other sets are not affected', async () => {
  const host = await scene.insertSmallSet();
  const guest = await scene.insertSmallSet('crash once');
  const later = await scene.insertSmallSet();
  await scene.launchAll();
  for (const id of [host, guest, later]) await scene.hasStatus(id, 'approved');
  expect(scene.created).toContain(`set-${guest}-1`);
  expect((await scene.jobOf(guest)).generation).toBe(1);
  expect((await scene.jobOf(host)).outcome).toBe('complete');
  await scene.hasNoJobs();
});

test('a canceled guest ends at once, and its host takes the next set', async () => {
  const { host, guest } = await scene.startGuest();
  const next = await scene.insertSmallSet();
  await scene.launchAll();
  scene.shop.cluster.cancelByHand(`set-${guest}`);
  await scene.hasStatus(guest, 'canceled');
  await scene.hasStatus(next, 'approved');
  expect(scene.created).toEqual([`set-${host}-1`]);
});

test('a guest gets a Job of its own if the ScreenshotJob of its host is deleted', async () => {
  const { host, guest } = await scene.startGuest();
  scene.shop.cluster.deleteByHand(`set-${host}`);
  await scene.hasStatus(guest, 'approved');
  expect(scene.created).toEqual([`set-${host}-1`, `set-${guest}-1`]);
  expect(await scene.statusOf(host)).toBe('approved');
  await eventually(async () => expect(await scene.shop.cluster.getScreenshotJob(`set-${host}`)).toBeUndefined());
});

test('the Job of a host stays while it works on a guest, whose status names it, and ends after it', async () => {
  const { host, guest } = await scene.startGuest();
  await scene.shop.controller.audit();
  await eventually(async () =>
    expect((await scene.shop.cluster.getScreenshotJob(`set-${host}`))?.status).toMatchObject({
      reason: 'Completed',
      pods: 1,
    }),
  );
  await eventually(async () => {
    const status = (await scene.shop.cluster.getScreenshotJob(`set-${guest}`))?.status;
    expect(status).toMatchObject({ reason: 'Running', pods: 0 });
    expect(status?.message).toContain(`set-${host}`);
  });
  expect((await scene.shop.cluster.listJobs()).map(({ name }) => name)).toEqual([`set-${host}-1`]);
  scene.shop.cluster.cancelByHand(`set-${guest}`);
  await scene.hasStatus(guest, 'canceled');
  await scene.hasNoJobs();
});

test('a restart of the process gives the guest a Job of its own', async () => {
  const { guest } = await scene.startGuest();
  await scene.shop.close();
  await scene.start();
  await eventually(() => expect(scene.created.at(-1)).toBe(`set-${guest}-1`));
});
