import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderArtifactStore } from '../../../src/artifacts/folder.ts';
import { startDeliveries } from '../../../src/delivery/deliveries.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { type Queue, startQueue } from '../../../src/queue/queue.ts';
import { openStore, type Store } from '../../../src/store/database/database.ts';
import { recordAdEvent } from '../../../src/workflow/events.ts';
import { replayDelivery } from '../../../src/workflow/replay.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { failWritesTo } from '../../support/failpoint.ts';
import { insertAd, insertOrganization, type Subscriber, type TestOrganization } from '../../support/insertRows.ts';
import { type Listener, listenHttp } from '../../support/listeners.ts';
import { SILENT } from '../../support/silentLog.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let database: TestDatabase;
let store: Store;
let queue: Queue;
let organization: TestOrganization;
let receiver: Listener;
let folder: string;
let received: Received[];
/** The responses of the receiver, by path. */
let answers: Map<string, () => Promise<number> | number>;
const tried: { outcome: string }[] = [];
const ended: { outcome: string }[] = [];

beforeEach(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url });
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  organization = await insertOrganization(store.db);
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-deliveries-'));
  received = [];
  answers = new Map();
  tried.length = 0;
  ended.length = 0;
  receiver = await listenHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({ path: request.url ?? '', headers: request.headers, body });
    response.statusCode = (await answers.get(request.url ?? '')?.()) ?? 204;
    response.end();
  });
});

afterEach(async () => {
  await queue.stop({ timeoutMs: 500 });
  await receiver.close();
  await store.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(options: { concurrency?: number; perTarget?: number } = {}): Promise<void> {
  await startDeliveries({
    ...{ store, queue, log: SILENT, ...options },
    artifacts: new FolderArtifactStore(folder),
    guard: createGuard({ allow: ['127.0.0.0/8', '::1/128'] }),
    observe: { attempted: (made) => tried.push(made), ended: (delivery) => ended.push(delivery) },
  });
}

/** Creates an uploaded ad with an event for its subscribers. @returns the ids of the deliveries. */
async function enqueueDeliveries(subscribers: Subscriber[]): Promise<string[]> {
  const adId = await insertAd(store.db, organization, { source: 'create_ad', subscribers });
  await store.db.updateTable('ads').set({ status: 'uploaded' }).where('id', '=', adId).execute();
  const eventContext = { queue, publicUrl: 'https://tearsheet.example' };
  await store.db
    .transaction()
    .execute((tx) => recordAdEvent(tx, { adId, organizationId: organization.id, topic: 'ad.uploaded' }, eventContext));
  const rows = await store.db.selectFrom('deliveries').select('id').where('ad_id', '=', adId).execute();
  return rows.map(({ id }) => id);
}

const delivery = async (id = '') =>
  store.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const attempts = async (id = '') =>
  store.db.selectFrom('delivery_attempts').selectAll().where('delivery_id', '=', id).orderBy('attempt').execute();
const hook = (name: string) => ({ webhook_url: `${receiver.url}/${name}` });

test('a webhook gets the stored text of its event with a signature that the official library accepts', async () => {
  const [id] = await enqueueDeliveries([hook('a')]);
  await start();
  await eventually(async () => expect((await delivery(id)).status).toBe('delivered'));
  const [call] = received;
  const event = await store.db.selectFrom('events').selectAll().executeTakeFirstOrThrow();
  expect(call?.body).toBe(event.body);
  const { webhook_secret } = await store.db
    .selectFrom('organizations')
    .select('webhook_secret')
    .executeTakeFirstOrThrow();
  const headers = Object.fromEntries(Object.entries(call?.headers ?? {}).map(([name, value]) => [name, String(value)]));
  expect(new Webhook(webhook_secret).verify(call?.body ?? '', headers)).toMatchObject({
    id: `evt_${event.id}`,
    topic: 'ad.uploaded',
  });
  expect(headers['webhook-id']).toBe(`evt_${event.id}`);
  expect(await attempts(id)).toMatchObject([{ attempt: 1, status_code: 204, outcome: 'delivered', error: null }]);
  // The observers are called after the commit that the test saw.
  await eventually(() => expect(ended).toEqual([{ channel: 'webhook', outcome: 'delivered' }]));
  expect(tried).toMatchObject([{ channel: 'webhook', outcome: 'delivered' }]);
});

test('a failed delivery is retried after the scheduled wait with the same id', async () => {
  answers.set('/a', () => (received.length === 1 ? 503 : 200));
  const [id] = await enqueueDeliveries([hook('a')]);
  await start();
  await eventually(async () => expect(await attempts(id)).toHaveLength(1));
  const waiting = await delivery(id);
  expect(waiting).toMatchObject({ status: 'pending', attempts: 1, tries: 1 });
  const [{ started_at, duration_ms } = { started_at: new Date(0), duration_ms: 0 }] = await attempts(id);
  const waitMs = (waiting.next_attempt_at?.getTime() ?? 0) - started_at.getTime() - duration_ms;
  expect(waitMs).toBeGreaterThan(5_000);
  expect(waitMs).toBeLessThan(12_000);
  expect(await queue.deliveriesWithoutJob([id ?? ''])).toEqual([]);
  // The wait is over.
  await store.db.updateTable('deliveries').set({ next_attempt_at: new Date() }).execute();
  await sql`update pgboss.job set start_after = now() where name = 'deliver' and state = 'created'`.execute(store.db);
  await eventually(async () => expect((await delivery(id)).status).toBe('delivered'));
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
    Array(2).fill(received[0]?.headers['webhook-id']),
  );
  expect(await attempts(id)).toMatchObject([
    { attempt: 1, status_code: 503, outcome: 'retry', error: 'The receiver answered 503.' },
    { attempt: 2, status_code: 200, outcome: 'delivered' },
  ]);
  await eventually(() => expect(ended).toEqual([{ channel: 'webhook', outcome: 'delivered' }]));
  expect(tried.map(({ outcome }) => outcome)).toEqual(['retry', 'delivered']);
}, 60_000);

test('410 ends a delivery, and a replay starts it again', async () => {
  answers.set('/a', () => (received.length === 1 ? 410 : 200));
  const [id = ''] = await enqueueDeliveries([hook('a')]);
  await start();
  await eventually(async () => expect((await delivery(id)).status).toBe('gone'));
  await store.db.transaction().execute((tx) => replayDelivery(tx, id, queue));
  await eventually(() => expect(ended.map(({ outcome }) => outcome)).toEqual(['gone', 'delivered']));
  expect(await delivery(id)).toMatchObject({ attempts: 2, tries: 1, replays: 1 });
  expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
});

test('a pending delivery cannot be replayed', async () => {
  const [id = ''] = await enqueueDeliveries([hook('a')]);
  const replay = store.db.transaction().execute((tx) => replayDelivery(tx, id, queue));
  await expect(replay).rejects.toMatchObject({ status: 409 });
});

test('a delivery ends after its last attempt fails', async () => {
  answers.set('/a', () => 500);
  const [id] = await enqueueDeliveries([hook('a')]);
  await store.db.updateTable('deliveries').set({ tries: 13, attempts: 13 }).execute();
  await start();
  await eventually(async () => expect((await delivery(id)).status).toBe('retries_exhausted'));
  expect(await delivery(id)).toMatchObject({ attempts: 14, next_attempt_at: null });
  await eventually(() => expect(ended).toEqual([{ channel: 'webhook', outcome: 'retries_exhausted' }]));
});

test('an attempt whose result was not stored is repeated with the same id', async () => {
  const storing = await failWritesTo(store.db, 'delivery_attempts');
  const [id] = await enqueueDeliveries([hook('a')]);
  await start();
  await eventually(async () => expect(await storing.failed()).toBeGreaterThan(0));
  await storing.lift();
  await eventually(async () => expect((await delivery(id)).status).toBe('delivered'), 30_000);
  expect(received.length).toBeGreaterThan(1);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(await attempts(id)).toHaveLength(1);
}, 60_000);

test('a receiver that does not answer does not delay other receivers', async () => {
  const silent = await listenHttp(() => undefined);
  const dead = await Promise.all(Array.from({ length: 8 }, () => enqueueDeliveries([{ webhook_url: silent.url }])));
  const [alive] = await enqueueDeliveries([hook('alive')]);
  await start({ concurrency: 3, perTarget: 2 });
  await eventually(async () => expect((await delivery(alive)).status).toBe('delivered'), 10_000);
  expect(silent.connections).toBeLessThanOrEqual(2);
  for (const [id] of dead) expect((await delivery(id)).status).toBe('pending');
  await silent.close();
});

test('a delivery to a forbidden address is refused, and the attempt says why', async () => {
  const [id] = await enqueueDeliveries([{ webhook_url: 'http://169.254.169.254/latest' }]);
  await start();
  await eventually(async () => expect(await attempts(id)).toHaveLength(1));
  expect((await attempts(id))[0]?.error).toMatch(/refused/);
});

test('an S3 delivery without a connector fails, and the attempt says why', async () => {
  const [id] = await enqueueDeliveries([{ s3_bucket: 'pictures', s3_key_prefix: 'ar_' }]);
  await start();
  await eventually(async () => expect(await attempts(id)).toHaveLength(1));
  expect((await attempts(id))[0]).toMatchObject({
    outcome: 'retry',
    error: 'The organization no longer has an S3 connector.',
  });
});

test('a queue entry of an unknown delivery does nothing', async () => {
  await start();
  await store.db.transaction().execute((tx) => queue.enqueue(tx, 'deliver', { delivery_id: randomUUID() }));
  await eventually(async () => expect((await queue.depth()).find(({ name }) => name === 'deliver')?.depth).toBe(0));
  expect(tried).toEqual([]);
});
