import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubernetesCluster } from '../../../src/cluster/kubernetes/kubernetesCluster.ts';
import { ConflictError, RefusedError } from '../../../src/cluster/port.ts';
import { eventually } from '../../support/eventually.ts';
import { required } from '../../support/required.ts';
import { createWorld, jobSpec, make, resourceSpec, statusOf, type World } from './world.ts';

let world: World;
let cluster: KubernetesCluster;

beforeAll(async () => {
  world = await createWorld('port');
  cluster = await world.connect();
});
afterAll(() => world?.close());

describe('ScreenshotJobs', () => {
  test('One that was made is read at once as it was made, before any watch has told of it', async () => {
    const spec = resourceSpec({ set: '3f0f3d0e-6c0f-4b52-8a7e-4a0c6b6c2a11' });
    expect(await cluster.createScreenshotJob('set-a', spec)).toBe('created');
    const resource = await cluster.getScreenshotJob('set-a');
    expect(resource).toMatchObject({ name: 'set-a', generation: 1, deleting: false, removedByUs: false, spec });
    expect(resource?.status).toBeUndefined();
    expect((await cluster.listScreenshotJobs()).map(({ name }) => name)).toContain('set-a');
  });

  test('Create not idempotent: a second one of the name makes none, and says so', async () => {
    const first = await make(cluster, 'set-b');
    expect(await cluster.createScreenshotJob('set-b', resourceSpec())).toBe('exists');
    expect((await cluster.getScreenshotJob('set-b'))?.uid).toBe(first.uid);
  });

  test('One of another installation is not seen, and its name not taken for ours', async () => {
    const other = await world.connect({ installation: '0d4a3f6e-57a1-4f3e-9a7a-d1c1d6c9d7f0' });
    await make(other, 'set-other');
    await expect(cluster.createScreenshotJob('set-other', resourceSpec())).rejects.toThrow(ConflictError);
    expect(await cluster.getScreenshotJob('set-other')).toBeUndefined();
  });

  test('One whose label somebody took off is ours again, and can be released', async () => {
    const { uid, spec } = await make(cluster, 'set-bare');
    await world.operator.removeLabel('set-bare', 'tearsheet.dev/installation');
    await eventually(async () => expect(await cluster.getScreenshotJob('set-bare')).toBeUndefined());
    await expect(cluster.createScreenshotJob('set-bare', resourceSpec())).rejects.toThrow(ConflictError);
    expect(await cluster.createScreenshotJob('set-bare', spec)).toBe('exists');
    await eventually(async () => expect(await cluster.getScreenshotJob('set-bare')).toMatchObject({ uid }));
  });

  test('A status that rests on what has changed meanwhile is refused', async () => {
    const seen = await make(cluster, 'set-c');
    await cluster.updateStatus(seen, statusOf({ message: 'Something.' }));
    await expect(cluster.updateStatus(seen, statusOf({ done: 2 }))).rejects.toThrow(ConflictError);
    const now = required(await cluster.getScreenshotJob('set-c'));
    expect(now.status).toEqual(statusOf({ message: 'Something.' }));
    await cluster.updateStatus(now, statusOf({ done: 2 }));
    // What the new status lacks is gone from the object.
    const last = required(await cluster.getScreenshotJob('set-c'));
    expect(last.status).toEqual(statusOf({ done: 2 }));
    expect(last.generation).toBe(1);
  });

  test('A status of one that was made anew under its name is refused', async () => {
    const seen = await make(cluster, 'set-d');
    await cluster.deleteScreenshotJob(seen);
    await cluster.releaseScreenshotJob(seen);
    const again = await make(cluster, 'set-d');
    expect(again.uid).not.toBe(seen.uid);
    await expect(cluster.updateStatus(seen, statusOf())).rejects.toThrow(ConflictError);
    await cluster.deleteScreenshotJob(seen);
    await cluster.releaseScreenshotJob(seen);
    await eventually(async () => {
      const now = required(await cluster.getScreenshotJob('set-d'));
      expect(now).toMatchObject({ uid: again.uid, deleting: false, removedByUs: false });
    });
  });

  test('That an operator cancels it is read, and is another generation', async () => {
    await make(cluster, 'set-e');
    await world.operator.cancel('set-e');
    await eventually(async () =>
      expect(await cluster.getScreenshotJob('set-e')).toMatchObject({ generation: 2, spec: { cancel: true } }),
    );
  });

  test('A deletion of ours is marked as ours, and waits for its release; doing either twice is no error', async () => {
    const seen = await make(cluster, 'set-f');
    await cluster.deleteScreenshotJob(seen);
    expect(await cluster.getScreenshotJob('set-f')).toMatchObject({ deleting: true, removedByUs: true });
    await cluster.deleteScreenshotJob(seen);
    await cluster.releaseScreenshotJob(seen);
    expect(await cluster.getScreenshotJob('set-f')).toBeUndefined();
    await cluster.releaseScreenshotJob(seen);
    await cluster.deleteScreenshotJob(seen);
    await expect(cluster.updateStatus(seen, statusOf())).rejects.toThrow(ConflictError);
  });

  test("Somebody else's deletion is told from ours, even when ours comes after it", async () => {
    const seen = await make(cluster, 'set-g');
    await world.operator.delete('set-g');
    const deleted = await eventually(async () => {
      const now = required(await cluster.getScreenshotJob('set-g'));
      expect(now).toMatchObject({ deleting: true, removedByUs: false });
      return now;
    });
    await cluster.deleteScreenshotJob(deleted);
    expect(await cluster.getScreenshotJob('set-g')).toMatchObject({ removedByUs: false });
    await cluster.releaseScreenshotJob(seen);
    await eventually(async () => expect(await cluster.getScreenshotJob('set-g')).toBeUndefined());
  });

  test('Watchers are told of a change that is not a status', async () => {
    const told: string[] = [];
    const { close } = cluster.watch((name) => told.push(name));
    const seen = await make(cluster, 'set-h');
    await cluster.updateStatus(seen, statusOf());
    await eventually(() => expect(told).toEqual(['set-h']));
    await world.operator.cancel('set-h');
    await eventually(() => expect(told).toEqual(['set-h', 'set-h']));
    await close();
  });
});

describe('Jobs', () => {
  test('One that was made is read at once, and making it again finds it', async () => {
    const owner = await make(cluster, 'set-j');
    expect(await cluster.createJob(jobSpec(owner))).toBe('created');
    expect(await cluster.getJob('set-j-1')).toMatchObject({
      ...{ name: 'set-j-1', ownerUid: owner.uid, finished: false, deleting: false, stuck: false },
      ...{ succeededIndexes: [], failedIndexes: [] },
    });
    expect(await cluster.createJob(jobSpec(owner))).toBe('exists');
    expect((await cluster.listJobs()).map(({ name }) => name)).toContain('set-j-1');
  });

  test('One of another owner under the name is not taken for ours', async () => {
    const owner = await make(cluster, 'set-k');
    await cluster.createJob(jobSpec(owner));
    const other = { ...owner, uid: '11111111-1111-4111-8111-111111111111' };
    await expect(cluster.createJob(jobSpec(other))).rejects.toThrow(ConflictError);
  });

  test('A stale cache runs a step twice: a second client that does not know of the Job yet finds it, and makes none', async () => {
    const owner = await make(cluster, 'set-l');
    const spec = jobSpec(owner);
    const second = await world.connect();
    const answers = await Promise.all([cluster.createJob(spec), second.createJob(spec), second.createJob(spec)]);
    expect(answers.sort()).toEqual(['created', 'exists', 'exists']);
    expect(await world.pods('set-l-1', 2)).toHaveLength(2);
  });

  test('Its pods and indexes are told as the cluster has them', async () => {
    const owner = await make(cluster, 'set-m');
    await cluster.createJob(jobSpec(owner, { indexes: 3, parallelism: 2 }));
    const [first, second] = await world.pods('set-m-1', 2);
    await eventually(async () => expect(await cluster.getJob('set-m-1')).toMatchObject({ active: 2 }));
    await world.playPod(first?.metadata?.name ?? '', { phase: 'Succeeded' });
    await eventually(async () =>
      expect(await cluster.getJob('set-m-1')).toMatchObject({ active: 2, succeededIndexes: [0], finished: false }),
    );
    await world.playPod(second?.metadata?.name ?? '', failed(41));
    await eventually(async () => expect(await cluster.getJob('set-m-1')).toMatchObject({ failedIndexes: [1] }));
    const third = (await world.pods('set-m-1', 3)).find(({ metadata }) => metadata?.name?.startsWith('set-m-1-2-'));
    await world.playPod(third?.metadata?.name ?? '', { phase: 'Succeeded' });
    await eventually(async () =>
      expect(await cluster.getJob('set-m-1')).toMatchObject({
        ...{ active: 0, finished: true, succeededIndexes: [0, 2], failedIndexes: [1] },
      }),
    );
  });

  test('Deleted in the background its name is free at once; in the foreground it stays until its pods are gone', async () => {
    const owner = await make(cluster, 'set-n');
    await cluster.createJob(jobSpec(owner));
    const pods = await world.pods('set-n-1', 2);
    const job = required(await cluster.getJob('set-n-1'));
    for (const { metadata } of pods) await holdBack(metadata?.name ?? '');
    await cluster.deleteJob(job, { waits: true });
    expect(await cluster.getJob('set-n-1')).toMatchObject({ deleting: true });
    await expect(cluster.createJob(jobSpec(owner))).rejects.toThrow(ConflictError);
    // It waits no more: what hangs is left to itself.
    await cluster.deleteJob(job);
    expect(await cluster.getJob('set-n-1')).toBeUndefined();
    expect(await cluster.createJob(jobSpec(owner))).toBe('created');
    await cluster.deleteJob(job, { waits: true });
    expect(await cluster.getJob('set-n-1')).toMatchObject({ deleting: false });
    for (const { metadata } of pods) await letGo(metadata?.name ?? '');
  });

  test('Quota denial counted as failure: a Job that a quota refuses is refused, and nothing of it is there', async () => {
    const quota = { metadata: { name: 'jobs' }, spec: { hard: { 'count/jobs.batch': '0' } } };
    const other = await createWorld('quota');
    try {
      await other.core.createNamespacedResourceQuota({ namespace: other.namespace.name, body: quota });
      const strict = await other.connect();
      const owner = await make(strict, 'set-o');
      const refused = await eventually(async () => {
        // The quota is counted for the first time a moment later.
        const error = await strict.createJob(jobSpec(owner)).catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(RefusedError);
        return error as RefusedError;
      });
      expect(refused).toMatchObject({ reason: 'QuotaExceeded' });
      expect(await strict.getJob('set-o-1')).toBeUndefined();
    } finally {
      await other.close();
    }
  });
});

const failed = (exitCode: number) => ({
  phase: 'Failed',
  containerStatuses: [
    {
      ...{ name: 'capture', image: 'tearsheet:test', imageID: '', ready: false, restartCount: 0 },
      state: { terminated: { exitCode, reason: 'Error', message: '' } },
    },
  ],
});

const holdBack = (name: string) => finalize(name, ['tearsheet.dev/test']);
const letGo = (name: string) => finalize(name, []);

async function finalize(name: string, finalizers: string[]): Promise<void> {
  const body = [{ op: 'add', path: '/metadata/finalizers', value: finalizers }];
  await world.core.patchNamespacedPod({ name, namespace: world.namespace.name, body });
}
