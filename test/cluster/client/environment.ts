/** A namespace, a client for it, and functions that act as the cluster's other components. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BatchV1Api, CoreV1Api, type V1Pod } from '@kubernetes/client-node';
import { expect } from 'vitest';
import {
  connectKubernetes,
  type KubernetesCluster,
  type KubernetesOptions,
} from '../../../src/cluster/kubernetes/kubernetesCluster.ts';
import type { CaptureJobSpec } from '../../../src/cluster/port.ts';
import { CaptureProfile } from '../../../src/contract/captureProfile.ts';
import type { ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../../src/contract/screenshotJob.ts';
import { type TestNamespace, testNamespace } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { required } from '../../support/required.ts';
import { type ScreenshotJobClient, screenshotJobClient } from '../../support/screenshotJobClient.ts';
import { TEST_LOG } from '../../support/testLog.ts';

export interface ClientTestEnvironment {
  readonly namespace: TestNamespace;
  readonly installation: string;
  readonly core: CoreV1Api;
  readonly batch: BatchV1Api;
  readonly screenshotJobs: ScreenshotJobClient;
  /** `close` removes it. */
  readonly folder: string;
  /** `close` closes it. */
  connect(options?: Partial<KubernetesOptions>): Promise<KubernetesCluster>;
  /** Waits until a Job has `count` pods. */
  pods(job: string, count: number): Promise<V1Pod[]>;
  /** Sets parts of a pod's status, as the kubelet does. */
  setPodStatus(name: string, status: object): Promise<void>;
  close(): Promise<void>;
}

export async function createEnvironment(label: string): Promise<ClientTestEnvironment> {
  const namespace = await testNamespace(`client-${label}`);
  const [core, batch] = [namespace.config.makeApiClient(CoreV1Api), namespace.config.makeApiClient(BatchV1Api)];
  const installation = randomUUID();
  const open = new Set<KubernetesCluster>();
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-client-'));
  return {
    ...{ namespace, installation, core, batch, folder },
    screenshotJobs: screenshotJobClient(namespace),
    async connect(options = {}) {
      const cluster = await connectKubernetes({
        namespace: namespace.name,
        installation,
        profile: captureProfile(),
        kubeconfig: namespace.kubeconfig,
        log: TEST_LOG,
        ...options,
      });
      open.add(cluster);
      return cluster;
    },
    pods: (job, count) =>
      eventually(async () => {
        const labelSelector = `batch.kubernetes.io/job-name=${job}`;
        const { items } = await core.listNamespacedPod({ namespace: namespace.name, labelSelector });
        expect(items).toHaveLength(count);
        return items;
      }),
    async setPodStatus(name, status) {
      // The library sends JSON Patch, which replaces each part of the status.
      const body = Object.entries(status).map(([key, value]) => ({ op: 'add', path: `/status/${key}`, value }));
      await core.patchNamespacedPodStatus({ name, namespace: namespace.name, body });
    },
    async close() {
      await Promise.all([...open].map((cluster) => cluster.close()));
      await namespace.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const captureProfile = (profile: object = {}): CaptureProfile =>
  CaptureProfile.parse({ image: 'tearsheet:test', serviceAccountName: 'default', ...profile });

export const resourceSpec = (spec: Partial<ScreenshotJobSpec> = {}): ScreenshotJobSpec => ({
  ...{ organization: 'demo', job: randomUUID(), ads: 2, batches: 2, screenshots: 4, parallelism: 2, retries: 3 },
  ...{ deadlines: { schedulingSeconds: 600, captureSeconds: 300 }, ttlSecondsAfterFinished: 600 },
  ...spec,
});

export const screenshotJobStatus = (status: Partial<ScreenshotJobStatus> = {}): ScreenshotJobStatus => ({
  ...{ observedGeneration: 1, reason: 'Running', total: 4, done: 1, failed: 0, pods: 2, conditions: [] },
  ...status,
});

export const jobSpec = (
  owner: Pick<ScreenshotJob, 'name' | 'uid'>,
  spec: Partial<CaptureJobSpec> = {},
): CaptureJobSpec => ({
  ...{ name: `${owner.name}-1`, owner: { name: owner.name, uid: owner.uid }, jobId: randomUUID() },
  ...{ organization: 'demo', priority: 'normal' as const, indexes: 2, parallelism: 2, retriesPerIndex: 3 },
  ...{ podDeadlineSeconds: 300, jobDeadlineSeconds: 3_600, environment: {} },
  ...spec,
});

/** Creates a ScreenshotJob and reads it back. */
export async function createScreenshotJob(cluster: KubernetesCluster, name: string): Promise<ScreenshotJob> {
  expect(await cluster.createScreenshotJob(name, resourceSpec())).toBe('created');
  return required(await cluster.getScreenshotJob(name));
}
