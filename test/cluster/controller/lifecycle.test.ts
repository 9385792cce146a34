/** ScreenshotJobs on a real API server, from their launch to their end, whichever end that is. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch } from '../../support/insertRows.ts';
import { type KubernetesInstallation, startKubernetesInstallation } from '../../support/kubernetesInstallation.ts';
import { required } from '../../support/required.ts';
import { expectLoggedErrors } from '../../support/testLog.ts';

let shop: KubernetesInstallation;

beforeEach(async () => {
  shop = await startKubernetesInstallation('life');
});

afterEach(() => shop?.close());

async function launched(contents: readonly string[] = ['fine', 'fine']) {
  const { db } = shop.store;
  const organization = await insertOrganization(db);
  const pictures = [];
  for (const [i, content] of contents.entries()) {
    pictures.push({ adId: await insertAd(db, organization, { content }), site: `https://${i}.example/` });
  }
  const setId = await insertSet(db, organization, { pictures });
  await launch(db, shop.queue, organization);
  return { setId, name: `set-${setId}` };
}

const statusOf = async (id: string) =>
  (await shop.store.db.selectFrom('screenshot_sets').select('status').where('id', '=', id).executeTakeFirstOrThrow())
    .status;
const picturesOf = (id: string) =>
  shop.store.db.selectFrom('screenshots').select('status').where('set_id', '=', id).orderBy('seq').execute();
const jobs = async () => (await shop.batch.listNamespacedJob({ namespace: shop.namespace.name })).items;
const pods = async () => (await shop.core.listNamespacedPod({ namespace: shop.namespace.name })).items;
const isGone = async (name: string) => expect(shop.read(name)).rejects.toMatchObject({ code: 404 });
const conditions = ({ status }: { status: Record<string, unknown> }) =>
  new Map(
    (status['conditions'] as { type: string; status: string; reason: string }[]).map((each) => [each.type, each]),
  );

test('a set becomes a ScreenshotJob with a Job and pods, and only the ScreenshotJob stays with the result', async () => {
  await shop.startController();
  const { setId, name } = await launched();
  await eventually(async () => expect(await statusOf(setId)).toBe('approved'));
  await eventually(async () => {
    const resource = await shop.read(name);
    expect(resource.status).toMatchObject({ reason: 'Completed', progress: '2/2', done: 2, failed: 0, pods: 0 });
    expect(await jobs()).toEqual([]);
  });
  const resource = await shop.read(name);
  for (const type of ['AdsCaptured', 'SitesCaptured', 'Settled', 'Succeeded'])
    expect(conditions(resource).get(type)?.status).toBe('True');
  // The Event is written after the status.
  await eventually(async () => {
    const { items } = await shop.core.listNamespacedEvent({ namespace: shop.namespace.name });
    const reasons = items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason);
    expect(reasons).toContain('Completed');
  });
  expect(shop.warnings).toEqual([]);
});

test('a finished ScreenshotJob can be deleted although no controller runs any more', async () => {
  const { controller } = await shop.startController();
  const { name } = await launched(['fine']);
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Completed'));
  await eventually(async () => expect((await shop.read(name)).metadata['finalizers']).toBeUndefined());
  await controller.stop();
  await shop.screenshotJobs.delete(name);
  await eventually(() => isGone(name));
});

test('a running set whose ScreenshotJob is deleted is settled as canceled before the ScreenshotJob is released', async () => {
  await shop.startController();
  const { setId, name } = await launched(['fine', 'hang']);
  await eventually(async () => expect((await picturesOf(setId)).map(({ status }) => status)).toContain('uploaded'));
  expect((await shop.read(name)).metadata['finalizers']).toEqual(['tearsheet.dev/settle']);
  await shop.screenshotJobs.delete(name);
  await eventually(() => isGone(name));
  expect(await statusOf(setId)).toBe('canceled');
  expect((await picturesOf(setId)).map(({ status }) => status)).toEqual(['uploaded', 'canceled']);
  expect([await jobs(), await pods()]).toEqual([[], []]);
});

test('the Job of a running set gets the pods of a set that ended', async () => {
  await shop.startController({ maxPods: 3, maxPodsPerOrganization: 3, parallelism: 2 });
  const first = await launched(['hang', 'hang']);
  await eventually(async () => expect((await shop.read(first.name)).status).toMatchObject({ pods: 2 }));
  const second = await launched(['hang', 'hang']);
  await eventually(async () => expect((await shop.read(second.name)).status).toMatchObject({ pods: 1 }));
  await shop.screenshotJobs.cancel(first.name);
  await eventually(async () => expect((await shop.read(second.name)).status).toMatchObject({ pods: 2 }));
  expect((await jobs()).map(({ spec }) => spec?.parallelism)).toEqual([2]);
});

test('spec.cancel ends the pods and settles the set, and the ScreenshotJob stays with the result', async () => {
  await shop.startController();
  const { setId, name } = await launched(['hang']);
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
  await shop.screenshotJobs.cancel(name);
  await eventually(async () => {
    expect((await shop.read(name)).status).toMatchObject({ reason: 'Canceled', pods: 0, progress: '0/1' });
    expect([await jobs(), await pods()]).toEqual([[], []]);
  });
  expect(await statusOf(setId)).toBe('canceled');
  const { type, status } = required(conditions(await shop.read(name)).get('Settled'));
  expect([type, status]).toEqual(['Settled', 'True']);
});

test('the deletion of the namespace cancels no set, and after its Jobs are deleted nothing of ours blocks it', async () => {
  expectLoggedErrors(/could not be reconciled/);
  await shop.startController();
  const { setId, name } = await launched(['hang']);
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Running'));
  await shop.namespace.remove();
  await eventually(async () =>
    expect((await pods()).filter(({ metadata }) => !metadata?.deletionTimestamp)).toEqual([]),
  );
  expect(await statusOf(setId)).toBe('capturing');
  // The Job keeps the namespace, because it cannot replace its pod. Cleanup or an operator deletes it.
  await shop.batch.deleteCollectionNamespacedJob({ namespace: shop.namespace.name, propagationPolicy: 'Background' });
  await shop.namespace.remove({ waits: true });
  expect(await statusOf(setId)).toBe('capturing');
});

test('a ScreenshotJob that we deleted and a Job that an operator deleted are created again', async () => {
  const { cluster } = await shop.startController();
  const { setId, name } = await launched(['hang']);
  const first = await eventually(async () => {
    expect((await shop.read(name)).status['reason']).toBe('Running');
    return required(await cluster.getScreenshotJob(name));
  });
  await cluster.deleteScreenshotJob(first);
  await eventually(async () => {
    const { metadata, status } = await shop.read(name);
    expect([metadata['uid'] === first.uid, status['reason'], status['pods']]).toEqual([false, 'Running', 1]);
  });
  const before = required((await jobs())[0]?.metadata);
  const propagationPolicy = 'Background';
  await shop.batch.deleteNamespacedJob({ name: before.name ?? '', namespace: shop.namespace.name, propagationPolicy });
  await eventually(async () => {
    const again = (await jobs())[0]?.metadata;
    expect([again?.name, again?.uid === before.uid]).toEqual([before.name, false]);
    expect((await shop.read(name)).status['pods']).toBe(1);
  });
  expect(await statusOf(setId)).toBe('capturing');
});

test('a set without quota shows QuotaExceeded and continues when the quota is lifted', async () => {
  const { namespace } = shop;
  const hard = { 'count/jobs.batch': '0' };
  await shop.core.createNamespacedResourceQuota({
    namespace: namespace.name,
    body: { metadata: { name: 'none' }, spec: { hard } },
  });
  await eventually(async () => {
    const quota = await shop.core.readNamespacedResourceQuotaStatus({ name: 'none', namespace: namespace.name });
    expect(quota.status?.hard).toEqual(hard);
  });
  await shop.startController();
  const { setId, name } = await launched(['fine']);
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('QuotaExceeded'));
  expect((await shop.read(name)).status['message']).toContain('count/jobs.batch');
  await shop.core.deleteNamespacedResourceQuota({ name: 'none', namespace: namespace.name });
  await eventually(async () => expect(await statusOf(setId)).toBe('approved'));
  const job = await shop.store.db.selectFrom('screenshot_jobs').selectAll().executeTakeFirstOrThrow();
  expect(job).toMatchObject({ generation: 1, outcome: 'complete' });
});

test('a Job that its queue suspends has no scheduling deadline until it is resumed', async () => {
  shop.fakeKubelet.startsPods = false;
  const { controller } = await shop.startController({}, { queueName: 'captures' });
  const { setId, name } = await launched(['fine']);
  await eventually(async () => {
    const { status } = await shop.read(name);
    expect([status['reason'], status['pods']]).toEqual(['Suspended', 0]);
    expect(status['message']).toContain('"captures"');
  });
  const passed = () => shop.store.pool.query(`update screenshot_jobs set launched_at = launched_at - interval '601 s'`);
  const job = () => shop.store.db.selectFrom('screenshot_jobs').selectAll().executeTakeFirstOrThrow();
  const suspend = async (value: boolean) => {
    const body = [{ op: 'replace', path: '/spec/suspend', value }];
    await shop.batch.patchNamespacedJob({ name: `${name}-1`, namespace: shop.namespace.name, body });
  };
  await eventually(async () => expect((await job()).launched_at).toBeNull());
  await passed();
  await controller.audit();
  expect(await statusOf(setId)).toBe('capturing');

  await suspend(false);
  await eventually(async () => expect((await job()).launched_at).not.toBeNull());
  await suspend(true);
  await eventually(async () => expect((await job()).launched_at).toBeNull());
  await suspend(false);
  await eventually(async () => expect((await job()).launched_at).not.toBeNull());
  await passed();
  await controller.audit();
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('DeadlineExceeded'));
  expect(await statusOf(setId)).toBe('failed');
});

test('a set whose pods are unschedulable shows it until one runs, and is settled with that message if none does', async () => {
  shop.fakeKubelet.startsPods = false;
  const { controller } = await shop.startController();
  const { setId, name } = await launched(['fine']);
  const message = '0/1 nodes are available: 1 Insufficient memory.';
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
  await eventually(async () => expect(await shop.fakeKubelet.setPendingPodStatus({ conditions })).toBe(1));
  await eventually(async () => {
    const { status } = await shop.read(name);
    expect([status['reason'], status['pods']]).toEqual(['Unschedulable', 1]);
    expect(status['message']).toContain(message);
  });
  const lost = await launched(['fine']);
  await eventually(async () => {
    await shop.fakeKubelet.setPendingPodStatus({ conditions });
    expect((await shop.read(lost.name)).status['reason']).toBe('Unschedulable');
  });
  // More than the scheduling deadline passes on Postgres's clock, for that one.
  await shop.store.pool.query(
    `update screenshot_jobs set launched_at = launched_at - interval '601 s' where set_id = $1`,
    [lost.setId],
  );
  await controller.audit();
  await eventually(async () => {
    const { status } = await shop.read(lost.name);
    expect(status['reason']).toBe('DeadlineExceeded');
    expect(status['message']).toMatch(/^No capture was started within 600 s\. Unschedulable: /);
    expect(status['message']).toContain(message);
  });
  expect(await statusOf(lost.setId)).toBe('failed');
  shop.fakeKubelet.startsPods = true;
  await eventually(async () => expect(await statusOf(setId)).toBe('approved'));
  await eventually(async () => expect((await shop.read(name)).status['reason']).toBe('Completed'));
});

test('a Job whose pods cannot start is replaced when the capture profile has changed', async () => {
  shop.fakeKubelet.startsPods = false;
  const { controller } = await shop.startController();
  const { setId, name } = await launched(['fine']);
  const message = '0/1 nodes are available: 1 Insufficient memory.';
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
  await eventually(async () => {
    await shop.fakeKubelet.setPendingPodStatus({ conditions });
    expect((await shop.read(name)).status['reason']).toBe('Unschedulable');
  });
  const [before] = await jobs();
  // As if the Job was made before the operator changed the profile.
  const body = [{ op: 'replace', path: '/metadata/annotations/tearsheet.dev~1profile', value: 'another' }];
  const job = { namespace: shop.namespace.name, name: `${name}-1` };
  await shop.batch.patchNamespacedJob({ ...job, body });
  await eventually(async () => {
    await controller.audit();
    const [now] = await jobs();
    expect([now?.metadata?.name, now?.metadata?.uid !== before?.metadata?.uid]).toEqual([`${name}-1`, true]);
  });
  shop.fakeKubelet.startsPods = true;
  await eventually(async () => expect(await statusOf(setId)).toBe('approved'));
});
