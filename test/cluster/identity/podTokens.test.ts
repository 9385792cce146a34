/** A real API server issues and checks tokens as the kubelet gives them to pods. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CoreV1Api, type KubeConfig, RbacAuthorizationV1Api } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ForbiddenError, UnauthorizedError, UnavailableError } from '../../../src/api/server/errors.ts';
import { connectPodAuthority, type PodAuthority } from '../../../src/commands/service/podAuthority.ts';
import { loadConfig } from '../../../src/config.ts';
import { openStore, type Store } from '../../../src/db/database.ts';
import { type TestNamespace, testNamespace } from '../../support/cluster.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertOrganization } from '../../support/insertRows.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { expectLoggedErrors, TEST_LOG } from '../../support/testLog.ts';

const AUDIENCE = 'tearsheet-internal';
const JOB = randomUUID();
const NAME = `ads-${JOB}`;

let database: TestDatabase;
let store: Store;
let here: TestNamespace;
let elsewhere: TestNamespace;
let folder: string;
let core: CoreV1Api;
let pods: PodAuthority;
const opened: PodAuthority[] = [];

beforeAll(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  const { id } = await insertOrganization(store.db);
  await store.db
    .insertInto('screenshot_jobs')
    .values({ id: JOB, name: NAME, organization_id: id, indexes: 8, parallelism: 1, deadline_at: new Date() })
    .execute();
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-identity-'));
  [here, elsewhere] = await Promise.all([testNamespace('identity'), testNamespace('identity')]);
  core = here.config.makeApiClient(CoreV1Api);
  for (const namespace of [here.name, elsewhere.name]) {
    for (const name of ['capture', 'api']) {
      await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
    }
  }
  pods = await connect(await kubeconfigOfApi());
});

afterAll(async () => {
  for (const authority of opened) await authority.close();
  await here.config.makeApiClient(RbacAuthorizationV1Api).deleteClusterRole({ name: here.name });
  await here.config.makeApiClient(RbacAuthorizationV1Api).deleteClusterRoleBinding({ name: here.name });
  await Promise.all([here.remove(), elsewhere.remove()]);
  await rm(folder, { recursive: true, force: true });
  await store.close();
  await database.close();
});

async function connect(kubeconfig: string): Promise<PodAuthority> {
  const config = loadConfig({ NAMESPACE: here.name, CAPTURE_SERVICE_ACCOUNT: 'capture' });
  const authority = await connectPodAuthority({ config, store, log: TEST_LOG }, kubeconfig);
  opened.push(authority);
  return authority;
}

/** The api's own account, which may create TokenReviews and nothing else. */
async function kubeconfigOfApi(): Promise<string> {
  const rbac = here.config.makeApiClient(RbacAuthorizationV1Api);
  const rules = [{ apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] }];
  const metadata = { name: here.name };
  await rbac.createClusterRole({ body: { metadata, rules } });
  await rbac.createClusterRoleBinding({
    body: {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: here.name },
      subjects: [{ kind: 'ServiceAccount', name: 'api', namespace: here.name }],
    },
  });
  return written(here.config, { user: { token: await tokenOf({ account: 'api', namespace: here.name }) } });
}

async function written(config: KubeConfig, { user, server }: { user?: object; server?: string }): Promise<string> {
  const cluster = config.getCurrentCluster();
  const file = path.join(folder, `${randomUUID()}.kubeconfig`);
  const described = {
    ...{ server: server ?? cluster?.server, 'certificate-authority': cluster?.caFile },
    'certificate-authority-data': cluster?.caData,
  };
  const document = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'it' },
    clusters: [{ name: 'it', cluster: described }],
    users: [{ name: 'it', user: user ?? {} }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  };
  await writeFile(file, JSON.stringify(document));
  return file;
}

/** As the Job controller names the pod of an index, and as the kubelet asks for its token. */
async function podWithToken(given: { index?: number; account?: string; namespace?: string; audience?: string } = {}) {
  const { index = 0, account = 'capture', namespace = here.name, audience = AUDIENCE } = given;
  const name = `${NAME}-1-${index}-${randomUUID().slice(0, 5)}`;
  const securityContext = {
    ...{ runAsNonRoot: true, runAsUser: 10_001, allowPrivilegeEscalation: false },
    ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
  };
  const containers = [{ name: 'capture', image: 'none', securityContext }];
  // The pod must not run: a scheduling gate hides it from the kubelet, if there is one.
  const spec = { serviceAccountName: account, containers, schedulingGates: [{ name: 'tearsheet.dev/never' }] };
  const pod = await core.createNamespacedPod({ namespace, body: { metadata: { name }, spec } });
  const uid = pod.metadata?.uid ?? '';
  return { name, uid, token: await tokenOf({ account, namespace, audience, pod: { name, uid } }) };
}

interface Asked {
  readonly account: string;
  readonly namespace: string;
  /** The API server itself unless given. */
  readonly audience?: string;
  readonly pod?: { readonly name: string; readonly uid: string };
}

async function tokenOf({ account, namespace, audience, pod }: Asked): Promise<string> {
  const boundObjectRef = pod && { kind: 'Pod', apiVersion: 'v1', ...pod };
  const audiences = audience === undefined ? [] : [audience];
  const spec = { audiences, expirationSeconds: 600, ...(boundObjectRef && { boundObjectRef }) };
  const answer = await core.createNamespacedServiceAccountToken({ name: account, namespace, body: { spec } });
  return answer.status?.token ?? '';
}

const admit = (token: string) => pods.authenticator.authenticate(token, JOB, '10.0.0.1');

test('a pod token authenticates the pod and its index with the permissions of the api', async () => {
  const { token, uid } = await podWithToken({ index: 3 });
  expect(await admit(token)).toEqual({ jobId: JOB, pod: { index: 3, uid } });
});

test.each([
  ['for the API server', { audience: 'https://kubernetes.default.svc.cluster.local' }],
  ['for another service', { audience: 'vault' }],
  ['of another account', { account: 'api' }],
])('a token %s is rejected', async (_, given) => {
  const { token } = await podWithToken(given);
  await expect(admit(token)).rejects.toThrow(UnauthorizedError);
});

test('a token of a service account of the same name in another namespace is rejected', async () => {
  const { token } = await podWithToken({ namespace: elsewhere.name });
  await expect(admit(token)).rejects.toThrow(UnauthorizedError);
});

test('a token that is not bound to a pod is rejected', async () => {
  const token = await tokenOf({ account: 'capture', namespace: here.name, audience: AUDIENCE });
  await expect(admit(token)).rejects.toThrow('bound to no pod');
});

test('a token with changed claims is rejected', async () => {
  const { token } = await podWithToken();
  const [head, payload = '', signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  const forged = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 86_400 })).toString('base64url');
  await expect(admit([head, forged, signature].join('.'))).rejects.toThrow(UnauthorizedError);
});

test('the token of a deleted pod is rejected', async () => {
  const { name, token } = await podWithToken();
  await core.deleteNamespacedPod({ name, namespace: here.name, gracePeriodSeconds: 0 });
  await eventually(async () => {
    const fresh = await connect(here.kubeconfig);
    await expect(fresh.authenticator.authenticate(token, JOB, '10.0.0.1')).rejects.toThrow(UnauthorizedError);
  });
});

test('the token of a pod of another job is rejected', async () => {
  const { token } = await podWithToken();
  const other = randomUUID();
  const { organization_id } = await store.db
    .selectFrom('screenshot_jobs')
    .select('organization_id')
    .executeTakeFirstOrThrow();
  await store.db
    .insertInto('screenshot_jobs')
    .values({ id: other, name: `ads-${other}`, organization_id, indexes: 1, parallelism: 1, deadline_at: new Date() })
    .execute();
  await expect(pods.authenticator.authenticate(token, other, '10.0.0.1')).rejects.toThrow(ForbiddenError);
});

test('a token is unavailable, not rejected, if the API server does not answer or forbids TokenReview', async () => {
  expectLoggedErrors(/TokenReview failed/);
  const { token } = await podWithToken();
  const away = await connect(await written(here.config, { server: 'https://127.0.0.1:1' }));
  await expect(away.authenticator.authenticate(token, JOB, '10.0.0.1')).rejects.toThrow(UnavailableError);
  const itself = await tokenOf({ account: 'capture', namespace: here.name });
  const powerless = await connect(await written(here.config, { user: { token: itself } }));
  await expect(powerless.authenticator.authenticate(token, JOB, '10.0.0.1')).rejects.toThrow(UnavailableError);
});
