import { BatchV1Api, CoreV1Api, type V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestNamespace, testNamespace } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

let namespace: TestNamespace;

beforeAll(async () => {
  namespace = await testNamespace('harness');
});
afterAll(() => namespace?.remove());

const restricted = {
  runAsNonRoot: true,
  runAsUser: 10_001,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

function job(name: string, securityContext?: object) {
  const container = { name: 'only', image: 'none', ...(securityContext && { securityContext }) };
  const template = { spec: { restartPolicy: 'Never', containers: [container] } };
  return { metadata: { name }, spec: { completions: 2, parallelism: 2, completionMode: 'Indexed', template } };
}

const podsOf = async (name: string): Promise<V1Pod[]> => {
  const core = namespace.config.makeApiClient(CoreV1Api);
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  return (await core.listNamespacedPod({ namespace: namespace.name, labelSelector })).items;
};

describe('the control plane of the cluster tests', () => {
  it('the test control plane creates the pods of a Job, and the test sets their status', async () => {
    const batch = namespace.config.makeApiClient(BatchV1Api);
    await batch.createNamespacedJob({ namespace: namespace.name, body: job('played', restricted) });
    const pods = await eventually(async () => {
      const found = await podsOf('played');
      expect(found).toHaveLength(2);
      return found;
    });
    expect(pods.map(({ status }) => status?.phase)).toEqual(['Pending', 'Pending']);
  });

  it('the test control plane ends a Job as soon as the test sets its pods to succeeded', async () => {
    const core = namespace.config.makeApiClient(CoreV1Api);
    const batch = namespace.config.makeApiClient(BatchV1Api);
    for (const { metadata } of await podsOf('played')) {
      const name = metadata?.name ?? '';
      const body = [{ op: 'replace', path: '/status/phase', value: 'Succeeded' }];
      await core.patchNamespacedPodStatus({ name, namespace: namespace.name, body });
    }
    await eventually(async () => {
      const { status } = await batch.readNamespacedJob({ name: 'played', namespace: namespace.name });
      expect(status?.completedIndexes).toBe('0,1');
    });
  });

  it('the test control plane rejects pods that Pod Security "restricted" does not allow', async () => {
    const batch = namespace.config.makeApiClient(BatchV1Api);
    await batch.createNamespacedJob({ namespace: namespace.name, body: job('refused') });
    const core = namespace.config.makeApiClient(CoreV1Api);
    await eventually(async () => {
      const { items } = await core.listNamespacedEvent({ namespace: namespace.name });
      const messages = items
        .filter(({ involvedObject }) => involvedObject.name === 'refused')
        .map(({ message }) => message);
      expect(messages.join()).toContain('violates PodSecurity "restricted:latest"');
    });
    expect(await podsOf('refused')).toEqual([]);
  });
});
