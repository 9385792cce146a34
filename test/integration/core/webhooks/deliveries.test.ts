import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderArtifactStore } from '../../../../src/artifacts/folder.ts';
import { type Deliveries, startDeliveries } from '../../../../src/commands/service/startDeliveries.ts';
import { recordAdEvent } from '../../../../src/core/events/recordEvent.ts';
import { webhookSecretOf } from '../../../../src/core/organizations/organizations.ts';
import { claimDeliveries, deliveryDepth } from '../../../../src/core/webhooks/deliveryQueue.ts';
import type { DeliveryLimits } from '../../../../src/core/webhooks/deliveryWorker.ts';
import { replayDelivery } from '../../../../src/core/webhooks/replayEvents.ts';
import { sendTestEvent } from '../../../../src/core/webhooks/testEvents.ts';
import { insertEndpoint, rotateEndpointSecret } from '../../../../src/core/webhooks/webhookEndpointQueries.ts';
import { changeEndpoint } from '../../../../src/core/webhooks/webhookEndpoints.ts';
import { openStore, type Store } from '../../../../src/db/database.ts';
import { type Queue, startQueue } from '../../../../src/db/queue.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { sleep } from '../../../../src/lib/sleep.ts';
import { type TestDatabase, testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { failWritesTo } from '../../../support/failpoint.ts';
import { insertAd, insertOrganization, type Subscriber, type TestOrganization } from '../../../support/insertRows.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';
import { expectLoggedErrors, TEST_LOG } from '../../../support/testLog.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let database: TestDatabase;
let store: Store;
let queue: Queue;
let started: Deliveries[];
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
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  organization = await insertOrganization(store.db);
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-deliveries-'));
  received = [];
  answers = new Map();
  started = [];
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
  for (const deliveries of started) await deliveries.stop(0);
  await queue.stop({ timeoutMs: 500 });
  await receiver.close();
  await store.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(limits?: Partial<DeliveryLimits>): Promise<Deliveries> {
  const deliveries = await startDeliveries({
    ...{ store, queue, log: TEST_LOG, ...(limits && { limits }) },
    artifacts: new FolderArtifactStore(folder),
    guard: createGuard({ allow: ['127.0.0.0/8', '::1/128'] }),
    observe: { attempted: (made) => tried.push(made), ended: (delivery) => ended.push(delivery) },
  });
  started.push(deliveries);
  return deliveries;
}

/** Creates an uploaded ad with an event for its subscribers. @returns the ids of the deliveries. */
async function enqueueDeliveries(subscribers: Subscriber[], of = organization): Promise<string[]> {
  const adId = await insertAd(store.db, of, { source: 'create_ad', subscribers });
  await store.db.updateTable('ads').set({ status: 'uploaded' }).where('id', '=', adId).execute();
  const eventContext = { queue, publicUrl: 'https://tearsheet.example' };
  await store.db
    .transaction()
    .execute((tx) => recordAdEvent(tx, { adId, organizationId: of.id, topic: 'ad.uploaded' }, eventContext));
  const rows = await store.db.selectFrom('deliveries').select('id').where('ad_id', '=', adId).execute();
  return rows.map(({ id }) => id);
}

const delivery = async (id = '') =>
  store.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const attempts = async (id = '') =>
  store.db.selectFrom('delivery_attempts').selectAll().where('delivery_id', '=', id).orderBy('attempt').execute();
const hook = (name: string) => ({ webhook_url: `${receiver.url}/${name}` });

async function organizationSecret(): Promise<string> {
  return webhookSecretOf(store.db, await store.db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow());
}

test('a webhook gets the stored text of its event with a signature that the official library accepts', async () => {
  answers.set('/a', () => sleep(50).then(() => 204));
  const [id] = await enqueueDeliveries([hook('a')]);
  await start();
  await eventually(async () => expect((await delivery(id)).status).toBe('delivered'));
  const [call] = received;
  const event = await store.db.selectFrom('events').selectAll().executeTakeFirstOrThrow();
  expect(call?.body).toBe(event.body);
  const secretOfAll = await organizationSecret();
  const headers = Object.fromEntries(Object.entries(call?.headers ?? {}).map(([name, value]) => [name, String(value)]));
  expect(new Webhook(secretOfAll).verify(call?.body ?? '', headers)).toMatchObject({
    id: `evt_${event.id}`,
    topic: 'ad.uploaded',
  });
  expect(headers['webhook-id']).toBe(`evt_${event.id}`);
  const [made] = await attempts(id);
  expect(made).toMatchObject({ attempt: 1, status_code: 204, outcome: 'delivered', error: null });
  expect(made?.duration_ms).toBeGreaterThanOrEqual(45);
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
  // The wait is over.
  await store.db.updateTable('deliveries').set({ next_attempt_at: new Date() }).execute();
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
});

test('410 ends a delivery, and a replay starts it again', async () => {
  answers.set('/a', () => (received.length === 1 ? 410 : 200));
  const [id = ''] = await enqueueDeliveries([hook('a')]);
  await start();
  await eventually(async () => expect((await delivery(id)).status).toBe('gone'));
  await store.db.transaction().execute((tx) => replayDelivery(tx, id));
  await eventually(() => expect(ended.map(({ outcome }) => outcome)).toEqual(['gone', 'delivered']));
  expect(await delivery(id)).toMatchObject({ attempts: 2, tries: 1, replays: 1 });
  expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
});

const sendAgain = (id: string) => store.db.transaction().execute((tx) => replayDelivery(tx, id));

test('a delivery that was not sent yet cannot be sent again', async () => {
  const [id = ''] = await enqueueDeliveries([hook('a')]);
  await expect(sendAgain(id)).rejects.toMatchObject({ status: 409 });
});

test('a delivery that waits for its next attempt is sent again at once', async () => {
  answers.set('/a', () => (received.length === 1 ? 503 : 200));
  const [id = ''] = await enqueueDeliveries([hook('a')]);
  await start();
  await eventually(async () => expect(await attempts(id)).toHaveLength(1));
  await sendAgain(id);
  await eventually(async () => expect((await delivery(id)).status).toBe('delivered'));
  expect(await delivery(id)).toMatchObject({ attempts: 2, tries: 1, replays: 1 });
  expect(received).toHaveLength(2);
});

test('an attempt that ends after the delivery was sent again leaves the new round alone', async () => {
  const first = Promise.withResolvers<number>();
  answers.set('/a', () => (received.length === 2 ? first.promise : 503));
  const [id = ''] = await enqueueDeliveries([hook('a')]);
  await start();
  await eventually(async () => expect(await attempts(id)).toHaveLength(1));
  await sendAgain(id);
  await eventually(() => expect(received).toHaveLength(2));
  await store.db.updateTable('deliveries').set({ tries: 1 }).execute();
  await sendAgain(id);
  await eventually(async () => expect(await attempts(id)).toHaveLength(2));
  const waiting = await delivery(id);
  first.resolve(503);
  await eventually(async () => expect(await attempts(id)).toHaveLength(3));
  expect(await delivery(id)).toMatchObject({ tries: 1, replays: 2, next_attempt_at: waiting.next_attempt_at });
});

test('a test event is signed, sent once and not retried', async () => {
  answers.set('/test', () => 500);
  const target = { organizationId: organization.id, url: `${receiver.url}/test` };
  const id = await store.db.transaction().execute((tx) => sendTestEvent(tx, target, OPERATOR));
  await start();
  await eventually(async () => expect((await delivery(id)).status).toBe('retries_exhausted'));
  expect(await attempts(id)).toMatchObject([{ status_code: 500, error: 'The receiver answered 500.' }]);
  expect(JSON.parse(received[0]?.body ?? '{}')).toMatchObject({ topic: 'webhook.test' });
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
  expectLoggedErrors(/the result of a delivery attempt could not be stored/);
  const storing = await failWritesTo(store.db, 'delivery_attempts');
  const [id] = await enqueueDeliveries([hook('a')]);
  await start();
  await eventually(async () => expect(await storing.failed()).toBeGreaterThan(0));
  await storing.lift();
  // As if the lease of 20 s had expired.
  await store.db
    .updateTable('deliveries')
    .set({ next_attempt_at: new Date(0) })
    .execute();
  await eventually(async () => expect((await delivery(id)).status).toBe('delivered'));
  expect(received.length).toBeGreaterThan(1);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(await attempts(id)).toHaveLength(1);
});

test('a receiver that does not answer uses up only its own slots', async () => {
  const silent = await listenHttp(() => undefined);
  const dead = await Promise.all(Array.from({ length: 8 }, () => enqueueDeliveries([{ webhook_url: silent.url }])));
  await start({ total: 100, perOrganization: 5, perReceiver: 2 });
  await eventually(() => expect(silent.open).toBe(2));
  const [alive] = await enqueueDeliveries([hook('alive')]);
  await eventually(async () => expect((await delivery(alive)).status).toBe('delivered'));
  expect(silent.open).toBeLessThanOrEqual(2);
  for (const [id] of dead) expect((await delivery(id)).status).toBe('pending');
  await silent.close();
});

test('an organization whose receivers do not answer uses up only its own slots', async () => {
  const silent = await Promise.all(Array.from({ length: 6 }, () => listenHttp(() => undefined)));
  await enqueueDeliveries(silent.map(({ url }) => ({ webhook_url: url })));
  await start({ total: 100, perOrganization: 3, perReceiver: 2 });
  const open = () => silent.reduce((sum, listener) => sum + listener.open, 0);
  await eventually(() => expect(open()).toBe(3));
  const [other] = await enqueueDeliveries([hook('other')], await insertOrganization(store.db));
  await eventually(async () => expect((await delivery(other)).status).toBe('delivered'));
  expect(open()).toBeLessThanOrEqual(3);
  for (const listener of silent) await listener.close();
});

test('uploads to S3 do not wait for webhooks', async () => {
  const silent = await listenHttp(() => undefined);
  await enqueueDeliveries([{ webhook_url: silent.url }]);
  await start({ total: 1, perOrganization: 1, perReceiver: 1 });
  await eventually(() => expect(silent.open).toBe(1));
  const [id] = await enqueueDeliveries([{ s3_bucket: 'pictures', s3_key_prefix: 'ar_' }]);
  await eventually(async () => expect(await attempts(id)).toHaveLength(1));
  await silent.close();
});

test('several workers share the deliveries and send each one once', async () => {
  const ids = await enqueueDeliveries(Array.from({ length: 40 }, (_, n) => hook(`${n}`)));
  await Promise.all([start(), start(), start()]);
  for (const id of ids) await eventually(async () => expect((await delivery(id)).status).toBe('delivered'));
  expect(received).toHaveLength(40);
  expect(await deliveryDepth(store.db)).toMatchObject({ depth: 0 });
});

test('a delivery that a worker has claimed is due again for others when the lease ends', async () => {
  const [id = ''] = await enqueueDeliveries([hook('a')]);
  const slots = { free: 5, perOrganization: 5, perReceiver: 5 };
  const claim = () => claimDeliveries(store.db, { channel: 'webhook', leaseSeconds: 600, running: [], ...slots });
  // This worker is killed.
  expect(await claim()).toMatchObject([{ id, round: 0, attempts: 0, receiver: new URL(receiver.url).host }]);
  expect(await claim()).toEqual([]);
  await store.db.updateTable('deliveries').set({ next_attempt_at: sql<Date>`now()` }).execute();
  await start();
  await eventually(async () => expect((await delivery(id)).status).toBe('delivered'));
});

test('a worker that stops gives an aborted delivery back at once', async () => {
  const silent = await listenHttp(() => undefined);
  const [id] = await enqueueDeliveries([{ webhook_url: silent.url }]);
  const deliveries = await start();
  await eventually(() => expect(silent.open).toBe(1));
  await deliveries.stop(0);
  expect(await attempts(id)).toEqual([]);
  expect(await deliveryDepth(store.db)).toMatchObject({ depth: 1 });
  await silent.close();
});

test('a delivery to a forbidden address is refused and not retried, and can be sent again by hand', async () => {
  const [id = ''] = await enqueueDeliveries([{ webhook_url: 'http://169.254.169.254/latest' }]);
  await start();
  await eventually(async () => expect((await delivery(id)).status).toBe('refused'));
  expect(await attempts(id)).toMatchObject([{ outcome: 'refused', error: expect.stringMatching(/refused/) }]);
  expect(await delivery(id)).toMatchObject({
    next_attempt_at: null,
    attempts: 1,
    reason: expect.stringMatching(/refused/),
  });
  await sendAgain(id);
  await eventually(async () => expect(await attempts(id)).toHaveLength(2));
  expect(await delivery(id)).toMatchObject({ status: 'refused', replays: 1 });
});

test('an event of several hundred KB is sent completely', async () => {
  const [id] = await enqueueDeliveries([hook('a')]);
  const body = JSON.stringify({ text: 'x'.repeat(300_000) });
  await store.db.updateTable('events').set({ body }).execute();
  await start();
  await eventually(async () => expect((await delivery(id)).status).toBe('delivered'));
  expect(received[0]?.body).toBe(body);
});

test('an S3 delivery without a connector fails, and the attempt says why', async () => {
  const [id] = await enqueueDeliveries([{ s3_bucket: 'pictures', s3_key_prefix: 'ar_' }]);
  await start();
  await eventually(async () => expect(await attempts(id)).toHaveLength(1));
  expect((await attempts(id))[0]).toMatchObject({
    outcome: 'retry',
    error: 'The organization no longer has the connector s3.',
  });
});

const newEndpoint = { topics: null, description: '', headers: {}, disabled: false };
const addEndpoint = (name: string, headers = {}) =>
  store.db
    .transaction()
    .execute((tx) => insertEndpoint(tx, organization.id, { ...newEndpoint, url: `${receiver.url}/${name}`, headers }));
const signedHeaders = (index: number) =>
  Object.fromEntries(Object.entries(received[index]?.headers ?? {}).map(([name, value]) => [name, String(value)]));

test('a webhook endpoint gets its headers, and signatures of its own secrets only', async () => {
  const { id, secret } = await addEndpoint('endpoint', { Authorization: 'Bearer planted', 'X-Stage': 'live' });
  const next = await rotateEndpointSecret(store.db, id, true);
  await enqueueDeliveries([]);
  await start();
  await eventually(() => expect(received).toHaveLength(1));
  const headers = signedHeaders(0);
  expect(headers).toMatchObject({
    authorization: 'Bearer planted',
    'x-stage': 'live',
    'user-agent': 'Tearsheet-Webhooks/1',
  });
  const body = received[0]?.body ?? '';
  for (const own of [secret, next])
    expect(new Webhook(own).verify(body, headers)).toMatchObject({ topic: 'ad.uploaded' });
  const secretOfAll = await organizationSecret();
  expect(() => new Webhook(secretOfAll).verify(body, headers)).toThrow();
});

test('a delivery whose endpoint was disabled sends nothing', async () => {
  const { id: endpointId } = await addEndpoint('endpoint');
  const [id] = await enqueueDeliveries([]);
  await store.db.transaction().execute(async (tx) => {
    await changeEndpoint(
      tx,
      { organizationId: organization.id, id: endpointId },
      { disabled: true },
      { actor: OPERATOR, queue },
    );
  });
  await start();
  // A delivery that is stored later has been sent, so the worker has looked.
  const [later] = await enqueueDeliveries([hook('later')]);
  await eventually(async () => expect((await delivery(later)).status).toBe('delivered'));
  expect(await delivery(id)).toMatchObject({
    status: 'gone',
    attempts: 0,
    reason: 'The webhook endpoint was disabled.',
  });
  expect(received.map(({ path }) => path)).toEqual(['/later']);
});
