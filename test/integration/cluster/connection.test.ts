import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError, SilenceError, UnreachableError } from '../../../src/cluster/kubernetes/client/apiErrors.ts';
import {
  type CallOptions,
  type ClusterConnection,
  type ConnectionOptions,
  connect as connectTo,
} from '../../../src/cluster/kubernetes/client/connection.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeClock } from '../../support/fakeClock.ts';
import {
  hangUp,
  json,
  type MisbehavingApiServer,
  misbehavingApiServer,
  refuse,
  silence,
} from '../../support/misbehavingApiServer.ts';

const PATH = '/api/v1/namespaces/test/pods';
const POD = { namespace: 'test', name: 'a' };

let server: MisbehavingApiServer;
let api: ClusterConnection;

beforeEach(async () => {
  server = await misbehavingApiServer();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await api?.close();
  await server.close();
});

async function connect(options: ConnectionOptions = {}): Promise<void> {
  api = await connectTo({ kubeconfig: server.kubeconfig, ...options });
}

const list = () => api.apis.core.listNamespacedPod(POD);
const get = (call?: CallOptions) => api.apis.core.readNamespacedPod(POD, api.options(call));
const named = (name: string) => ({ metadata: { name } });

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('It should have failed.'),
    (error: unknown) => error,
  );

const patience = (seconds: string) => refuse(429, 'TooManyRequests', { headers: { 'retry-after': seconds } });

test('100 requests share two connections at most', async () => {
  await connect();
  server.on(`GET ${PATH}`, json(200, { items: [] }));
  for (let count = 0; count < 100; count += 1) await list();
  expect(server.asked).toHaveLength(100);
  // The next one may be on its way before the last one's connection is free again.
  expect(server.connections).toBeLessThanOrEqual(2);
});

test('a call waits for Retry-After and is repeated', async () => {
  const clock = fakeClock();
  clock.skipSleeps();
  await connect({ clock });
  server.next(`GET ${PATH}/a`, patience('2'), patience('3'), json(200, named('here')));
  expect(await get()).toMatchObject(named('here'));
  expect(clock.slept).toEqual([2_000, 3_000]);
});

test.each(['16', '31536000'])('a call does not wait beyond its deadline for a Retry-After of %s s', async (seconds) => {
  const clock = fakeClock();
  clock.skipSleeps();
  await connect({ clock });
  server.on(`GET ${PATH}/a`, patience(seconds));
  expect(await failureOf(get())).toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
  });
  expect(clock.slept).toEqual([]);
  expect(server.asked).toHaveLength(1);
});

test.each(['-5', '0', 'Wed, 21 Oct 2065 07:28:00 GMT', 'NaN'])(
  'a Retry-After of %j leads to a limited number of retries with a pause',
  async (text) => {
    const clock = fakeClock();
    clock.skipSleeps();
    await connect({ clock });
    server.on(`GET ${PATH}/a`, patience(text));
    expect(await failureOf(get({ deadlineMs: 3_000 }))).toBeInstanceOf(ApiError);
    expect(Math.min(...clock.slept)).toBeGreaterThanOrEqual(100);
    expect(server.asked.length).toBeLessThanOrEqual(31);
  },
);

test('a call fails at its deadline with the last answer while the API server answers 503', async () => {
  const clock = fakeClock();
  clock.skipSleeps();
  await connect({ clock });
  server.on(`GET ${PATH}/a`, refuse(503, 'ServiceUnavailable'));
  const begun = clock.now();
  expect(await failureOf(get())).toMatchObject({ code: 503 });
  expect(clock.now() - begun).toBeLessThanOrEqual(15_000);
  expect(server.asked.length).toBeGreaterThan(5);
});

test('the deadline of a call covers the headers and the body of the answer', async () => {
  await connect();
  server.on(`GET ${PATH}/a`, silence);
  const first = await failureOf(get({ deadlineMs: 150 }));
  expect(first).toBeInstanceOf(UnreachableError);
  expect(String(first)).toContain(`get ${PATH}/a: no answer within 0.15 s`);
  server.on(`GET ${PATH}/a`, (_asked, response) => {
    response.writeHead(200).write('{"half":');
  });
  expect(String(await failureOf(get({ deadlineMs: 150 })))).toContain('no answer within');
});

test('a call is repeated once after its connection broke', async () => {
  await connect();
  server.next(`POST ${PATH}`, hangUp, json(201, named('made')));
  expect(await api.apis.core.createNamespacedPod({ namespace: 'test', body: {} })).toMatchObject(named('made'));
  server.on(`GET ${PATH}/a`, hangUp);
  expect(await failureOf(get())).toBeInstanceOf(UnreachableError);
  expect(server.asked.filter(({ method }) => method === 'GET')).toHaveLength(2);
});

test('an error has the message of the API server or of a proxy', async () => {
  await connect();
  const causes = [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }];
  server.next(`GET ${PATH}/a`, refuse(403, 'Forbidden', { details: { causes } }));
  expect(await failureOf(get())).toMatchObject({
    code: 403,
    reason: 'Forbidden',
    causes,
  });
  server.next(`GET ${PATH}/a`, (_asked, response) => void response.writeHead(502).end('<h1>Bad Gateway</h1>'));
  const answer = await failureOf(get());
  expect(answer).toMatchObject({ code: 502 });
  expect(String(answer)).toContain('<h1>Bad Gateway</h1>');
});

test('an answer that is not JSON is an error with the call', async () => {
  await connect();
  server.on(`GET ${PATH}/a`, (_asked, response) => void response.writeHead(200).end('<h1>Sign in</h1>'));
  const answer = await failureOf(get());
  expect(answer).toBeInstanceOf(UnreachableError);
  expect(String(answer)).toContain(`get ${PATH}/a: the answer is not JSON: <h1>Sign in</h1>`);
});

test('the kubeconfig is read again after a 401 and only then', async () => {
  await connect();
  server.on(`GET ${PATH}/a`, (asked, response) => {
    const isNew = asked.headers.authorization === 'Bearer second';
    return (isNew ? json(200, named('new')) : refuse(401, 'Unauthorized'))(asked, response);
  });
  await server.configure({ token: 'second' });
  // The first call reads the first kubeconfig: it was loaded before.
  expect(await get()).toMatchObject(named('new'));
  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  await server.configure({ token: 'third' });
  expect(await get()).toMatchObject(named('new'));
  server.on(`GET ${PATH}/a`, refuse(401, 'Unauthorized'));
  expect(await failureOf(get())).toMatchObject({ code: 401 });
  expect(server.asked).toHaveLength(5);
});

test('a call that waits for a credential plug-in fails at its deadline', async () => {
  const command = { command: process.execPath, args: ['-e', 'setTimeout(() => {}, 20_000)'] };
  await server.configure({ exec: { ...command, apiVersion: 'client.authentication.k8s.io/v1' } });
  await connect({ readMs: 200 });
  expect(String(await failureOf(get({ deadlineMs: 150 })))).toContain('no answer within 0.15 s');
  expect(String(await failureOf(get()))).toContain('credentials of the kubeconfig could not be read: took longer than');
  expect(server.asked).toEqual([]);
});

test('a credential plug-in that hangs is ended, and a later call starts it again', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-plugin-'));
  const pidFile = path.join(folder, 'pid');
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'late' },
  };
  const script = `const { existsSync, writeFileSync } = require('node:fs');
    if (existsSync('${pidFile}')) console.log('${JSON.stringify(credential)}');
    else { writeFileSync('${pidFile}', String(process.pid)); setTimeout(() => {}, 60_000); }`;
  const exec = { command: process.execPath, args: ['-e', script], apiVersion: credential.apiVersion };
  await server.configure({ exec });
  await connect({ readMs: 2_000 });
  server.on(`GET ${PATH}/a`, json(200, named('here')));
  const first = failureOf(get({ deadlineMs: 1_500 }));
  await eventually(() => expect(existsSync(pidFile)).toBe(true));
  expect(String(await first)).toContain('no answer within 1.5 s');
  expect(await get()).toMatchObject(named('here'));
  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer late']);
  const pid = Number(await readFile(pidFile, 'utf8'));
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  await rm(folder, { recursive: true });
});

test('the kubeconfig of the environment is used if no path is given', async () => {
  vi.stubEnv('KUBECONFIG', server.kubeconfig);
  api = await connectTo({});
  server.on(`GET ${PATH}/a`, json(200, named('here')));
  expect(await get()).toMatchObject(named('here'));
});

test('calls go through the proxy of the kubeconfig', async () => {
  const asked: string[] = [];
  const proxy = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(named('here')));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  await server.configure({ token: 'first' }, { 'proxy-url': `http://127.0.0.1:${port}` });
  await connect();
  expect(await get()).toMatchObject(named('here'));
  expect(asked).toEqual([`${server.url}${PATH}/a`]);
  proxy.close();
});

test('a server with a path gets it before the path of each call', async () => {
  await server.configure({ token: 'first' }, { server: `${server.url}/clusters/one/` });
  await connect();
  server.on(`GET /clusters/one${PATH}/a`, json(200, named('here')));
  expect(await get()).toMatchObject(named('here'));
});

test('a patch is a merge patch with the name of our field manager', async () => {
  await connect();
  server.on(`PATCH ${PATH}/a`, json(200, {}));
  await api.apis.core.patchNamespacedPod({ ...POD, body: { metadata: { resourceVersion: '7' } } });
  const [asked] = server.asked;
  expect(asked?.headers['content-type']).toBe('application/merge-patch+json');
  expect(asked?.query.get('fieldManager')).toBe('tearsheet-controller');
  expect(asked?.body).toEqual({ metadata: { resourceVersion: '7' } });
});

test('close ends open calls, and later calls fail', async () => {
  await connect();
  server.on(`GET ${PATH}/a`, silence);
  const waiting = failureOf(get());
  await eventually(() => expect(server.asked).toHaveLength(1));
  await api.close();
  expect(await waiting).toBeInstanceOf(UnreachableError);
  expect(await failureOf(get())).toBeInstanceOf(UnreachableError);
  expect(server.asked).toHaveLength(1);
});

test('close ends a call that waits for Retry-After', async () => {
  // The time of this clock does not pass, so only `close` can end the wait.
  const clock = fakeClock();
  await connect({ clock });
  server.on(`GET ${PATH}/a`, patience('10'));
  const waiting = failureOf(get());
  await eventually(() => expect(clock.sleepers).toBe(1));
  await api.close();
  expect(await waiting).toBeInstanceOf(UnreachableError);
  expect(server.asked).toHaveLength(1);
});

test('each answer is reported with its call and duration, and a missing answer with code 0', async () => {
  const reported: object[] = [];
  await connect({ onResponse: (response) => reported.push(response) });
  server.on(`GET ${PATH}`, json(200, { items: [] }));
  server.on(`GET ${PATH}/a`, hangUp);
  await list();
  await failureOf(get());
  expect(reported).toEqual([
    { verb: 'list', path: PATH, code: 200, seconds: expect.any(Number) },
    { verb: 'get', path: `${PATH}/a`, code: 0, seconds: expect.any(Number) },
    { verb: 'get', path: `${PATH}/a`, code: 0, seconds: expect.any(Number) },
  ]);
});

/** A watch that is open: what it tells, and what it ends with. */
async function watched(idleMs: number) {
  const lines: unknown[] = [];
  const { signal } = new AbortController();
  const watching = failureOf(
    (async () => {
      for await (const line of api.watch(PATH, {}, { signal, idleMs })) lines.push(line);
    })(),
  );
  await eventually(() => expect(server.watches).toHaveLength(1));
  return { lines, watching };
}

test('a watch without data fails after its idle time, which any data restarts', async () => {
  const clock = fakeClock();
  await connect({ clock });
  const { lines, watching } = await watched(400);
  for (const count of [1, 2, 3]) {
    clock.advance(399);
    server.watches[0]?.send('ADDED', { count });
    await eventually(() => expect(lines).toHaveLength(count));
  }
  expect(lines.at(-1)).toEqual({ type: 'ADDED', object: { count: 3 } });
  clock.advance(400);
  const silent = await watching;
  expect(silent).toBeInstanceOf(SilenceError);
  expect(String(silent)).toContain('no data for 0.4 s');
});

test('an incomplete line of a watch is an error and not an event', async () => {
  await connect();
  const { lines, watching } = await watched(5_000);
  server.watches[0]?.cut('{"type":"ADDED","object":{"metadata":{"na');
  expect(await watching).toBeInstanceOf(UnreachableError);
  expect(lines).toEqual([]);
});
