import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubernetesCluster } from '../../../src/cluster/kubernetes/kubernetesCluster.ts';
import { ConflictError, RefusedError } from '../../../src/cluster/port.ts';
import { eventually } from '../../support/eventually.ts';
import { required } from '../../support/required.ts';
import {
  type ClientTestEnvironment,
  createEnvironment,
  createScreenshotJob,
  jobSpec,
  resourceSpec,
  screenshotJobStatus,
} from './environment.ts';

let env: ClientTestEnvironment;
let cluster: KubernetesCluster;

beforeAll(async () => {
  env = await createEnvironment('port');
  cluster = await env.connect();
});
afterAll(() => env?.close());

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
    const first = await createScreenshotJob(cluster, 'set-b');
    expect(await cluster.createScreenshotJob('set-b', resourceSpec())).toBe('exists');
    expect((await cluster.getScreenshotJob('set-b'))?.uid).toBe(first.uid);
  });

  test('One of another installation is not seen, and its name not taken for ours', async () => {
    const other = await env.connect({ installation: '0d4a3f6e-57a1-4f3e-9a7a-d1c1d6c9d7f0' });
    await createScreenshotJob(other, 'set-other');
    await expect(cluster.createScreenshotJob('set-other', resourceSpec())).rejects.toThrow(ConflictError);
    expect(await cluster.getScreenshotJob('set-other')).toBeUndefined();
  });

  test('One whose label somebody took off is ours again, and can be released', async () => {
    const { uid, spec } = await createScreenshotJob(cluster, 'set-bare');
    await env.screenshotJobs.removeLabel('set-bare', 'tearsheet.dev/installation');
    await eventually(async () => expect(await cluster.getScreenshotJob('set-bare')).toBeUndefined());
    await expect(cluster.createScreenshotJob('set-bare', resourceSpec())).rejects.toThrow(ConflictError);
    expect(await cluster.createScreenshotJob('set-bare', spec)).toBe('exists');
    await eventually(async () => expect(await cluster.getScreenshotJob('set-bare')).toMatchObject({ uid }));
  });

  test('A status that rests on what has changed meanwhile is refused', async () => {
    const seen = await createScreenshotJob(cluster, 'set-c');
    await cluster.updateStatus(seen, screenshotJobStatus({ message: 'Something.' }));
    await expect(cluster.updateStatus(seen, screenshotJobStatus({ done: 2 }))).rejects.toThrow(ConflictError);
    const now = required(await cluster.getScreenshotJob('set-c'));
    expect(now.status).toEqual(screenshotJobStatus({ message: 'Something.' }));
    await cluster.updateStatus(now, screenshotJobStatus({ done: 2 }));
    // What the new status lacks is gone from the object.
    const last = required(await cluster.getScreenshotJob('set-c'));
    expect(last.status).toEqual(screenshotJobStatus({ done: 2 }));
    expect(last.generation).toBe(1);
  });

  test('A status of one that was made anew under its name is refused', async () => {
    const seen = await createScreenshotJob(cluster, 'set-d');
    await cluster.deleteScreenshotJob(seen);
    await cluster.releaseScreenshotJob(seen);
    const again = await createScreenshotJob(cluster, 'set-d');
    expect(again.uid).not.toBe(seen.uid);
    await expect(cluster.updateStatus(seen, screenshotJobStatus())).rejects.toThrow(ConflictError);
    await cluster.deleteScreenshotJob(seen);
    await cluster.releaseScreenshotJob(seen);
    await eventually(async () => {
      const now = required(await cluster.getScreenshotJob('set-d'));
      expect(now).toMatchObject({ uid: again.uid, deleting: false, removedByUs: false });
    });
  });

  test('That an operator cancels it is read, and is another generation', async () => {
    await createScreenshotJob(cluster, 'set-e');
    await env.screenshotJobs.cancel('set-e');
    await eventually(async () =>
      expect(await cluster.getScreenshotJob('set-e')).toMatchObject({ generation: 2, spec: { cancel: true } }),
    );
  });

  test('A deletion of ours is marked as ours, and waits for its release; doing either twice is no error', async () => {
    const seen = await createScreenshotJob(cluster, 'set-f');
    await cluster.deleteScreenshotJob(seen);
    expect(await cluster.getScreenshotJob('set-f')).toMatchObject({ deleting: true, removedByUs: true });
    await cluster.deleteScreenshotJob(seen);
    await cluster.releaseScreenshotJob(seen);
    expect(await cluster.getScreenshotJob('set-f')).toBeUndefined();
    await cluster.releaseScreenshotJob(seen);
    await cluster.deleteScreenshotJob(seen);
    await expect(cluster.updateStatus(seen, screenshotJobStatus())).rejects.toThrow(ConflictError);
  });

  test("Somebody else's deletion is told from ours, even when ours comes after it", async () => {
    const seen = await createScreenshotJob(cluster, 'set-g');
    await env.screenshotJobs.delete('set-g');
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
    const seen = await createScreenshotJob(cluster, 'set-h');
    await cluster.updateStatus(seen, screenshotJobStatus());
    await eventually(() => expect(told).toEqual(['set-h']));
    await env.screenshotJobs.cancel('set-h');
    await eventually(() => expect(told).toEqual(['set-h', 'set-h']));
    await close();
  });
});

describe('Jobs', () => {
  test('One that was made is read at once, and making it again finds it', async () => {
    const owner = await createScreenshotJob(cluster, 'set-j');
    expect(await cluster.createJob(jobSpec(owner))).toBe('created');
    expect(await cluster.getJob('set-j-1')).toMatchObject({
      ...{ name: 'set-j-1', ownerUid: owner.uid, finished: false, deleting: false, stuck: false },
      ...{ succeededIndexes: [], failedIndexes: [] },
    });
    expect(await cluster.createJob(jobSpec(owner))).toBe('exists');
    expect((await cluster.listJobs()).map(({ name }) => name)).toContain('set-j-1');
  });

  test('One of another owner under the name is not taken for ours', async () => {
    const owner = await createScreenshotJob(cluster, 'set-k');
    await cluster.createJob(jobSpec(owner));
    const other = { ...owner, uid: '11111111-1111-4111-8111-111111111111' };
    await expect(cluster.createJob(jobSpec(other))).rejects.toThrow(ConflictError);
  });

  test('A stale cache runs a step twice: a second client that does not know of the Job yet finds it, and makes none', async () => {
    const owner = await createScreenshotJob(cluster, 'set-l');
    const spec = jobSpec(owner);
    const second = await env.connect();
    const answers = await Promise.all([cluster.createJob(spec), second.createJob(spec), second.createJob(spec)]);
    expect(answers.sort()).toEqual(['created', 'exists', 'exists']);
    expect(await env.pods('set-l-1', 2)).toHaveLength(2);
  });

  test('Its pods and indexes are told as the cluster has them', async () => {
    const owner = await createScreenshotJob(cluster, 'set-m');
    await cluster.createJob(jobSpec(owner, { indexes: 3, parallelism: 2 }));
    const [first, second] = await env.pods('set-m-1', 2);
    await eventually(async () => expect(await cluster.getJob('set-m-1')).toMatchObject({ active: 2 }));
    await env.setPodStatus(first?.metadata?.name ?? '', { phase: 'Succeeded' });
    await eventually(async () =>
      expect(await cluster.getJob('set-m-1')).toMatchObject({ active: 2, succeededIndexes: [0], finished: false }),
    );
    await env.setPodStatus(second?.metadata?.name ?? '', failed(41));
    await eventually(async () => expect(await cluster.getJob('set-m-1')).toMatchObject({ failedIndexes: [1] }));
    const third = (await env.pods('set-m-1', 3)).find(({ metadata }) => metadata?.name?.startsWith('set-m-1-2-'));
    await env.setPodStatus(third?.metadata?.name ?? '', { phase: 'Succeeded' });
    await eventually(async () =>
      expect(await cluster.getJob('set-m-1')).toMatchObject({
        ...{ active: 0, finished: true, succeededIndexes: [0, 2], failedIndexes: [1] },
      }),
    );
  });

  test('Deleted in the background its name is free at once; in the foreground it stays until its pods are gone', async () => {
    const owner = await createScreenshotJob(cluster, 'set-n');
    await cluster.createJob(jobSpec(owner));
    const pods = await env.pods('set-n-1', 2);
    const job = required(await cluster.getJob('set-n-1'));
    for (const { metadata } of pods) await holdBack(metadata?.name ?? '');
    await cluster.deleteJob(job, { waitForPods: true });
    expect(await cluster.getJob('set-n-1')).toMatchObject({ deleting: true });
    await expect(cluster.createJob(jobSpec(owner))).rejects.toThrow(ConflictError);
    // It waits no more: what hangs is left to itself.
    await cluster.deleteJob(job);
    expect(await cluster.getJob('set-n-1')).toBeUndefined();
    expect(await cluster.createJob(jobSpec(owner))).toBe('created');
    await cluster.deleteJob(job, { waitForPods: true });
    expect(await cluster.getJob('set-n-1')).toMatchObject({ deleting: false });
    for (const { metadata } of pods) await letGo(metadata?.name ?? '');
  });

  test('Quota denial counted as failure: a Job that a quota refuses is refused, and nothing of it is there', async () => {
    const quota = { metadata: { name: 'jobs' }, spec: { hard: { 'count/jobs.batch': '0' } } };
    const other = await createEnvironment('quota');
    try {
      await other.core.createNamespacedResourceQuota({ namespace: other.namespace.name, body: quota });
      const strict = await other.connect();
      const owner = await createScreenshotJob(strict, 'set-o');
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
  await env.core.patchNamespacedPod({ name, namespace: env.namespace.name, body });
}
