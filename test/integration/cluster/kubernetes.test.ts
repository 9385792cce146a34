import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectKubernetes, type KubernetesCluster } from '../../../src/cluster/kubernetes/kubernetesCluster.ts';
import { ConflictError, RefusedError } from '../../../src/cluster/port.ts';
import { CaptureProfile } from '../../../src/contract/captureProfile.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type Asked,
  hangUp,
  json,
  type MisbehavingApiServer,
  misbehavingApiServer,
  refuse,
} from '../../support/misbehavingApiServer.ts';
import { required } from '../../support/required.ts';
import { expectLoggedErrors, TEST_LOG } from '../../support/testLog.ts';

const INSTALLATION = '0d4a3f6e-57a1-4f3e-9a7a-d1c1d6c9d7f0';
const RESOURCES = '/apis/tearsheet.dev/v1alpha1/namespaces/test/screenshotjobs';
const JOBS = '/apis/batch/v1/namespaces/test/jobs';
const PODS = '/api/v1/namespaces/test/pods';
const EVENTS = '/api/v1/namespaces/test/events';

let server: MisbehavingApiServer;
let cluster: KubernetesCluster;

beforeEach(async () => {
  server = await misbehavingApiServer();
  for (const path of [RESOURCES, JOBS, PODS]) server.on(`GET ${path}`, list());
  cluster = await connectKubernetes({
    ...{ namespace: 'test', installation: INSTALLATION, kubeconfig: server.kubeconfig, log: TEST_LOG },
    profile: CaptureProfile.parse({ image: 'tearsheet:1', serviceAccountName: 'capture' }),
  });
});
afterEach(async () => {
  await cluster.close();
  await server.close();
});

const list = (...items: object[]) => json(200, { metadata: { resourceVersion: '100' }, items });
const metadata = (name: string, version: number, more: object = {}) => ({
  ...{
    name,
    uid: `uid-${name}`,
    resourceVersion: String(version),
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  labels: { 'tearsheet.dev/installation': INSTALLATION, 'tearsheet.dev/screenshotjob': 'set-1' },
  ...more,
});
const SPEC = {
  ...{ organization: 'acme', job: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed', ads: 1, batches: 1, screenshots: 1 },
  ...{ parallelism: 1, retries: 3, ttlSecondsAfterFinished: 60 },
  deadlines: { schedulingSeconds: 60, captureSeconds: 60 },
};
const resource = (version: number, more: object = {}) => ({
  kind: 'ScreenshotJob',
  metadata: metadata('set-1', version, more),
  spec: SPEC,
});
const job = (version: number, more: object = {}) => ({
  ...{ kind: 'Job', spec: { completions: 1, parallelism: 1 }, status: {} },
  metadata: metadata('set-1-1', version, { ownerReferences: [{ uid: 'uid-set-1', controller: true }], ...more }),
});
const JOB_SPEC = {
  ...{ name: 'set-1-1', owner: { name: 'set-1', uid: 'uid-set-1' }, jobId: SPEC.job, organization: 'acme', indexes: 1 },
  priority: 'normal' as const,
  ...{ parallelism: 1, retriesPerIndex: 3, podDeadlineSeconds: 60, jobDeadlineSeconds: 600, environment: {} },
};
const conflict = refuse(409, 'Conflict');
const exists = refuse(409, 'AlreadyExists');
const asked = (what: string) => server.asked.filter(({ method, path }) => `${method} ${path}` === what);
/** The watch of this path that is open. */
const watchOf = (path: string) =>
  eventually(() => required(server.watches.findLast(({ asked: { path: at } }) => at === path)));
const given = async (object: object) => {
  server.on(`GET ${RESOURCES}`, list(object));
  return required(await cluster.getScreenshotJob('set-1'));
};

test('a written object is read at once, before the watch reports it', async () => {
  server.on(`POST ${RESOURCES}`, json(201, resource(105)));
  server.on(`POST ${JOBS}`, json(201, job(106)));
  await cluster.createScreenshotJob('set-1', SPEC);
  expect(await cluster.getScreenshotJob('set-1')).toMatchObject({ uid: 'uid-set-1', version: '105' });
  await cluster.createJob(JOB_SPEC);
  expect(await cluster.getJob('set-1-1')).toMatchObject({ uid: 'uid-set-1-1' });
});

test('a ScreenshotJob of a traced request has its traceparent as an annotation', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  server.on(`POST ${RESOURCES}`, json(201, resource(105)));
  await cluster.createScreenshotJob('set-1', SPEC, traceparent);
  await cluster.createScreenshotJob('set-1', SPEC);
  const [traced, other] = asked(`POST ${RESOURCES}`).map(({ body }) => body);
  expect(traced).toMatchObject({ metadata: { annotations: { 'tearsheet.dev/traceparent': traceparent } } });
  expect(other).not.toHaveProperty('metadata.annotations');
});

test('a deleted object stays gone although the watch reports an older change of it', async () => {
  server.on(`GET ${JOBS}`, list(job(50)));
  server.on(`DELETE ${JOBS}/set-1-1`, json(200, { kind: 'Status', status: 'Success' }));
  const seen = required(await cluster.getJob('set-1-1'));
  await cluster.deleteJob(seen);
  expect(await cluster.getJob('set-1-1')).toBeUndefined();
  const watch = await watchOf(JOBS);
  const changedNames: string[] = [];
  cluster.watch((name) => changedNames.push(name));
  watch.send('MODIFIED', job(104));
  watch.send('ADDED', { ...job(105), metadata: metadata('set-2-1', 105) });
  await eventually(async () => expect(await cluster.getJob('set-2-1')).toBeDefined());
  expect(await cluster.getJob('set-1-1')).toBeUndefined();
});

test('a create whose answer was lost finds the object as ours', async () => {
  server.next(`POST ${JOBS}`, hangUp, exists);
  server.on(`GET ${JOBS}/set-1-1`, json(200, job(105)));
  expect(await cluster.createJob(JOB_SPEC)).toBe('exists');
  server.next(`POST ${RESOURCES}`, hangUp, exists);
  server.on(`GET ${RESOURCES}/set-1`, json(200, resource(106)));
  expect(await cluster.createScreenshotJob('set-1', SPEC)).toBe('exists');
  expect(await cluster.getScreenshotJob('set-1')).toMatchObject({ version: '106' });
});

test.each<[why: string, there: object | undefined]>([
  ['of another owner', job(105, { ownerReferences: [{ uid: 'another', controller: true }] })],
  ['being deleted', job(105, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
  ['deleted before it is read', undefined],
])('an existing Job of the same name that is %s is not used', async (_why, there) => {
  server.on(`POST ${JOBS}`, exists);
  server.on(`GET ${JOBS}/set-1-1`, there === undefined ? refuse(404, 'NotFound') : json(200, there));
  await expect(cluster.createJob(JOB_SPEC)).rejects.toThrow(ConflictError);
});

test('a create that a quota denies is a RefusedError with its reason, and a server error is not', async () => {
  const denied = {
    kind: 'Status',
    code: 403,
    reason: 'Forbidden',
    message: 'jobs.batch "set-1-1" is forbidden: exceeded quota: jobs',
  };
  server.next(
    `POST ${JOBS}`,
    json(403, denied),
    refuse(403, 'Forbidden'),
    refuse(422, 'Invalid'),
    refuse(500, 'InternalError'),
  );
  const failure = async () => cluster.createJob(JOB_SPEC).catch((error: unknown) => error);
  expect(await failure()).toMatchObject({ reason: 'QuotaExceeded' });
  expect(await failure()).toMatchObject({ reason: 'PodRejected' });
  expect(await failure()).toMatchObject({ reason: 'PodRejected' });
  expect(await failure()).not.toBeInstanceOf(RefusedError);
});

test.each([
  'jobs.batch is forbidden: User "system:serviceaccount:shots:t-controller" cannot create resource "jobs" in API group "batch" in the namespace "shots"',
  'jobs.batch is forbidden: User "t" cannot create resource "jobs" in API group "batch" in the namespace "shots": RBAC: role.rbac.authorization.k8s.io "t" not found',
  'jobs.batch "set-1-1" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: , <nil>',
])(
  'a create for which the controller lacks a right is PermissionDenied, with the message of the API server: %s',
  async (message) => {
    const denied = { kind: 'Status', code: 403, reason: 'Forbidden', message };
    server.on(`POST ${JOBS}`, json(403, denied));
    await expect(cluster.createJob(JOB_SPEC)).rejects.toMatchObject({
      reason: 'PermissionDenied',
      message: expect.stringContaining(message),
    });
  },
);

test.each([
  'admission webhook "policy.example" denied the request: User "t" cannot create resource "jobs" here',
  'jobs.batch "set-1-1" is forbidden: ValidatingAdmissionPolicy \'p\' with binding \'b\' denied request: User "t" cannot create jobs',
])('a create that an admission policy denies is PodRejected, whatever its message is: %s', async (message) => {
  server.on(`POST ${JOBS}`, json(403, { kind: 'Status', code: 403, reason: 'Forbidden', message }));
  await expect(cluster.createJob(JOB_SPEC)).rejects.toMatchObject({ reason: 'PodRejected' });
});

test('a part of the capture profile that no version of the client knows reaches the API server, which judges it', async () => {
  const affinity = { nodeAffinity: 5, madeUp: { field: true } };
  const strict = await connectKubernetes({
    ...{ namespace: 'test', installation: INSTALLATION, kubeconfig: server.kubeconfig, log: TEST_LOG },
    profile: CaptureProfile.parse({ image: 'tearsheet:1', serviceAccountName: 'capture', affinity }),
  });
  server.on(`POST ${JOBS}`, refuse(400, 'BadRequest'));
  await expect(strict.createJob(JOB_SPEC)).rejects.toBeInstanceOf(RefusedError);
  server.on(`POST ${JOBS}`, json(201, job(1)));
  server.on(`POST ${PODS}`, refuse(400, 'BadRequest'));
  await expect(strict.dryRunCaptures({ pods: true })).rejects.toBeInstanceOf(RefusedError);
  await strict.close();
  const [made, , pod] = server.asked.filter(({ method }) => method === 'POST');
  expect(made?.query.get('fieldValidation')).toBe('Strict');
  expect(made?.body).toMatchObject({ spec: { template: { spec: { affinity } } } });
  expect(pod?.query.get('dryRun')).toBe('All');
  expect(pod?.body).toMatchObject({ spec: { affinity } });
});

test('a create in a namespace that is being deleted is not a RefusedError', async () => {
  const details = { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] };
  server.on(`POST ${JOBS}`, refuse(403, 'Forbidden', { details }));
  server.on(`POST ${RESOURCES}`, refuse(403, 'Forbidden', { details }));
  for (const make of [() => cluster.createJob(JOB_SPEC), () => cluster.createScreenshotJob('set-1', SPEC)]) {
    const error = await make().catch((caught: unknown) => caught);
    expect(error).not.toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ code: 403 });
  }
});

test('a deletion is not judged until it is known whether the namespace is being deleted', async () => {
  server.on(`GET ${RESOURCES}`, list(resource(50, { deletionTimestamp: '2026-01-01T00:00:00Z' })));
  server.on(`POST ${EVENTS}`, refuse(500, 'InternalError'));
  await expect(cluster.getScreenshotJob('set-1')).rejects.toThrow('InternalError');
  server.on(`POST ${EVENTS}`, json(201, {}));
  expect(await cluster.getScreenshotJob('set-1')).toMatchObject({ deleting: true, removedByUs: false });
  expect(asked(`POST ${EVENTS}`).every(({ query }) => query.get('dryRun') === 'All')).toBe(true);
});

test('a release removes only our finalizer, and fails after a conflict so that it is reconciled again', async () => {
  const deleted = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['other/one', 'tearsheet.dev/settle'] };
  server.on(`POST ${EVENTS}`, json(201, {}));
  const seen = await given(resource(50, deleted));
  server.on(`GET ${RESOURCES}/set-1`, json(200, resource(105, deleted)));
  server.next(
    `PATCH ${RESOURCES}/set-1`,
    conflict,
    json(200, resource(120, { ...deleted, finalizers: ['other/one'] })),
  );
  await expect(cluster.releaseScreenshotJob(seen)).rejects.toThrow(ConflictError);
  await cluster.releaseScreenshotJob(seen);
  const patch = { metadata: { resourceVersion: '105', finalizers: ['other/one'] } };
  expect(asked(`PATCH ${RESOURCES}/set-1`).map(({ body }) => body)).toEqual([patch, patch]);
});

test('a ScreenshotJob of this job whose label names another installation gets our label back', async () => {
  const labels = { 'tearsheet.dev/installation': 'another' };
  server.on(`POST ${RESOURCES}`, exists);
  server.on(`GET ${RESOURCES}/set-1`, json(200, resource(105, { labels })));
  server.on(`PATCH ${RESOURCES}/set-1`, json(200, resource(106)));
  expect(await cluster.createScreenshotJob('set-1', SPEC)).toBe('exists');
  const patch = { metadata: { uid: 'uid-set-1', labels: { 'tearsheet.dev/installation': INSTALLATION } } };
  expect(asked(`PATCH ${RESOURCES}/set-1`).map(({ body }) => body)).toEqual([patch]);
  const job = '2c0e7dd5-1b1c-4f0c-9d35-7f3f5c1a0b2d';
  await expect(cluster.createScreenshotJob('set-1', { ...SPEC, job })).rejects.toThrow(/another installation/);
});

test('objects without our label are those without a label and those with that of another installation', async () => {
  const none = '!tearsheet.dev/installation';
  const foreign = `tearsheet.dev/installation,tearsheet.dev/installation!=${INSTALLATION}`;
  const unlabeled = resource(50, { name: 'set-2', labels: {} });
  const ofAnother = resource(51, { labels: { 'tearsheet.dev/installation': 'another' } });
  server.on(`GET ${RESOURCES}`, (request, response) => {
    const items = { [none]: [unlabeled], [foreign]: [ofAnother] }[request.query.get('labelSelector') ?? ''];
    return list(...(items ?? []))(request, response);
  });
  const { resources } = await cluster.listUnlabeled();
  expect(resources.map(({ installation, resource: { name } }) => [name, installation])).toEqual([
    ['set-2', undefined],
    ['set-1', 'another'],
  ]);
});

test('a release does not touch a new object of the same name', async () => {
  const seen = await given(resource(50, { finalizers: ['tearsheet.dev/settle'] }));
  server.on(`GET ${RESOURCES}/set-1`, json(200, resource(105, { uid: 'new', finalizers: ['tearsheet.dev/settle'] })));
  server.on(`PATCH ${RESOURCES}/set-1`, json(200, resource(106, { uid: 'new' })));
  await cluster.releaseScreenshotJob(seen);
  expect(asked(`PATCH ${RESOURCES}/set-1`)).toEqual([]);
});

test('a status write names the version that was read, and a deletion the uid', async () => {
  const seen = await given(resource(50));
  server.on(`PATCH ${RESOURCES}/set-1/status`, json(200, resource(105)));
  server.on(`PATCH ${RESOURCES}/set-1`, json(200, resource(106)));
  server.on(`DELETE ${RESOURCES}/set-1`, json(200, { kind: 'Status', status: 'Success' }));
  await cluster.updateStatus(seen, { reason: 'Running', total: 1, done: 0, failed: 0, pods: 1, conditions: [] });
  await cluster.deleteScreenshotJob(seen);
  const bodies = server.asked.flatMap(({ method, body }: Asked) => (body === undefined ? [] : [{ method, body }]));
  expect(bodies).toMatchObject([
    { method: 'PATCH', body: { metadata: { resourceVersion: '50' }, status: { reason: 'Running' } } },
    {
      method: 'PATCH',
      body: { metadata: { uid: 'uid-set-1', annotations: { 'tearsheet.dev/removed-by': 'controller' } } },
    },
    { method: 'DELETE', body: { preconditions: { uid: 'uid-set-1' }, propagationPolicy: 'Background' } },
  ]);
  expect(await cluster.getScreenshotJob('set-1')).toBeUndefined();
});

test('nothing is deleted if the annotation of the removal cannot be set', async () => {
  const seen = await given(resource(50));
  server.on(`PATCH ${RESOURCES}/set-1`, refuse(500, 'InternalError'));
  await expect(cluster.deleteScreenshotJob(seen)).rejects.toThrow('InternalError');
  const details = { causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }] };
  server.on(`PATCH ${RESOURCES}/set-1`, refuse(422, 'Invalid', { details }));
  await cluster.deleteScreenshotJob(seen);
  expect(asked(`DELETE ${RESOURCES}/set-1`)).toEqual([]);
});

test('a resize of a Job that is gone or was replaced is no error, and one after a conflict is', async () => {
  server.on(`GET ${JOBS}`, list(job(50)));
  const seen = required(await cluster.getJob('set-1-1'));
  server.on(`PATCH ${JOBS}/set-1-1`, conflict);
  await expect(cluster.resizeJob(seen, 2)).rejects.toBeInstanceOf(ConflictError);
  // The API server answers so to a patch that names another uid.
  const details = { causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }] };
  server.on(`PATCH ${JOBS}/set-1-1`, refuse(422, 'Invalid', { details }));
  await cluster.resizeJob(seen, 2);
  expect(asked(`PATCH ${JOBS}/set-1-1`).at(-1)?.body).toEqual({
    ...{ metadata: { uid: 'uid-set-1-1' }, spec: { parallelism: 2 } },
  });
  expect(await cluster.getJob('set-1-1')).toBeUndefined();
});

test('a watcher that throws keeps no change from the other watchers', async () => {
  const names: string[] = [];
  cluster.watch(() => {
    throw new Error('A watcher that fails.');
  });
  cluster.watch((name) => names.push(name));
  (await watchOf(RESOURCES)).send('ADDED', resource(105));
  await eventually(() => expect(names).toEqual(['set-1']));
  expectLoggedErrors(/^a watcher of the cluster failed$/);
});

test('Events are read once for all Jobs, and an error of that read stops nothing', async () => {
  const jobs = Array.from({ length: 20 }, (_, index) => ({
    ...job(50),
    metadata: metadata(`set-${index}-1`, 50 + index),
  }));
  server.on(`GET ${JOBS}`, list(...jobs));
  server.on(`GET ${EVENTS}`, refuse(500, 'InternalError'));
  const all = () => Promise.all(jobs.map(({ metadata: { name } }) => cluster.getJob(name)));
  // Events are read for Jobs that have had no pods for a while, and used again for 4 s. One round of reads needs them.
  await eventually(async () => {
    await all();
    expect(asked(`GET ${EVENTS}`)).not.toEqual([]);
  });
  expect(asked(`GET ${EVENTS}`)).toHaveLength(1);
  expect((await all()).every((view) => view?.problem === undefined)).toBe(true);
});

test('a closed cluster sends no more requests', async () => {
  await cluster.listScreenshotJobs();
  await cluster.close();
  const before = server.asked.length;
  await expect(cluster.createJob(JOB_SPEC)).rejects.toThrow('closed');
  await expect(cluster.createScreenshotJob('set-1', SPEC)).rejects.toThrow('closed');
  expect(server.asked).toHaveLength(before);
});
