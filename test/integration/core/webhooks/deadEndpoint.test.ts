/** Ten thousand deliveries wait for one webhook endpoint that is dead. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FolderArtifactStore } from '../../../../src/artifacts/folder.ts';
import { type Deliveries, startDeliveries } from '../../../../src/core/webhooks/deliveries.ts';
import { recordAdEvent } from '../../../../src/core/webhooks/events.ts';
import { insertEndpoint } from '../../../../src/core/webhooks/webhookEndpointQueries.ts';
import { changeEndpoint, deleteEndpoint } from '../../../../src/core/webhooks/webhookEndpoints.ts';
import { openStore, type Store } from '../../../../src/db/database.ts';
import { type Queue, startQueue } from '../../../../src/db/queue.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { type TestDatabase, testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertAd, insertOrganization, type TestOrganization } from '../../../support/insertRows.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

const WAITING = 10_000;
/** Attempts that run at the same time for one receiver. */
const PER_RECEIVER = 16;

let database: TestDatabase;
let store: Store;
let queue: Queue;
let deliveries: Deliveries | undefined;
let organization: TestOrganization;
let receiver: Listener;
let folder: string;
/** The paths of the requests to the receiver. */
let asked: string[];

beforeEach(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  organization = await insertOrganization(store.db);
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-dead-'));
  asked = [];
  receiver = await listenHttp((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(204).end();
  });
});

afterEach(async () => {
  await deliveries?.stop(0);
  deliveries = undefined;
  await queue.stop({ timeoutMs: 500 });
  await receiver.close();
  await store.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  deliveries = await startDeliveries({
    ...{ store, queue, log: TEST_LOG },
    artifacts: new FolderArtifactStore(folder),
    guard: createGuard({ allow: ['127.0.0.0/8'] }),
  });
}

async function addEndpoint(url: string, of = organization): Promise<string> {
  const fields = { url, topics: null, description: '', headers: {}, disabled: false };
  const { id } = await store.db.transaction().execute((tx) => insertEndpoint(tx, of.id, fields));
  return id;
}

async function recordEvent(of = organization): Promise<void> {
  const adId = await insertAd(store.db, of, { source: 'create_ad' });
  const context = { queue, publicUrl: 'https://tearsheet.example' };
  const event = { adId, organizationId: of.id, topic: 'ad.uploaded' } as const;
  await store.db.transaction().execute((tx) => recordAdEvent(tx, event, context));
}

/** Repeats the event of the only delivery of an endpoint until so many wait. */
async function fill(endpointId: string): Promise<void> {
  await sql`
    with sample as (select d.*, e.topic, e.body from deliveries d join events e on e.id = d.event_id where d.subscriber_id = ${endpointId}),
    ids as (select gen_random_uuid() as event_id from generate_series(2, ${WAITING})),
    made as (
      insert into events (id, organization_id, topic, body)
      select ids.event_id, s.organization_id, s.topic, s.body from sample s cross join ids returning id
    )
    insert into deliveries (id, organization_id, event_id, subscriber_id, ad_id, channel, target, next_attempt_at)
    select gen_random_uuid(), s.organization_id, made.id, s.subscriber_id, s.ad_id, s.channel, s.target, now()
    from sample s cross join made`.execute(store.db);
}

async function statuses(endpointId: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*)::integer as count from deliveries where subscriber_id = ${endpointId} group by 1`.execute(
    store.db,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
async function tried(endpointId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from deliveries where subscriber_id = ${endpointId} and attempts > 0`.execute(
    store.db,
  );
  return rows[0]?.count ?? 0;
}
const delivered = (endpointId: string) =>
  eventually(async () => expect(await statuses(endpointId)).toEqual({ delivered: 1 }));

const change = (id: string, how: 'disabled' | 'deleted') =>
  store.db.transaction().execute(async (tx) => {
    const one = { organizationId: organization.id, id };
    if (how === 'deleted') await deleteEndpoint(tx, one, { actor: OPERATOR, queue });
    else await changeEndpoint(tx, one, { disabled: true }, { actor: OPERATOR, queue });
  });

describe('ten thousand deliveries wait for an endpoint', () => {
  test.each([
    ['hangs', 'disabled'],
    ['refuses connections', 'deleted'],
  ] as const)('if it %s, other receivers get their events, and all end when it is %s', async (how, ending) => {
    const dead = await listenHttp(() => undefined);
    if (how === 'refuses connections') await dead.close();
    const deadId = await addEndpoint(dead.url);
    await recordEvent();
    await fill(deadId);
    expect(await statuses(deadId)).toEqual({ pending: WAITING });
    await start();
    if (how === 'hangs') await eventually(() => expect(dead.open).toBe(PER_RECEIVER));
    else await eventually(async () => expect(await tried(deadId)).toBeGreaterThan(PER_RECEIVER));

    const neighbour = await insertOrganization(store.db);
    const theirs = await addEndpoint(receiver.url, neighbour);
    await recordEvent(neighbour);
    await delivered(theirs);
    const own = await addEndpoint(`http://localhost:${receiver.port}/`);
    await recordEvent();
    await delivered(own);
    expect(await statuses(deadId)).toEqual({ pending: WAITING + 1 });
    expect(dead.open).toBe(how === 'hangs' ? PER_RECEIVER : 0);

    await change(deadId, ending);
    await eventually(async () => expect(await statuses(deadId)).toEqual({ gone: WAITING + 1 }));
    await dead.close();
  });
});

test('an endpoint is disabled although the attempt of one of its deliveries is being stored', async () => {
  const id = await addEndpoint(receiver.url);
  for (let events = 0; events < 3; events += 1) await recordEvent();
  const stored = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const storing = store.db.transaction().execute(async (tx) => {
    await tx.selectFrom('deliveries').select('id').where('subscriber_id', '=', id).limit(1).forUpdate().execute();
    locked.resolve();
    await stored.promise;
  });
  await locked.promise;
  await change(id, 'disabled');
  expect(await statuses(id)).toEqual({ gone: 2, pending: 1 });
  await start();
  const other = await addEndpoint(`${receiver.url}/other`);
  await recordEvent();
  await delivered(other);
  stored.resolve();
  await storing;
  await eventually(async () => expect(await statuses(id)).toEqual({ gone: 3 }));
  expect(asked).toEqual(['/other']);
});

test('deliveries follow their endpoint before the queue has updated them', async () => {
  const [moved, disabled] = [await addEndpoint(`${receiver.url}/old`), await addEndpoint(`${receiver.url}/disabled`)];
  await recordEvent();
  // As between two steps.
  await store.db
    .updateTable('subscribers')
    .set({ webhook_url: `${receiver.url}/new` })
    .where('id', '=', moved)
    .execute();
  await store.db.updateTable('webhook_endpoints').set({ disabled_at: new Date() }).where('id', '=', disabled).execute();
  await start();
  await delivered(moved);
  const later = await addEndpoint(`${receiver.url}/later`);
  await recordEvent();
  await delivered(later);
  expect(asked.toSorted()).toEqual(['/later', '/new', '/new']);
  expect(await statuses(disabled)).toEqual({ pending: 1 });
});
