/** Nothing is lost when a process ends between an attempt and its result. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderArtifactStore } from '../../../../src/artifacts/folder.ts';
import { type Deliveries, startDeliveries } from '../../../../src/commands/service/startDeliveries.ts';
import { sendTestEvent } from '../../../../src/core/webhooks/testEvents.ts';
import { openStore, type Store } from '../../../../src/db/database.ts';
import { type Queue, startQueue } from '../../../../src/db/queue.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { type TestDatabase, testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertOrganization } from '../../../support/insertRows.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

const SENDER = fileURLToPath(new URL('../../../support/deliverySender.ts', import.meta.url));

let database: TestDatabase;
let store: Store;
let queue: Queue;
let receiver: Listener;
let deliveries: Deliveries | undefined;
let child: ChildProcess | undefined;
/** The webhook-id of each request. */
let received: string[];
let answer: () => Promise<void> | undefined;

beforeEach(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  [received, deliveries, child, answer] = [[], undefined, undefined, () => undefined];
  receiver = await listenHttp(async (request, response) => {
    received.push(String(request.headers['webhook-id']));
    request.resume();
    await answer();
    response.writeHead(204).end();
  });
});

afterEach(async () => {
  child?.kill('SIGKILL');
  await deliveries?.stop(0);
  await queue.stop({ timeoutMs: 500 });
  await receiver.close();
  await store.close();
  await database.close();
});

async function start(): Promise<Deliveries> {
  deliveries = await startDeliveries({
    ...{ store, queue, log: TEST_LOG },
    artifacts: new FolderArtifactStore('/nonexistent'),
    guard: createGuard({ allow: ['127.0.0.0/8'] }),
  });
  return deliveries;
}

async function storeWebhooks(count: number): Promise<void> {
  const { id: organizationId } = await insertOrganization(store.db);
  await store.db.transaction().execute(async (tx) => {
    for (let n = 0; n < count; n++) await sendTestEvent(tx, { organizationId, url: receiver.url }, OPERATOR);
  });
}

const count = async (condition: ReturnType<typeof sql<boolean>>) => {
  const row = store.db.selectFrom('deliveries').select(sql<number>`count(*)::integer`.as('count')).where(condition);
  return (await row.executeTakeFirstOrThrow()).count;
};
const isDelivered = sql<boolean>`status = 'delivered'`;

/** Those of other connections. */
async function activeStatements(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`.execute(store.db);
  return rows[0]?.count ?? 0;
}

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
  await storeWebhooks(40);
  const release = await holdResults();
  child = spawn(process.execPath, [SENDER, database.url], { stdio: 'ignore' });
  // It has answers of which it can store none.
  await eventually(() => expect(received.length).toBe(16));
  const ended = new Promise((resolve) => child?.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  await release();
  // PostgreSQL finishes statements that it got before the kill.
  await eventually(async () => expect(await activeStatements()).toBe(0));
  const stored = await count(isDelivered);
  expect(stored).toBeLessThan(16);
  // The leases end.
  await sql`update deliveries set next_attempt_at = now() where status = 'pending'`.execute(store.db);
  await start();
  await eventually(async () => expect(await count(isDelivered)).toBe(40));
  const events = await store.db.selectFrom('events').select('id').execute();
  expect(new Set(received)).toEqual(new Set(events.map(({ id }) => `evt_${id}`)));
  expect(received).toHaveLength(40 + 16 - stored);
  expect(await count(sql<boolean>`attempts = 1 and tries = 1 and next_attempt_at is null`)).toBe(40);
});

test('a worker that stops stores what has ended, and gives back what it aborts', async () => {
  await storeWebhooks(30);
  const hanging = Promise.withResolvers<void>();
  answer = () => (received.length > 10 ? hanging.promise : undefined);
  const { stop } = await start();
  await eventually(() => expect(received).toHaveLength(26));
  await stop(0);
  expect(await count(isDelivered)).toBe(10);
  expect(await count(sql<boolean>`next_attempt_at <= now() and attempts = 0`)).toBe(20);
  hanging.resolve();
});

test('an organization sends one large event at a time', async () => {
  await storeWebhooks(3);
  await store.db
    .updateTable('events')
    .set({ body: JSON.stringify({ text: 'x'.repeat(100_000) }) })
    .execute();
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  answer = () => answers[received.length - 1]?.promise;
  await start();
  for (const [n, { resolve }] of answers.entries()) {
    await eventually(() => expect(received).toHaveLength(n + 1));
    resolve();
  }
  await eventually(async () => expect(await count(isDelivered)).toBe(3));
});
