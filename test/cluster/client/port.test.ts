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
  test('a created ScreenshotJob is read at once, before a watch reports it', async () => {
    const spec = resourceSpec({ set: '3f0f3d0e-6c0f-4b52-8a7e-4a0c6b6c2a11' });
    expect(await cluster.createScreenshotJob('set-a', spec)).toBe('created');
    const resource = await cluster.getScreenshotJob('set-a');
    expect(resource).toMatchObject({ name: 'set-a', generation: 1, deleting: false, removedByUs: false, spec });
    expect(resource?.status).toBeUndefined();
    expect((await cluster.listScreenshotJobs()).map(({ name }) => name)).toContain('set-a');
  });

  test('a second create of the same name creates nothing and answers exists', async () => {
    const first = await createScreenshotJob(cluster, 'set-b');
    expect(await cluster.createScreenshotJob('set-b', resourceSpec())).toBe('exists');
    expect((await cluster.getScreenshotJob('set-b'))?.uid).toBe(first.uid);
  });

  test('a ScreenshotJob of another installation is invisible, and its name is a conflict', async () => {
    const other = await env.connect({ installation: '0d4a3f6e-57a1-4f3e-9a7a-d1c1d6c9d7f0' });
    await createScreenshotJob(other, 'set-other');
    await expect(cluster.createScreenshotJob('set-other', resourceSpec())).rejects.toThrow(ConflictError);
    expect(await cluster.getScreenshotJob('set-other')).toBeUndefined();
  });

  test('a ScreenshotJob that lost its label gets it back and can be released', async () => {
    const { uid, spec } = await createScreenshotJob(cluster, 'set-bare');
    await env.screenshotJobs.removeLabel('set-bare', 'tearsheet.dev/installation');
    await eventually(async () => expect(await cluster.getScreenshotJob('set-bare')).toBeUndefined());
    await expect(cluster.createScreenshotJob('set-bare', resourceSpec())).rejects.toThrow(ConflictError);
    expect(await cluster.createScreenshotJob('set-bare', spec)).toBe('exists');
    await eventually(async () => expect(await cluster.getScreenshotJob('set-bare')).toMatchObject({ uid }));
  });

  test('a status write with an old version is rejected', async () => {
    const seen = await createScreenshotJob(cluster, 'set-c');
    await cluster.updateStatus(seen, screenshotJobStatus({ message: 'Something.' }));
    await expect(cluster.updateStatus(seen, screenshotJobStatus({ done: 2 }))).rejects.toThrow(ConflictError);
    const now = required(await cluster.getScreenshotJob('set-c'));
    expect(now.status).toEqual(screenshotJobStatus({ message: 'Something.' }));
    await cluster.updateStatus(now, screenshotJobStatus({ done: 2 }));
    // Fields that the new status lacks are removed from the object.
    const last = required(await cluster.getScreenshotJob('set-c'));
    expect(last.status).toEqual(screenshotJobStatus({ done: 2 }));
    expect(last.generation).toBe(1);
  });

  test('a status write for a replaced ScreenshotJob is rejected', async () => {
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

  test('spec.cancel of an operator is read with a new generation', async () => {
    await createScreenshotJob(cluster, 'set-e');
    await env.screenshotJobs.cancel('set-e');
    await eventually(async () =>
      expect(await cluster.getScreenshotJob('set-e')).toMatchObject({ generation: 2, spec: { cancel: true } }),
    );
  });

  test('our deletion is marked and waits for its release, and both can be repeated', async () => {
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

  test('a deletion by another client is recognized although we delete afterwards', async () => {
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

  test('watchers are notified of each change except of the status', async () => {
    const changes: string[] = [];
    // Changes of the tests before may be reported late.
    const { close } = cluster.watch((name) => {
      if (name === 'set-h') changes.push(name);
    });
    const seen = await createScreenshotJob(cluster, 'set-h');
    await cluster.updateStatus(seen, screenshotJobStatus());
    await eventually(() => expect(changes).toEqual(['set-h']));
    await env.screenshotJobs.cancel('set-h');
    await eventually(() => expect(changes).toEqual(['set-h', 'set-h']));
    await close();
  });
});

describe('Jobs', () => {
  test('a created Job is read at once, and a second create finds it', async () => {
    const owner = await createScreenshotJob(cluster, 'set-j');
    expect(await cluster.createJob(jobSpec(owner))).toBe('created');
    expect(await cluster.getJob('set-j-1')).toMatchObject({
      ...{ name: 'set-j-1', ownerUid: owner.uid, finished: false, deleting: false, stuck: false },
      ...{ succeededIndexes: [], failedIndexes: [] },
    });
    expect(await cluster.createJob(jobSpec(owner))).toBe('exists');
    expect((await cluster.listJobs()).map(({ name }) => name)).toContain('set-j-1');
  });

  test('a Job of another owner with the same name is not used', async () => {
    const owner = await createScreenshotJob(cluster, 'set-k');
    await cluster.createJob(jobSpec(owner));
    const other = { ...owner, uid: '11111111-1111-4111-8111-111111111111' };
    await expect(cluster.createJob(jobSpec(other))).rejects.toThrow(ConflictError);
  });

  test('a client with a stale cache finds the existing Job and creates none', async () => {
    const owner = await createScreenshotJob(cluster, 'set-l');
    const spec = jobSpec(owner);
    const second = await env.connect();
    const answers = await Promise.all([cluster.createJob(spec), second.createJob(spec), second.createJob(spec)]);
    expect(answers.sort()).toEqual(['created', 'exists', 'exists']);
    expect(await env.pods('set-l-1', 2)).toHaveLength(2);
  });

  test('a Job is read with its pods and indexes', async () => {
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

  test('a Job that is deleted in the background frees its name at once, and in the foreground after its pods are gone', async () => {
    const owner = await createScreenshotJob(cluster, 'set-n');
    await cluster.createJob(jobSpec(owner));
    const pods = await env.pods('set-n-1', 2);
    const job = required(await cluster.getJob('set-n-1'));
    for (const { metadata } of pods) await holdBack(metadata?.name ?? '');
    await cluster.deleteJob(job, { waitForPods: true });
    expect(await cluster.getJob('set-n-1')).toMatchObject({ deleting: true });
    await expect(cluster.createJob(jobSpec(owner))).rejects.toThrow(ConflictError);
    // It no longer waits for pods that are stuck.
    await cluster.deleteJob(job);
    expect(await cluster.getJob('set-n-1')).toBeUndefined();
    expect(await cluster.createJob(jobSpec(owner))).toBe('created');
    await cluster.deleteJob(job, { waitForPods: true });
    expect(await cluster.getJob('set-n-1')).toMatchObject({ deleting: false });
    for (const { metadata } of pods) await letGo(metadata?.name ?? '');
  });

  test('a Job that a quota denies is a RefusedError and is not created', async () => {
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
