import type { V1Pod } from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CachedObject, ObjectChange } from '../../../src/cluster/kubernetes/cache/objectCache.ts';
import { readIdentity } from '../../../src/cluster/kubernetes/cache/objectStates.ts';
import { Reflector, type ReflectorOptions } from '../../../src/cluster/kubernetes/cache/reflector.ts';
import type { Clock } from '../../../src/cluster/kubernetes/client/clock.ts';
import { type ClusterConnection, connect as connectTo } from '../../../src/cluster/kubernetes/client/connection.ts';
import { type ListQuery, listedKinds } from '../../../src/cluster/kubernetes/client/kinds.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeClock } from '../../support/fakeClock.ts';
import {
  hangUp,
  json,
  type MisbehavingApiServer,
  misbehavingApiServer,
  type OpenWatch,
  refuse,
  silence,
} from '../../support/misbehavingApiServer.ts';
import { required } from '../../support/required.ts';

const PATH = '/api/v1/namespaces/test/pods';

interface Thing {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

let server: MisbehavingApiServer;
let api: ClusterConnection;
let reflector: Reflector<V1Pod, CachedObject> | undefined;
let changes: string[];
let lines: object[];

beforeEach(async () => {
  server = await misbehavingApiServer();
  await connect();
  changes = [];
  lines = [];
});
afterEach(async () => {
  await reflector?.stop();
  reflector = undefined;
  await api.close();
  await server.close();
});

/** @param clock measures the deadlines of calls and the idle time of watches. */
async function connect(clock?: Clock): Promise<void> {
  await api?.close();
  api = await connectTo({ kubeconfig: server.kubeconfig, ...(clock && { clock }) });
}

const thing = (name: string, version: number, uid = `uid-${name}`): Thing => ({
  metadata: { name, uid, resourceVersion: String(version) },
});
const list = (version: number, items: object[], next?: string) =>
  json(200, { metadata: { resourceVersion: String(version), continue: next ?? '' }, items });
const word = ({ before, after }: ObjectChange<CachedObject>) =>
  before === undefined ? `+${after?.uid}` : after === undefined ? `-${before.uid}` : `${after.uid}@${after.version}`;

const pods = () => listedKinds(api, 'test').pods;

function follow(options: Partial<ReflectorOptions<V1Pod, CachedObject>> = {}) {
  reflector = new Reflector<V1Pod, CachedObject>({
    client: pods(),
    labelSelector: 'of=us',
    read: ({ metadata }) => readIdentity(required(metadata)),
    changed: (change) => changes.push(word(change)),
    log: { warn: (fields) => lines.push(fields) },
    ...options,
  });
  return reflector;
}

/** The watch of this number, from 1, once it is open. */
const watch = (count: number): Promise<OpenWatch> =>
  eventually(() => {
    expect(server.watches).toHaveLength(count);
    return required(server.watches[count - 1]);
  });
const expectChanges = (...expected: string[]) => eventually(() => expect(changes).toEqual(expected));
const lists = () => server.asked.filter(({ method }) => method === 'GET');

test('the reflector lists our objects page by page and watches from the version of the list', async () => {
  server.next(`GET ${PATH}`, list(7, [thing('a', 1), thing('b', 2)], 'more'), list(7, [thing('c', 3)]));
  follow({ pageSize: 2 });
  const { asked } = await watch(1);
  await expectChanges('+uid-a', '+uid-b', '+uid-c');
  expect(lists().map(({ query }) => [query.get('limit'), query.get('continue'), query.get('labelSelector')])).toEqual([
    ['2', null, 'of=us'],
    ['2', 'more', 'of=us'],
  ]);
  expect(Object.fromEntries(asked.query)).toMatchObject({
    ...{ labelSelector: 'of=us', resourceVersion: '7', allowWatchBookmarks: 'true' },
  });
});

test('a list whose continue token has expired starts again, and the cache gets nothing of the first try', async () => {
  server.next(`GET ${PATH}`, list(7, [thing('a', 1)], 'more'), refuse(410, 'Expired'), list(9, [thing('b', 8)]));
  follow();
  expect((await watch(1)).asked.query.get('resourceVersion')).toBe('9');
  await expectChanges('+uid-b');
});

test('a list that fails after its first page is repeated before the watch', async () => {
  server.next(
    `GET ${PATH}`,
    list(7, [thing('a', 1)], 'more'),
    refuse(500, 'InternalError'),
    list(9, [thing('a', 1), thing('b', 8)]),
  );
  follow();
  expect((await watch(1)).asked.query.get('resourceVersion')).toBe('9');
  await expectChanges('+uid-a', '+uid-b');
});

test.each([
  ['as an event', (open: OpenWatch) => open.send('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })],
  [
    'as an answer',
    (open: OpenWatch) => {
      server.next(`WATCH ${PATH}`, refuse(410, 'Gone'));
      open.end();
    },
  ],
])('a watch whose version has expired, reported %s, leads to a new list', async (_how, forget) => {
  server.next(`GET ${PATH}`, list(7, [thing('a', 1), thing('b', 2, 'first'), thing('c', 3)]));
  server.on(`GET ${PATH}`, list(20, [thing('a', 1), thing('b', 15, 'second')]));
  follow();
  const open = await watch(1);
  await expectChanges('+uid-a', '+first', '+uid-c');
  changes.length = 0;
  open.send('MODIFIED', thing('a', 8));
  await expectChanges('uid-a@8');
  changes.length = 0;
  forget(open);
  // An object that was deleted and created again between two lists is another object.
  await expectChanges('-first', '-uid-c', '+second');
  expect((await watch(2)).asked.query.get('resourceVersion')).toBe('20');
});

test('a dead connection of a watch is noticed, and missed events are read', async () => {
  const clock = fakeClock();
  await connect(clock);
  server.next(`GET ${PATH}`, list(7, [thing('a', 1)]));
  follow({ idleMs: 300, clock });
  const open = await watch(1);
  open.send('MODIFIED', thing('a', 8));
  await expectChanges('+uid-a', 'uid-a@8');
  // The connection delivers no more data and stays open.
  clock.advance(300);
  const second = await watch(2);
  expect(second.asked.query.get('resourceVersion')).toBe('8');
  second.send('DELETED', thing('a', 9));
  await expectChanges('+uid-a', 'uid-a@8', '-uid-a');
  expect(lists()).toHaveLength(1);
  // Where nothing happens nothing comes either: nobody is alarmed.
  expect(lines).toEqual([]);
});

test('a bookmark moves the version from which the next watch starts', async () => {
  server.next(`GET ${PATH}`, list(7, [thing('a', 1)]));
  follow();
  const open = await watch(1);
  open.send('BOOKMARK', { metadata: { resourceVersion: '4711' } });
  open.end();
  expect((await watch(2)).asked.query.get('resourceVersion')).toBe('4711');
  await expectChanges('+uid-a');
});

test('duplicate and late events are not reported and change nothing', async () => {
  server.next(`GET ${PATH}`, list(7, [thing('a', 1)]));
  follow();
  const open = await watch(1);
  for (const [type, object] of [
    ['MODIFIED', thing('a', 9)],
    ['MODIFIED', thing('a', 9)],
    ['MODIFIED', thing('a', 8)],
    ['DELETED', thing('a', 10)],
    ['ADDED', thing('a', 1)],
    ['MODIFIED', thing('a', 9)],
    ['OF_A_LATER_VERSION', thing('c', 10)],
    ['ADDED', thing('b', 11)],
  ] as const)
    open.send(type, object);
  await expectChanges('+uid-a', 'uid-a@9', '-uid-a', '+uid-b');
});

test('a connection that is cut inside a line loses no event and repeats none', async () => {
  server.next(`GET ${PATH}`, list(7, []));
  follow();
  const first = await watch(1);
  first.send('ADDED', thing('a', 8));
  await expectChanges('+uid-a');
  first.cut('{"type":"ADDED","object":{"metadata":{"name":"b","ui');
  const second = await watch(2);
  expect(second.asked.query.get('resourceVersion')).toBe('8');
  second.send('ADDED', thing('b', 9));
  await expectChanges('+uid-a', '+uid-b');
  expect(lists()).toHaveLength(1);
});

test('an API server that answers 503 for 5 minutes is retried with a back-off of at most 30 s', async () => {
  const clock = fakeClock();
  clock.skipSleeps();
  await connect(clock);
  const away = refuse(503, 'ServiceUnavailable');
  // Each call would retry until its deadline. The short deadline allows one answer.
  const impatient = { ...pods(), list: (query: ListQuery) => pods().list(query, { deadlineMs: 900 }) };
  const begun = clock.now();
  server.on(`GET ${PATH}`, (asked, response) =>
    (clock.now() - begun < 300_000 ? away : list(7, [thing('a', 1)]))(asked, response),
  );
  const followed = follow({ client: impatient, clock });
  await expectChanges('+uid-a');
  expect(Math.max(...clock.slept)).toBeLessThanOrEqual(30_000);
  expect(clock.slept.length).toBeLessThan(30);
  expect([...clock.slept].sort((a, b) => a - b)).toEqual(clock.slept);
  expect(clock.now() - begun).toBeLessThan(335_000);
  expect(followed.staleness()).toBe(0);
});

test('a watch that is rejected with 410 after each list is retried with a back-off', async () => {
  const clock = fakeClock();
  clock.skipSleeps();
  server.on(`GET ${PATH}`, list(7, []));
  server.on(`WATCH ${PATH}`, refuse(410, 'Gone'));
  follow({ clock });
  await eventually(() => expect(clock.slept.length).toBeGreaterThan(12));
  expect(clock.slept.slice(0, 3)).toEqual([375, 750, 1_500]);
  expect(clock.slept.slice(8, 12)).toEqual([22_500, 22_500, 22_500, 22_500]);
});

test('an event of a watch resets the back-off', async () => {
  const clock = fakeClock();
  clock.skipSleeps();
  server.on(`GET ${PATH}`, list(7, []));
  server.next(`WATCH ${PATH}`, hangUp, hangUp, hangUp);
  follow({ clock });
  const open = await watch(1);
  expect(clock.slept).toEqual([375, 750, 1_500]);
  open.send('ADDED', thing('a', 8));
  await expectChanges('+uid-a');
  open.cut();
  await watch(2);
  expect(clock.slept).toEqual([375, 750, 1_500, 375]);
});

test('a watch that ends at once each time is retried with a back-off', async () => {
  const clock = fakeClock();
  clock.skipSleeps();
  server.on(`GET ${PATH}`, list(7, []));
  server.on(`WATCH ${PATH}`, (_asked, response) => void response.writeHead(200).end());
  follow({ clock });
  await eventually(() => expect(clock.slept.length).toBeGreaterThan(4));
  expect(clock.slept.slice(0, 3)).toEqual([375, 750, 1_500]);
  expect(lists()).toHaveLength(1);
});

test('an exception in a change handler does not stop the watch', async () => {
  server.next(`GET ${PATH}`, list(7, [thing('a', 1), thing('b', 2)]));
  follow({
    changed: (change) => {
      changes.push(word(change));
      throw new Error('A handler that fails.');
    },
  });
  (await watch(1)).send('ADDED', thing('c', 8));
  await expectChanges('+uid-a', '+uid-b', '+uid-c');
  expect(lines).toHaveLength(3);
});

test('an object that cannot be read is ignored and does not block others', async () => {
  const odd = { odd: true };
  server.next(`GET ${PATH}`, list(7, [odd, thing('a', 1)]));
  follow();
  const open = await watch(1);
  open.send('ADDED', odd);
  open.send('ADDED', thing('b', 8));
  await expectChanges('+uid-a', '+uid-b');
  expect(server.watches).toHaveLength(1);
});

test('stop during a list ends the reflector at once without a watch', async () => {
  server.on(`GET ${PATH}`, silence);
  const followed = follow();
  await eventually(() => expect(lists()).toHaveLength(1));
  await expect(followed.ready(50)).rejects.toThrow('Nothing could be listed');
  await followed.stop();
  expect(server.watches).toEqual([]);
});

test('the error of a first list that is rejected has the cause', async () => {
  server.on(`GET ${PATH}`, refuse(403, 'Forbidden'));
  const followed = follow();
  await eventually(() => expect(lists().length).toBeGreaterThan(1));
  await expect(followed.ready(1)).rejects.toThrow(
    /^Nothing could be listed at .* The last error: list .* \(403 Forbidden\)\.$/,
  );
  await followed.stop();
});

test('stop between two pages of a list removes nothing from the cache', async () => {
  server.next(`GET ${PATH}`, list(7, [thing('a', 1), thing('b', 2)]), list(20, [thing('a', 1)], 'more'), silence);
  const followed = follow();
  (await watch(1)).send('ERROR', { code: 410 });
  await eventually(() => expect(lists()).toHaveLength(3));
  await followed.stop();
  expect(followed.cache.all().map(({ name }) => name)).toEqual(['a', 'b']);
});

test('watches have different time limits, so that they do not reconnect at the same time', async () => {
  server.on(`GET ${PATH}`, list(7, []));
  const seconds = [];
  for (const random of [0, 0.5, 0.99]) {
    const followed = follow({ clock: fakeClock(random) });
    seconds.push(Number((await watch(seconds.length + 1)).asked.query.get('timeoutSeconds')));
    await followed.stop();
  }
  expect(seconds).toEqual([300, 450, 597]);
});

test('the staleness grows without data and is zero after a line', async () => {
  const clock = fakeClock();
  server.on(`GET ${PATH}`, list(7, []));
  const followed = follow({ clock });
  const open = await watch(1);
  clock.advance(40_000);
  expect(followed.staleness()).toBe(40_000);
  open.send('BOOKMARK', { metadata: { resourceVersion: '9' } });
  await eventually(() => expect(followed.staleness()).toBe(0));
});

test('a list whose connection is cut is repeated', async () => {
  server.next(`GET ${PATH}`, hangUp, hangUp, list(7, [thing('a', 1)]));
  follow();
  await expectChanges('+uid-a');
});
