import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiError, SilenceError, UnreachableError } from '../../../src/cluster/kubernetes/client/apiError.ts';
import {
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
} from '../../../src/cluster/kubernetes/client/apiServer.ts';
import { loadCredentials } from '../../../src/cluster/kubernetes/client/credentials.ts';
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

const PATH = '/api/v1/namespaces/test/things';

let server: MisbehavingApiServer;
let api: ApiServer;

beforeEach(async () => {
  server = await misbehavingApiServer();
});
afterEach(async () => {
  await api?.close();
  await server.close();
});

async function connect(options: Partial<ApiServerOptions> = {}): Promise<ApiServer> {
  api = createApiServer({ credentials: await loadCredentials(server.kubeconfig), ...options });
  return api;
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('It should have failed.'),
    (error: unknown) => error,
  );

const patience = (seconds: string) => refuse(429, 'TooManyRequests', { headers: { 'retry-after': seconds } });

test('A hundred requests share two connections at most', async () => {
  await connect();
  server.on(`GET ${PATH}`, json(200, {}));
  for (let count = 0; count < 100; count += 1) await api.call({ verb: 'list', path: PATH });
  expect(server.asked).toHaveLength(100);
  // The next one may be on its way before the last one's connection is free again.
  expect(server.connections).toBeLessThanOrEqual(2);
});

test('It waits as long as the server asks for, and asks again', async () => {
  const clock = fakeClock();
  clock.skipSleeps();
  await connect({ clock });
  server.next(`GET ${PATH}`, patience('2'), patience('3'), json(200, { here: true }));
  expect(await api.call({ verb: 'get', path: PATH })).toEqual({ here: true });
  expect(clock.slept).toEqual([2_000, 3_000]);
});

test.each(['16', '31536000'])('It does not wait beyond its own deadline: %s s are asked for', async (seconds) => {
  const clock = fakeClock();
  clock.skipSleeps();
  await connect({ clock });
  server.on(`GET ${PATH}`, patience(seconds));
  expect(await failureOf(api.call({ verb: 'get', path: PATH }))).toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
  });
  expect(clock.slept).toEqual([]);
  expect(server.asked).toHaveLength(1);
});

test.each(['-5', '0', 'Wed, 21 Oct 2065 07:28:00 GMT', 'NaN'])(
  'A Retry-After of %j makes it ask neither at once nor for ever',
  async (text) => {
    const clock = fakeClock();
    clock.skipSleeps();
    await connect({ clock });
    server.on(`GET ${PATH}`, patience(text));
    expect(await failureOf(api.call({ verb: 'get', path: PATH }, { deadlineMs: 3_000 }))).toBeInstanceOf(ApiError);
    expect(Math.min(...clock.slept)).toBeGreaterThanOrEqual(100);
    expect(server.asked.length).toBeLessThanOrEqual(31);
  },
);

test('A server that is away for minutes costs each call its deadline, and the call says why', async () => {
  const clock = fakeClock();
  clock.skipSleeps();
  await connect({ clock });
  server.on(`GET ${PATH}`, refuse(503, 'ServiceUnavailable'));
  const begun = clock.now();
  expect(await failureOf(api.call({ verb: 'get', path: PATH }))).toMatchObject({ code: 503 });
  expect(clock.now() - begun).toBeLessThanOrEqual(15_000);
  expect(server.asked.length).toBeGreaterThan(5);
});

test('Every call has a deadline: one for the head of an answer, one for its body', async () => {
  await connect();
  server.on(`GET ${PATH}`, silence);
  const first = await failureOf(api.call({ verb: 'get', path: PATH }, { deadlineMs: 150 }));
  expect(first).toBeInstanceOf(UnreachableError);
  expect(String(first)).toContain(`get ${PATH}: no answer within 0.15 s`);
  server.on(`GET ${PATH}`, (_asked, response) => {
    response.writeHead(200).write('{"half":');
  });
  expect(String(await failureOf(api.call({ verb: 'get', path: PATH }, { deadlineMs: 150 })))).toContain(
    'no answer within',
  );
});

test('A connection that breaks is made again once, and no more', async () => {
  await connect();
  server.next(`POST ${PATH}`, hangUp, json(201, { made: true }));
  expect(await api.call({ verb: 'create', path: PATH, body: {} })).toEqual({ made: true });
  server.on(`GET ${PATH}`, hangUp);
  expect(await failureOf(api.call({ verb: 'get', path: PATH }))).toBeInstanceOf(UnreachableError);
  expect(server.asked.filter(({ method }) => method === 'GET')).toHaveLength(2);
});

test('What the server says of a refusal is in the error; what a proxy says, too', async () => {
  await connect();
  const causes = [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }];
  server.next(`GET ${PATH}`, refuse(403, 'Forbidden', { details: { causes } }));
  expect(await failureOf(api.call({ verb: 'get', path: PATH }))).toMatchObject({
    code: 403,
    reason: 'Forbidden',
    causes,
  });
  server.next(`GET ${PATH}`, (_asked, response) => void response.writeHead(502).end('<h1>Bad Gateway</h1>'));
  const answer = await failureOf(api.call({ verb: 'get', path: PATH }));
  expect(answer).toMatchObject({ code: 502 });
  expect(String(answer)).toContain('<h1>Bad Gateway</h1>');
});

test('A token that was changed is read anew when the old one is refused, and only then', async () => {
  await connect();
  server.on(`GET ${PATH}`, (asked, response) => {
    const isNew = asked.headers.authorization === 'Bearer second';
    return (isNew ? json(200, { new: true }) : refuse(401, 'Unauthorized'))(asked, response);
  });
  await server.configure({ token: 'second' });
  // The first call reads the first kubeconfig: it was loaded before.
  expect(await api.call({ verb: 'get', path: PATH })).toEqual({ new: true });
  expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  await server.configure({ token: 'third' });
  expect(await api.call({ verb: 'get', path: PATH })).toEqual({ new: true });
  server.on(`GET ${PATH}`, refuse(401, 'Unauthorized'));
  expect(await failureOf(api.call({ verb: 'get', path: PATH }))).toMatchObject({ code: 401 });
  expect(server.asked).toHaveLength(5);
});

test('A patch is a merge patch under the name of our field manager', async () => {
  await connect();
  server.on(`PATCH ${PATH}/a`, json(200, {}));
  await api.call({ verb: 'patch', path: `${PATH}/a`, body: { metadata: { resourceVersion: '7' } } });
  const [asked] = server.asked;
  expect(asked?.headers['content-type']).toBe('application/merge-patch+json');
  expect(asked?.query.get('fieldManager')).toBe('tearsheet-controller');
  expect(asked?.body).toEqual({ metadata: { resourceVersion: '7' } });
});

test('Closing ends what is under way, and nothing begins afterwards', async () => {
  await connect();
  server.on(`GET ${PATH}`, silence);
  const waiting = failureOf(api.call({ verb: 'get', path: PATH }));
  await eventually(() => expect(server.asked).toHaveLength(1));
  await api.close();
  expect(await waiting).toBeInstanceOf(UnreachableError);
  expect(await failureOf(api.call({ verb: 'get', path: PATH }))).toBeInstanceOf(UnreachableError);
  expect(server.asked).toHaveLength(1);
});

test('Closing ends a call that waits because the server asked it to', async () => {
  await connect();
  server.on(`GET ${PATH}`, patience('10'));
  const waiting = failureOf(api.call({ verb: 'get', path: PATH }));
  await eventually(() => expect(server.asked).toHaveLength(1));
  const begun = performance.now();
  await api.close();
  expect(await waiting).toBeInstanceOf(UnreachableError);
  expect(performance.now() - begun).toBeLessThan(9_000);
});

test('Each answer is told, with what was asked and how long it took; no answer, too', async () => {
  const told: object[] = [];
  await connect({ onResponse: (response) => told.push(response) });
  server.next(`GET ${PATH}`, json(200, {}), hangUp, hangUp);
  await api.call({ verb: 'list', path: PATH });
  await failureOf(api.call({ verb: 'get', path: PATH }));
  expect(told).toEqual([
    { verb: 'list', path: PATH, code: 200, seconds: expect.any(Number) },
    { verb: 'get', path: PATH, code: 0, seconds: expect.any(Number) },
    { verb: 'get', path: PATH, code: 0, seconds: expect.any(Number) },
  ]);
});

/** A watch that is open: what it tells, and what it ends with. */
async function watched(idleMs: number) {
  const lines: unknown[] = [];
  const { signal } = new AbortController();
  const watching = failureOf(
    (async () => {
      for await (const line of api.watch({ path: PATH }, { signal, idleMs })) lines.push(line);
    })(),
  );
  await eventually(() => expect(server.watches).toHaveLength(1));
  return { lines, watching };
}

test('A watch without a byte counts as dead; half a line counts as life', async () => {
  await connect();
  const { lines, watching } = await watched(400);
  server.watches[0]?.send('ADDED', { here: true });
  await eventually(() => expect(lines).toEqual([{ type: 'ADDED', object: { here: true } }]));
  const silent = await watching;
  expect(silent).toBeInstanceOf(SilenceError);
  expect(String(silent)).toContain('no data for 0.4 s');
});

test('A line that is cut in the middle is an error, not an event', async () => {
  await connect();
  const { lines, watching } = await watched(5_000);
  server.watches[0]?.cut('{"type":"ADDED","object":{"metadata":{"na');
  expect(await watching).toBeInstanceOf(UnreachableError);
  expect(lines).toEqual([]);
});
