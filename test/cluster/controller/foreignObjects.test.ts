/** Other clients in our namespace take a Job name of ours or remove our label. On a real API server. */
import { randomUUID } from 'node:crypto';
import { CustomObjectsApi, type V1Job } from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch } from '../../support/insertRows.ts';
import { type KubernetesInstallation, startKubernetesInstallation } from '../../support/kubernetesInstallation.ts';
import { required } from '../../support/required.ts';
import { expectLoggedErrors } from '../../support/testLog.ts';

let shop: KubernetesInstallation;

let custom: CustomObjectsApi;

beforeEach(async () => {
  shop = await startKubernetesInstallation('strangers');
  custom = shop.namespace.config.makeApiClient(CustomObjectsApi);
});
afterEach(() => shop?.close());

/** A set of one ad on one site, that waits for its launch. */
async function waitingSet(content = 'fine') {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const adId = await insertAd(db, organization, { content });
  const setId = await insertSet(db, organization, { pictures: [{ adId }] });
  return { setId, name: `set-${setId}`, launch: () => launch(db, shop.queue, organization) };
}

const RESOURCE = { group: 'tearsheet.dev', version: 'v1alpha1', plural: 'screenshotjobs' };
const UNLABEL = [{ op: 'remove', path: '/metadata/labels/tearsheet.dev~1installation' }];

const where = () => ({ namespace: shop.namespace.name });
const statusOf = async (id: string) =>
  (await shop.store.db.selectFrom('screenshot_sets').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status;
const jobs = async () => (await shop.batch.listNamespacedJob(where())).items;
const labelOf = async (name: string) => {
  const labels = (await shop.read(name)).metadata['labels'] as Record<string, string>;
  return labels['tearsheet.dev/installation'];
};
const unlabel = (name: string) => custom.patchNamespacedCustomObject({ ...RESOURCE, ...where(), name, body: UNLABEL });
const relabel = (name: string) =>
  custom.patchNamespacedCustomObject({
    ...{ ...RESOURCE, ...where(), name },
    body: [{ ...UNLABEL[0], op: 'replace', value: randomUUID() }],
  });
const remove = (name: string) => custom.deleteNamespacedCustomObject({ ...RESOURCE, ...where(), name });
const isGone = (name: string) => eventually(async () => expect(shop.read(name)).rejects.toMatchObject({ code: 404 }));
const eventsOf = async (name: string) => {
  const { items } = await shop.core.listNamespacedEvent(where());
  return items.filter(({ involvedObject }) => involvedObject.name === name);
};

/** Creates a Job of another owner whose pods are unschedulable. */
async function takeName(name: string): Promise<V1Job> {
  const spec = { restartPolicy: 'Never', nodeSelector: { none: 'such' }, containers: [{ name: 'x', image: 'x' }] };
  return shop.batch.createNamespacedJob({ ...where(), body: { metadata: { name }, spec: { template: { spec } } } });
}

test('a Job of another owner with our name is reported and kept, and the next generation continues', async () => {
  const { setId, name, launch } = await waitingSet();
  const taken = await takeName(`${name}-1`);
  await shop.startController();
  await launch();
  await eventually(async () => expect(await statusOf(setId)).toBe('approved'));
  const event = (await eventsOf(name)).find(({ reason }) => reason === 'JobNameConflict');
  expect(event).toMatchObject({ type: 'Warning' });
  expect(event?.message).toBe(`The name ${name}-1 is taken by a Job that does not belong to this ScreenshotJob.`);
  const left = await shop.batch.readNamespacedJob({ ...where(), name: `${name}-1` });
  expect(left.metadata?.uid).toBe(taken.metadata?.uid);
});

test('a set whose Job names are all taken shows JobNameConflict and continues when one is free', async () => {
  const { setId, name, launch } = await waitingSet();
  for (const generation of [1, 2, 3]) await takeName(`${name}-${generation}`);
  await shop.startController();
  await launch();
  await eventually(async () => {
    const { status } = await shop.read(name);
    expect([status['reason'], status['message']]).toEqual([
      'JobNameConflict',
      `The name ${name}-3 is taken by a Job that does not belong to this ScreenshotJob.`,
    ]);
  });
  await shop.batch.deleteNamespacedJob({ ...where(), name: `${name}-3`, propagationPolicy: 'Background' });
  await eventually(async () => expect(await statusOf(setId)).toBe('approved'));
});

test('a set whose Job names stay taken is settled with that message at its scheduling deadline', async () => {
  const { setId, name, launch } = await waitingSet();
  for (const generation of [1, 2, 3]) await takeName(`${name}-${generation}`);
  const { controller } = await shop.startController();
  await launch();
  await eventually(async () => expect((await shop.read(name)).status['message']).toContain(`${name}-3`));
  await shop.store.pool.query(`update screenshot_jobs set launched_at = launched_at - interval '601 s'`);
  await controller.audit();
  await eventually(async () => expect(await statusOf(setId)).toBe('failed'));
  await eventually(async () => {
    const { status } = await shop.read(name);
    expect(status['reason']).toBe('DeadlineExceeded');
    expect(status['message']).toContain('is taken by a Job that does not belong to this ScreenshotJob');
  });
});

test('a ScreenshotJob that loses its label during its captures gets the label back', async () => {
  await shop.startController();
  const { setId, name, launch } = await waitingSet('hang');
  await launch();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
  const { uid } = (await shop.read(name)).metadata;
  await unlabel(name);
  await eventually(async () => expect(await labelOf(name)).toBe(shop.installation));
  await remove(name);
  await isGone(name);
  expect(await statusOf(setId)).toBe('canceled');
  expect(uid).toBeDefined();
});

test('a ScreenshotJob whose label names another installation gets the label back, running or finished', async () => {
  const { controller } = await shop.startController();
  const { name, launch } = await waitingSet('hang');
  await launch();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
  await relabel(name);
  await eventually(async () => expect(await labelOf(name)).toBe(shop.installation));
  await shop.screenshotJobs.cancel(name);
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Canceled'));
  await relabel(name);
  await eventually(async () => {
    await controller.audit();
    expect(await labelOf(name)).toBe(shop.installation);
  });
});

test('a finished ScreenshotJob that lost its label is found and can be deleted', async () => {
  const { controller } = await shop.startController();
  const { name, launch } = await waitingSet();
  await launch();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Completed'));
  await unlabel(name);
  await remove(name);
  await eventually(async () => {
    await controller.audit();
    await expect(shop.read(name)).rejects.toMatchObject({ code: 404 });
  });
});

test('a ScreenshotJob that lost its label while there was no leader is found by the next leader', async () => {
  const { controller } = await shop.startController();
  const { name, launch } = await waitingSet();
  await launch();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Completed'));
  await controller.stop();
  await unlabel(name);
  await shop.startController();
  await eventually(async () => expect(await labelOf(name)).toBe(shop.installation));
});

test('a Job that lost its label is created again, and its set continues', async () => {
  await shop.startController();
  const { setId, name, launch } = await waitingSet('hang');
  await launch();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
  const [before] = await jobs();
  await shop.batch.patchNamespacedJob({ ...where(), name: `${name}-1`, body: UNLABEL });
  await eventually(async () => {
    const again = (await jobs()).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    expect(again.map(({ metadata }) => [metadata?.name, metadata?.uid === before?.metadata?.uid])).toEqual([
      [`${name}-1`, false],
    ]);
    expect((await shop.read(name)).status['pods']).toBe(1);
  });
  expect(await statusOf(setId)).toBe('capturing');
});

test('a Job that lost its label is deleted after its set is settled', async () => {
  expectLoggedErrors(/superseded by a newer leader/);
  const { controller } = await shop.startController();
  const { setId, name, launch } = await waitingSet('hang');
  await launch();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
  await controller.stop();
  await shop.batch.patchNamespacedJob({ ...where(), name: `${name}-1`, body: UNLABEL });
  await shop.store.pool.query('update screenshot_sets set cancel_requested_at = now() where id = $1', [setId]);
  const next = await shop.startController();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Canceled'));
  await eventually(async () => {
    await next.controller.audit();
    expect(await jobs()).toEqual([]);
  });
});

test('an object that only looks like ours is neither labeled nor deleted', async () => {
  const { controller } = await shop.startController();
  const { name, launch } = await waitingSet('hang');
  await launch();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
  const { spec } = await shop.read(name);
  const other = `set-${required(name.split('set-')[1]).replace(/^./, (first) => (first === '0' ? '1' : '0'))}`;
  const body = { apiVersion: 'tearsheet.dev/v1alpha1', kind: 'ScreenshotJob', metadata: { name: other }, spec };
  await custom.createNamespacedCustomObject({ ...RESOURCE, ...where(), body });
  const labels = { 'tearsheet.dev/screenshotjob': name };
  await takeName('strange');
  await shop.batch.patchNamespacedJob({
    ...{ ...where(), name: 'strange' },
    body: [{ op: 'add', path: '/metadata/labels', value: labels }],
  });
  await controller.audit();
  await controller.audit();
  expect((await shop.read(other)).metadata['labels']).toBeUndefined();
  const strange = await shop.batch.readNamespacedJob({ ...where(), name: 'strange' });
  expect(strange.metadata).toMatchObject({ labels });
  expect(strange.metadata?.deletionTimestamp).toBeUndefined();
});

test('a ScreenshotJob that a person made says why nothing happens', async () => {
  const { controller } = await shop.startController();
  const { name, launch } = await waitingSet();
  await launch();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Completed'));
  const { spec } = await shop.read(name);
  const api = shop.namespace.config.makeApiClient(CustomObjectsApi);
  const kind = { group: 'tearsheet.dev', version: 'v1alpha1' };
  const body = {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: 'ScreenshotJob',
    metadata: { name: 'by-hand' },
    spec,
  };
  await api.createNamespacedCustomObject({ ...kind, plural: 'screenshotjobs', namespace: shop.namespace.name, body });
  await controller.audit();
  const { status } = await shop.read('by-hand');
  expect(status).toMatchObject({
    reason: 'UnknownSet',
    message: expect.stringContaining('Request sets through the API'),
    conditions: [{ type: 'Settled', status: 'False', reason: 'UnknownSet' }],
  });
});
