import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { connect } from '../../../src/cluster/kubernetes/client/connection.ts';
import { Elector } from '../../../src/cluster/kubernetes/elector.ts';
import { eventually } from '../../support/eventually.ts';
import { TEST_LOG } from '../../support/testLog.ts';
import { type ApiServerProxy, startApiServerProxy } from './apiServerProxy.ts';
import {
  type ClientTestEnvironment,
  createEnvironment,
  createScreenshotJob,
  jobSpec,
  resourceSpec,
} from './environment.ts';

let env: ClientTestEnvironment;
const open: (() => Promise<void>)[] = [];

beforeAll(async () => {
  env = await createEnvironment('network');
});
afterEach(() => {
  vi.unstubAllEnvs();
});
afterAll(async () => {
  for (const close of open) await close();
  await env?.close();
});

async function relayed(): Promise<ApiServerProxy> {
  const it = await startApiServerProxy(env.namespace.kubeconfig, env.folder);
  open.push(() => it.close());
  return it;
}

test('three watches and 100 calls share a few connections', async () => {
  const network = await relayed();
  const cluster = await env.connect({ kubeconfig: network.kubeconfig });
  const name = `set-${randomUUID()}`;
  const seen = await createScreenshotJob(cluster, name);
  for (let count = 0; count < 50; count += 1) {
    expect(await cluster.createScreenshotJob(name, seen.spec)).toBe('exists');
    await cluster.recordEvent(seen, { type: 'Normal', reason: 'Queued', message: `Time ${count}.` });
  }
  // Watches, lists and simultaneous calls need some. A machine that pauses for seconds closes idle ones, which are replaced.
  expect(network.connections).toBeLessThanOrEqual(50);
});

test('a set of calls succeeds although the network cuts every connection', async () => {
  const network = await relayed();
  const cluster = await env.connect({ kubeconfig: network.kubeconfig });
  const changes: string[] = [];
  cluster.watch((name) => changes.push(name));
  await createScreenshotJob(cluster, 'set-b');
  const other = await env.connect();
  network.closeConnections();
  await createScreenshotJob(other, 'set-c');
  await eventually(async () => expect(await cluster.getScreenshotJob('set-c')).toMatchObject({ name: 'set-c' }));
  network.closeConnections();
  expect(await cluster.createScreenshotJob('set-d', resourceSpec())).toBe('created');
  await eventually(() => expect(changes).toEqual(expect.arrayContaining(['set-b', 'set-c', 'set-d'])));
});

test('the staleness grows while the network delivers nothing', async () => {
  const network = await relayed();
  const cluster = await env.connect({ kubeconfig: network.kubeconfig });
  expect(cluster.staleness()).toBeUndefined();
  await cluster.listScreenshotJobs();
  network.stall();
  const before = cluster.staleness() ?? 0;
  await eventually(() => expect(cluster.staleness()).toBeGreaterThan(before + 300));
});

test('a process in a pod uses its service account and follows a rotated token without an error', async () => {
  const { name: namespace, config } = env.namespace;
  const server = config.getCurrentCluster();
  const { hostname, port } = new URL(server?.server ?? '');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', hostname);
  vi.stubEnv('KUBERNETES_SERVICE_PORT', port);
  const folder = path.join(env.folder, 'var/run/secrets/kubernetes.io/serviceaccount');
  await mkdir(folder, { recursive: true });
  await copyFile(server?.caFile ?? '', path.join(folder, 'ca.crt')).catch(() =>
    writeFile(path.join(folder, 'ca.crt'), Buffer.from(server?.caData ?? '', 'base64')),
  );
  const put = (token: string) => writeFile(path.join(folder, 'token'), token);
  await put('one that has expired');
  const connection = await connect({ load: (kubeconfig) => kubeconfig.loadFromCluster(env.folder) });
  open.push(() => connection.close());
  const review = () => connection.apis.authentication.createSelfSubjectReview({ body: {} });
  await expect(review()).rejects.toThrow('401');
  const request = { name: 'default', namespace, body: { spec: { audiences: [], expirationSeconds: 600 } } };
  const { status } = await env.core.createNamespacedServiceAccountToken(request);
  await put(status?.token ?? '');
  const username = `system:serviceaccount:${namespace}:default`;
  expect(await review()).toMatchObject({ status: { userInfo: { username } } });
});

interface Candidate {
  readonly elector: Elector;
  readonly transitions: string[];
}

async function candidate(
  identity: string,
  leaseName: string,
  { kubeconfig = env.namespace.kubeconfig, leaseSeconds }: { kubeconfig?: string; leaseSeconds: number },
): Promise<Candidate> {
  const connection = await connect({ kubeconfig });
  const transitions: string[] = [];
  const elector = new Elector(
    { connection, namespace: env.namespace.name, log: TEST_LOG },
    {
      ...{ identity, leaseName, leaseSeconds, renewSeconds: leaseSeconds * 0.7, retrySeconds: 0.2 },
      onElected: () => transitions.push('elected'),
      onLost: () => transitions.push('lost'),
    },
  );
  open.push(async () => {
    await elector.stop();
    await connection.close();
  });
  return { elector, transitions };
}

test('one of three candidates leads, and another one takes over at once when it stops', async () => {
  // A candidate that waits for the Lease to expire would wait for an hour.
  const all = await Promise.all(['a', 'b', 'c'].map((name) => candidate(name, 'orderly', { leaseSeconds: 3_600 })));
  const leaders = () => all.filter(({ transitions }) => transitions.length > 0);
  await eventually(() => expect(leaders()).toHaveLength(1));
  const [first] = leaders();
  await first?.elector.stop();
  await eventually(() => expect(leaders()).toHaveLength(2));
  expect(all.flatMap(({ transitions }) => transitions)).toEqual(['elected', 'elected']);
});

test('a leader without a network loses leadership before another one leads and writes nothing afterwards', async () => {
  const network = await relayed();
  const first = await candidate('a', 'frozen', { kubeconfig: network.kubeconfig, leaseSeconds: 6 });
  // A leader on a slow machine may have lost leadership already. The next one still leads after it.
  await eventually(() => expect(first.transitions).toContain('elected'));
  const second = await candidate('b', 'frozen', { leaseSeconds: 6 });
  network.stall();
  await eventually(() => expect(second.transitions).toContain('elected'));
  expect(first.transitions).toEqual(['elected', 'lost']);
  network.resume();
  await first.elector.stop();
  const again = await candidate('c', 'frozen', { leaseSeconds: 6 });
  await second.elector.stop();
  await eventually(() => expect(again.transitions).toContain('elected'));
});

test('a watch after a network failure reports an object that was replaced under the same name', async () => {
  const network = await relayed();
  const cluster = await env.connect({ kubeconfig: network.kubeconfig });
  const other = await env.connect();
  const owner = await createScreenshotJob(cluster, 'set-e');
  await cluster.createJob(jobSpec(owner));
  const before = await cluster.getJob('set-e-1');
  network.closeConnections();
  await other.deleteJob({ name: 'set-e-1', uid: before?.uid ?? '' });
  expect(await other.createJob(jobSpec(owner))).toBe('created');
  await eventually(async () => {
    const now = await cluster.getJob('set-e-1');
    expect(now?.uid).toBeDefined();
    expect(now?.uid).not.toBe(before?.uid);
  });
});
