import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SlotListUpdates } from '../../../src/controller/slotListUpdates.ts';
import { createGuardedFetch } from '../../../src/egress/fetch.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { openSlotLists } from '../../../src/slotLists/slotLists.ts';
import type { Store } from '../../../src/store/database/database.ts';
import { readBundle, readBundleKey } from '../../../src/store/slotLists/slotLists.ts';
import { type Listener, listenHttp } from '../../support/listeners.ts';
import { TEST_LOG } from '../../support/testLog.ts';
import { testStore } from '../../support/testStore.ts';

const HOUR = 3_600_000;
const FIRST = '[Adblock Plus 2.0]\n! Title: Far list\n! Version: 1\n! Expires: 6 hours\n##.one\n';
const SECOND = FIRST.replace('Version: 1', 'Version: 2').replace('.one', '.two');

let store: Store;
let server: Listener;
let folder: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let requests: IncomingMessage[];
let now: number;
const warnings: string[] = [];

beforeEach(async () => {
  store = await testStore();
  requests = [];
  warnings.length = 0;
  now = Date.now();
  answerWith(FIRST);
  server = await listenHttp((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  folder = await mkdtemp(path.join(tmpdir(), 'slot-lists-'));
});
afterEach(async () => {
  await server.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function answerWith(body: string, status = 200, headers: Record<string, string> = {}) {
  answer = (_request, response) => void response.writeHead(status, headers).end(body);
}

function updates(sources: readonly string[], allow = ['127.0.0.0/8']) {
  const fetch = createGuardedFetch({ guard: createGuard({ allow }), timeoutMs: 120_000, maxBytes: 10_000 });
  const log = { ...TEST_LOG, warn: (_fields: object, message: string) => void warnings.push(message) };
  return new SlotListUpdates({ store, sources, fetch, log, now: () => now });
}

async function versions() {
  const key = await readBundleKey(store.db);
  const content = key && (await readBundle(store.db, key.sha256));
  if (content === undefined) return [];
  return (await openSlotLists(content)).versions.map(({ title, version }) => `${title} ${version}`);
}

test('a list is fetched through the guard and compiled, and again after it has expired', async () => {
  const lists = updates([`${server.url}/list.txt`]);
  await lists.update();
  expect(await versions()).toEqual(['Far list 1']);
  answerWith(SECOND);
  now += 5 * HOUR;
  await lists.update();
  expect([requests.length, await versions()]).toEqual([1, ['Far list 1']]);
  now += 2 * HOUR;
  await lists.update();
  expect([requests.length, await versions()]).toEqual([2, ['Far list 2']]);
  expect(warnings).toEqual([]);
});

test('a list that has not changed since is not sent again', async () => {
  answerWith(FIRST, 200, { etag: '"v1"' });
  const lists = updates([`${server.url}/list.txt`]);
  await lists.update();
  answerWith('', 304);
  now += 7 * HOUR;
  await lists.update();
  expect(requests[1]?.headers['if-none-match']).toBe('"v1"');
  now += 5 * HOUR;
  await lists.update();
  expect([requests.length, await versions(), warnings]).toEqual([2, ['Far list 1'], []]);
});

test.each([
  ['an error of the server', 'gone', 503, 'answered 503'],
  ['a web page', '<!doctype html><p>Moved</p>', 200, 'it is a web page'],
  ['a list that is too large', `##.x\n${'! a comment\n'.repeat(2_000)}`, 200, 'larger'],
])('after %s the last good copy stays, and the log says so', async (_what, body, status, reason) => {
  const lists = updates([`${server.url}/list.txt`]);
  await lists.update();
  answerWith(body, status);
  now += 7 * HOUR;
  await lists.update();
  expect(await versions()).toEqual(['Far list 1']);
  expect(warnings).toEqual([expect.stringContaining(reason)]);
  expect(warnings[0]).toMatch(/the copy of 20\S+ stays in use$/);
  now += HOUR;
  answerWith(SECOND);
  await lists.update();
  expect(await versions()).toEqual(['Far list 2']);
});

test('another leader uses the stored copy when the address does not answer', async () => {
  await updates([`${server.url}/list.txt`]).update();
  await server.close();
  now += 7 * HOUR;
  await updates([`${server.url}/list.txt`]).update();
  expect(await versions()).toEqual(['Far list 1']);
  expect(warnings).toHaveLength(1);
});

test('the guard refuses an address that is not public, and the other lists are used', async () => {
  const file = path.join(folder, 'own.txt');
  await writeFile(file, '! Title: Near list\n! Version: 3\n##.near\n');
  await updates([`${server.url}/list.txt`, file], []).update();
  expect(requests).toEqual([]);
  expect(warnings).toEqual([
    expect.stringMatching(/list\.txt could not be updated: .*refuse.* pictures are taken without it/),
  ]);
  expect(await versions()).toEqual(['Near list 3']);
});

test('a redirect to an address that is not allowed is refused', async () => {
  answerWith('', 302, { location: 'http://169.254.169.254/latest/' });
  await updates([`${server.url}/list.txt`]).update();
  expect(warnings).toEqual([expect.stringContaining('169.254.169.254')]);
  expect(await versions()).toEqual([]);
});

test('a changed file is compiled again, and a broken one keeps its last copy', async () => {
  const file = path.join(folder, 'own.txt');
  const lists = updates([file]);
  await writeFile(file, '! Title: Near list\n! Version: 3\n##.near\n');
  await lists.update();
  await writeFile(file, '! Title: Near list\n! Version: 4\n##.near\n');
  await lists.update();
  expect(await versions()).toEqual(['Near list 4']);
  await writeFile(file, '');
  await lists.update();
  expect(await versions()).toEqual(['Near list 4']);
  expect(warnings).toEqual([expect.stringContaining('it is empty')]);
});

test('lists that are no longer configured are removed', async () => {
  await updates([`${server.url}/list.txt`]).update();
  await updates([]).update();
  expect(await versions()).toEqual([]);
  expect(await store.db.selectFrom('slot_lists').selectAll().execute()).toEqual([]);
});

test('the first update of a slow address does not delay the start for longer than allowed', async () => {
  const started = Promise.withResolvers<void>();
  // The address answers only after the start.
  answer = (_request, response) => void started.promise.then(() => response.end(FIRST));
  const lists = updates([`${server.url}/list.txt`]);
  await lists.start(100);
  expect(await versions()).toEqual([]);
  started.resolve();
  await lists.stop();
  expect([await versions(), warnings]).toEqual([['Far list 1'], []]);
});
