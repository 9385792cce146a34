import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RbacAuthorizationV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesCluster } from '../../../src/cluster/kubernetes/kubernetesCluster.ts';
import { type CaptureJob, RefusedError } from '../../../src/cluster/port.ts';
import { eventually } from '../../support/eventually.ts';
import { required } from '../../support/required.ts';
import {
  type ClientTestEnvironment,
  captureProfile,
  createEnvironment,
  createScreenshotJob,
  jobSpec,
  screenshotJobStatus,
} from './environment.ts';

let env: ClientTestEnvironment;
let cluster: KubernetesCluster;

beforeAll(async () => {
  env = await createEnvironment('pods');
  cluster = await env.connect();
});
afterAll(() => env?.close());

const problem = (name: string, reason: string, of = cluster) =>
  eventually(async () => {
    const job = required(await of.getJob(name));
    expect(job.problem).toMatchObject({ reason });
    return required(job.problem);
  });

/** Reads a Job after each notification and keeps what was read. */
function seenOf(resource: string, name: string): CaptureJob[] {
  const seen: CaptureJob[] = [];
  const look = async () => {
    const job = await cluster.getJob(name);
    if (job !== undefined) seen.push(job);
  };
  // One after the other, so that the last one is the latest.
  let looked = Promise.resolve();
  cluster.watch((changed) => {
    if (changed === resource) looked = looked.then(look);
  });
  return seen;
}

test('the API server accepts a Job with every field of a profile in a namespace that enforces "restricted"', async () => {
  const toleration = { key: 'spot', operator: 'Exists', effect: 'NoSchedule' };
  const selector = { matchLabels: { 'app.kubernetes.io/name': 'tearsheet' } };
  const spread = { maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector };
  const full = captureProfile({
    ...{ imagePullPolicy: 'Always', imagePullSecrets: [{ name: 'registry' }], schedulerName: 'nobody' },
    resources: { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '2Gi' } },
    ...{ env: [{ name: 'LOG_LEVEL', value: 'debug' }], nodeSelector: { pool: 'shots' }, tolerations: [toleration] },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: selector } },
        ],
      },
    },
    ...{
      topologySpreadConstraints: [spread],
      queueName: 'captures',
      podLabels: { team: 'ads' },
      podAnnotations: { note: 'x' },
    },
    ...{
      volumes: [{ name: 'fonts', configMap: { name: 'fonts' } }],
      volumeMounts: [{ name: 'fonts', mountPath: '/fonts' }],
    },
  });
  const strict = await env.connect({ profile: full });
  const owner = await createScreenshotJob(strict, 'set-full');
  expect(await strict.createJob(jobSpec(owner))).toBe('created');
  const made = await env.batch.readNamespacedJob({ name: 'set-full-1', namespace: env.namespace.name });
  expect(made.spec?.template.spec?.containers[0]).toMatchObject({ name: 'capture', args: ['capture'] });
  expect(await problem('set-full-1', 'Suspended', strict)).toMatchObject({
    message: expect.stringContaining('suspended'),
  });
});

test('a profile with an unknown field is rejected, and the message names the field', async () => {
  const strict = await env.connect({ profile: captureProfile({ affinity: { nodeAfinity: {} } }) });
  const owner = await createScreenshotJob(strict, 'set-typo');
  const error = await strict.createJob(jobSpec(owner)).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(RefusedError);
  expect(error).toMatchObject({ reason: 'PodRejected', message: expect.stringContaining('nodeAfinity') });
});

test('a quota that denies all pods is reported although the Job does not change', async () => {
  const tight = await createEnvironment('tight');
  try {
    const body = { metadata: { name: 'none' }, spec: { hard: { pods: '0' } } };
    await tight.core.createNamespacedResourceQuota({ namespace: tight.namespace.name, body });
    const strict = await tight.connect();
    await eventually(async () => {
      const { items } = await tight.core.listNamespacedResourceQuota({ namespace: tight.namespace.name });
      expect(items[0]?.status?.hard).toBeDefined();
    });
    let notifications = 0;
    strict.watch(() => {
      notifications += 1;
      // The controller also reads after each notification.
      void strict.getJob('set-q-1');
    });
    const owner = await createScreenshotJob(strict, 'set-q');
    await strict.createJob(jobSpec(owner));
    const { message } = await problem('set-q-1', 'QuotaExceeded', strict);
    expect(message).toContain('exceeded quota: none');
    expect(notifications).toBeGreaterThan(1);
    expect(await strict.getJob('set-q-1')).toMatchObject({ active: 0, failedIndexes: [], finished: false });
  } finally {
    await tight.close();
  }
});

test('an image that cannot be pulled is reported after 3 s until a pod runs', async () => {
  const seen = seenOf('set-p', 'set-p-1');
  const owner = await createScreenshotJob(cluster, 'set-p');
  await cluster.createJob(jobSpec(owner, { indexes: 1 }));
  const [pod] = await env.pods('set-p-1', 1);
  const name = pod?.metadata?.name ?? '';
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "tearsheet:test"' };
  await env.setPodStatus(name, { phase: 'Pending', containerStatuses: [container({ waiting })] });
  const expected = `${name}: ImagePullBackOff: Back-off pulling image "tearsheet:test"`;
  await eventually(() => expect(seen.at(-1)?.problem).toEqual({ reason: 'ImagePullFailed', message: expected }));
  // It was read without the problem before.
  expect(seen.findIndex(({ problem }) => problem !== undefined)).toBeGreaterThan(0);
  const running = container({ running: { startedAt: new Date() } });
  await env.setPodStatus(name, { phase: 'Running', containerStatuses: [running] });
  await eventually(() => expect(seen.at(-1)).not.toHaveProperty('problem'));
});

test('a lost node is reported as soon as the cluster knows it if nodes may be read', async () => {
  const watching = await env.connect({ readsNodes: true });
  const node = `${env.namespace.name}-node`;
  const ready = (status: string) => [{ type: 'Ready', status, reason: 'Test', lastTransitionTime: new Date() }];
  await env.core.createNode({ body: { metadata: { name: node }, spec: { unschedulable: true } } });
  try {
    await playNode(node, ready('True'));
    const owner = await createScreenshotJob(watching, 'set-n');
    await watching.createJob(jobSpec(owner, { indexes: 1 }));
    const [pod] = await env.pods('set-n-1', 1);
    const name = pod?.metadata?.name ?? '';
    await env.core.createNamespacedPodBinding({
      ...{ name, namespace: env.namespace.name },
      body: { metadata: { name }, target: { apiVersion: 'v1', kind: 'Node', name: node } },
    });
    await env.setPodStatus(name, {
      phase: 'Running',
      containerStatuses: [container({ running: { startedAt: new Date() } })],
    });
    await eventually(async () => expect((await watching.getJob('set-n-1'))?.active).toBe(1));
    const changes: string[] = [];
    watching.watch((changed) => changes.push(changed));
    await playNode(node, ready('Unknown'));
    await eventually(() => expect(changes).toContain('set-n'));
    expect(await problem('set-n-1', 'NodeLost', watching)).toEqual({
      ...{ reason: 'NodeLost', message: `${name}: its node ${node} does not answer.` },
    });
  } finally {
    await env.core.deleteNode({ name: node });
  }
});

test('a transition is recorded as an Event', async () => {
  const seen = await createScreenshotJob(cluster, 'set-v');
  const event = { type: 'Warning', reason: 'QuotaExceeded', message: 'exceeded quota: none' } as const;
  await cluster.recordEvent(seen, event);
  const fieldSelector = `involvedObject.uid=${seen.uid}`;
  const { items } = await env.core.listNamespacedEvent({ namespace: env.namespace.name, fieldSelector });
  expect(items).toMatchObject([{ ...event, count: 1, source: { component: 'tearsheet-controller' } }]);
});

test('an Event that cannot be written is not an error', async () => {
  const seen = await createScreenshotJob(cluster, 'set-w');
  await cluster.recordEvent({ ...seen, name: 'Not A Name' }, { type: 'Normal', reason: 'Queued', message: '' });
});

test('the deletion of a namespace cancels no set', async () => {
  const ending = await createEnvironment('ending');
  const strict = await ending.connect();
  const seen = await createScreenshotJob(strict, 'set-x');
  await ending.namespace.remove();
  await eventually(async () =>
    expect(await strict.getScreenshotJob('set-x')).toMatchObject({ deleting: true, removedByUs: true }),
  );
  const error = await strict.createScreenshotJob('set-y', seen.spec).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(RefusedError);
  await strict.releaseScreenshotJob(seen);
  await ending.close();
});

test('the controller needs only the permissions of the chart', async () => {
  const codes: number[] = [];
  const small = await env.connect({
    kubeconfig: await limitedUser(),
    requested: ({ code }) => codes.push(code),
  });
  const owner = await createScreenshotJob(small, 'set-z');
  await small.updateStatus(owner, screenshotJobStatus());
  await small.createJob(jobSpec(owner));
  await small.createJob(jobSpec(owner));
  await small.createScreenshotJob('set-z', owner.spec);
  await small.listJobs();
  await small.recordEvent(owner, { type: 'Normal', reason: 'Queued', message: '' });
  // Its pods are missing or in the making for so long that Events are read.
  await eventually(async () => expect((await small.getJob('set-z-1'))?.active).toBe(2));
  const elector = small.startElector({
    ...{ identity: 'small', leaseName: 'tearsheet-controller', retrySeconds: 0.1 },
    leaseOwner: 'tearsheet-capture-profile',
    onElected: () => codes.push(0),
    onLost: () => undefined,
  });
  await eventually(() => expect(codes).toContain(0));
  await elector.stop();
  const job = required(await small.getJob('set-z-1'));
  await small.deleteJob(job, { waitForPods: true });
  await small.deleteScreenshotJob(owner);
  await small.releaseScreenshotJob(owner);
  expect(codes.length).toBeGreaterThan(15);
  expect(codes).not.toContain(403);
});

test.each([
  ['jobs', 'create'],
  ['screenshotjobs/finalizers', 'update'],
])('a Job that the controller has no right to create is PermissionDenied: %s %s', async (resource, verb) => {
  const name = `without-${verb}`;
  const lacking = await env.connect({ kubeconfig: await limitedUser(name, { resource, verb }) });
  const owner = await createScreenshotJob(lacking, `set-${name}`);
  const error = await lacking.createJob(jobSpec(owner)).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ reason: 'PermissionDenied', message: expect.stringContaining('is forbidden: ') });
});

const container = (state: object) => ({
  ...{ name: 'capture', image: 'tearsheet:test', imageID: '', ready: false, restartCount: 0, state },
});

async function playNode(name: string, conditions: object[]): Promise<void> {
  const body = [{ op: 'add', path: '/status/conditions', value: conditions }];
  await env.core.patchNodeStatus({ name, body });
}

/** A service account with the rights of the chart's Role, without the verb. @returns the path of its kubeconfig. */
async function limitedUser(name = 'controller', without?: { resource: string; verb: string }): Promise<string> {
  const { name: namespace, config, kubeconfig } = env.namespace;
  const rbac = config.makeApiClient(RbacAuthorizationV1Api);
  const rule = (apiGroup: string, resource: string, ...verbs: string[]) => ({
    apiGroups: [apiGroup],
    resources: [resource],
    verbs: verbs.filter((verb) => without?.resource !== resource || verb !== without.verb),
  });
  const all = [
    rule('tearsheet.dev', 'screenshotjobs', 'get', 'list', 'watch', 'create', 'patch', 'delete'),
    rule('tearsheet.dev', 'screenshotjobs/status', 'patch'),
    rule('tearsheet.dev', 'screenshotjobs/finalizers', 'update'),
    rule('batch', 'jobs', 'get', 'list', 'watch', 'create', 'delete'),
    rule('', 'pods', 'list', 'watch'),
    rule('', 'events', 'create', 'list'),
    rule('coordination.k8s.io', 'leases', 'create'),
    { ...rule('coordination.k8s.io', 'leases', 'get', 'update'), resourceNames: ['tearsheet-controller'] },
    { ...rule('', 'configmaps', 'get'), resourceNames: ['tearsheet-capture-profile'] },
  ];
  const rules = all.filter(({ verbs }) => verbs.length > 0);
  await env.core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
  await rbac.createNamespacedRole({ namespace, body: { metadata: { name }, rules } });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  await rbac.createNamespacedRoleBinding({ namespace, body: { metadata: { name }, roleRef, subjects } });
  const request = { name, namespace, body: { spec: { audiences: [], expirationSeconds: 3_600 } } };
  const { status } = await env.core.createNamespacedServiceAccountToken(request);
  const file = path.join(env.folder, `${name}.kubeconfig`);
  const { clusters } = JSON.parse(config.exportConfig()) as { clusters: { name: string }[] };
  const own = {
    ...{ apiVersion: 'v1', kind: 'Config', clusters, 'current-context': 'limited' },
    users: [{ name: 'limited', user: { token: status?.token } }],
    contexts: [{ name: 'limited', context: { cluster: clusters[0]?.name, user: 'limited' } }],
  };
  await writeFile(file, JSON.stringify(own));
  expect(kubeconfig).not.toBe(file);
  return file;
}
