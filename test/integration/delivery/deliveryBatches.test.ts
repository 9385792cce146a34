/** Deliveries that are claimed ahead, and results that are stored together: nothing is lost, whatever ends in between. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderArtifactStore } from '../../../src/artifacts/folder.ts';
import { type Deliveries, startDeliveries } from '../../../src/delivery/deliveries.ts';
import type { DeliveryLimits } from '../../../src/delivery/fairClaims.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { type Queue, startQueue } from '../../../src/queue/queue.ts';
import { openStore, type Store } from '../../../src/store/database/database.ts';
import { type Notifications, openNotifications } from '../../../src/store/database/notifications.ts';
import { insertEndpoint } from '../../../src/store/webhookEndpoints/webhookEndpoints.ts';
import { sendTestEvent, sendTestEventToEndpoint } from '../../../src/workflow/testEvents.ts';
import { changeEndpoint } from '../../../src/workflow/webhookEndpoints.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertOrganization } from '../../support/insertRows.ts';
import { type Listener, listenHttp } from '../../support/listeners.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { TEST_LOG } from '../../support/testLog.ts';

const SENDER = fileURLToPath(new URL('../../support/deliverySender.ts', import.meta.url));

let database: TestDatabase;
let store: Store;
let queue: Queue;
let receiver: Listener;
let organizationId: string;
let started: Deliveries[];
let child: ChildProcess | undefined;
/** The webhook-id of each request. */
let received: string[];
let answer: () => Promise<void> | undefined;

beforeEach(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  organizationId = (await insertOrganization(store.db)).id;
  [received, started, child, answer] = [[], [], undefined, () => undefined];
  receiver = await listenHttp(async (request, response) => {
    received.push(String(request.headers['webhook-id']));
    request.resume();
    await answer();
    response.writeHead(204).end();
  });
});

afterEach(async () => {
  child?.kill('SIGKILL');
  for (const deliveries of started) await deliveries.stop(0);
  await queue.stop({ timeoutMs: 500 });
  await receiver.close();
  await store.close();
  await database.close();
});

async function start(limits?: Partial<DeliveryLimits>, subscribe?: Notifications['subscribe']): Promise<Deliveries> {
  const deliveries = await startDeliveries({
    ...{ store, queue, log: TEST_LOG, ...(limits && { limits }), ...(subscribe && { subscribe }) },
    artifacts: new FolderArtifactStore('/nonexistent'),
    guard: createGuard({ allow: ['127.0.0.0/8'] }),
  });
  started.push(deliveries);
  return deliveries;
}

async function storeWebhooks(count: number): Promise<void> {
  await store.db.transaction().execute(async (tx) => {
    for (let n = 0; n < count; n++) await sendTestEvent(tx, { organizationId, url: receiver.url }, OPERATOR);
  });
}

const count = async (condition: ReturnType<typeof sql<boolean>>) => {
  const row = store.db.selectFrom('deliveries').select(sql<number>`count(*)::integer`.as('count')).where(condition);
  return (await row.executeTakeFirstOrThrow()).count;
};
const isDelivered = sql<boolean>`status = 'delivered'`;

/** Keeps everyone from storing attempts. @returns a function that lets them continue. */
async function holdResults(): Promise<() => Promise<void>> {
  const client = await store.pool.connect();
  await client.query('begin');
  await client.query('lock table delivery_attempts in share mode');
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

test('webhooks whose results a killed process did not store are sent again with the same id, and none is lost', async () => {
  await storeWebhooks(150);
  const release = await holdResults();
  child = spawn(process.execPath, [SENDER, database.url], { stdio: 'ignore' });
  // It has answers of which it can store none, and more deliveries that it has claimed ahead.
  await eventually(() => expect(received.length).toBeGreaterThan(50));
  const ended = new Promise((resolve) => child?.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  const before = new Set(received);
  await release();
  expect(await count(isDelivered)).toBe(0);
  // The leases end.
  await store.db.updateTable('deliveries').set({ next_attempt_at: sql<Date>`now()` }).execute();
  await start();
  await eventually(async () => expect(await count(isDelivered)).toBe(150));
  const events = await store.db.selectFrom('events').select('id').execute();
  expect(new Set(received)).toEqual(new Set(events.map(({ id }) => `evt_${id}`)));
  for (const id of before) expect(received.filter((one) => one === id).length).toBeGreaterThan(1);
  expect(await count(sql<boolean>`attempts = 1 and tries = 1 and next_attempt_at is null`)).toBe(150);
});

test('a receiver gets the next webhooks while the results of earlier ones cannot be stored', async () => {
  await storeWebhooks(20);
  const release = await holdResults();
  await start({ total: 1, perOrganization: 1, perReceiver: 1 });
  await eventually(() => expect(received).toHaveLength(20));
  expect(await count(isDelivered)).toBe(0);
  await release();
  await eventually(async () => expect(await count(isDelivered)).toBe(20));
  expect(received).toHaveLength(20);
});

test('a worker that stops gives back what it has claimed ahead', async () => {
  await storeWebhooks(200);
  const hanging = Promise.withResolvers<void>();
  answer = () => (received.length > 60 ? hanging.promise : undefined);
  const deliveries = await start({ perReceiver: 2 });
  await eventually(() => expect(received).toHaveLength(62));
  await deliveries.stop(0);
  expect(await count(isDelivered)).toBe(60);
  expect(await count(sql<boolean>`next_attempt_at <= now()`)).toBe(140);
  hanging.resolve();
});

test('deliveries that were claimed ahead are given back when their receiver begins to hang', async () => {
  await storeWebhooks(200);
  const hanging = Promise.withResolvers<void>();
  answer = () => (received.length > 60 ? hanging.promise : undefined);
  await start({ perReceiver: 2 });
  await eventually(() => expect(received).toHaveLength(62));
  // Only the two attempts that hang keep their claims.
  await eventually(async () => expect(await count(sql<boolean>`next_attempt_at <= now()`)).toBe(138));
  hanging.resolve();
});

test('a disabled endpoint gets nothing of what was claimed ahead for it', async () => {
  const fields = { url: receiver.url, topics: null, description: '', headers: {}, disabled: false };
  const { id } = await store.db.transaction().execute((tx) => insertEndpoint(tx, organizationId, fields));
  await store.db.transaction().execute(async (tx) => {
    for (let n = 0; n < 100; n++) await sendTestEventToEndpoint(tx, { organizationId, id }, OPERATOR);
  });
  const hanging = Promise.withResolvers<void>();
  answer = () => (received.length > 40 ? hanging.promise : undefined);
  const notifications = openNotifications(database.url);
  await notifications.ready;
  await start({ perReceiver: 2 }, notifications.subscribe);
  await eventually(() => expect(received).toHaveLength(42));
  const isTold = new Promise<void>((resolve) => {
    notifications.subscribe(({ endpoint }) => endpoint === id && resolve());
  });
  await store.db
    .transaction()
    .execute((tx) => changeEndpoint(tx, { organizationId, id }, { disabled: true }, { actor: OPERATOR, queue }));
  await isTold;
  hanging.resolve();
  await eventually(async () => expect(await count(sql<boolean>`attempts = 1`)).toBe(42));
  expect(received).toHaveLength(42);
  expect(await count(sql<boolean>`attempts = 0 and status = 'gone'`)).toBe(58);
  await notifications.close();
});
