import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FolderArtifactStore } from '../../../../src/artifacts/folder.ts';
import { type Deliveries, startDeliveries } from '../../../../src/commands/service/startDeliveries.ts';
import { recordAdEvent } from '../../../../src/core/events/recordEvent.ts';
import { createChat } from '../../../../src/core/notices/chats.ts';
import { disableFailingEndpoint } from '../../../../src/core/webhooks/failingEndpoints.ts';
import { insertEndpoint } from '../../../../src/core/webhooks/webhookEndpointQueries.ts';
import { changeEndpoint, deleteEndpoint } from '../../../../src/core/webhooks/webhookEndpoints.ts';
import { openStore, type Store } from '../../../../src/db/database.ts';
import { type Queue, startQueue } from '../../../../src/db/queue.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import type { EndpointTopic } from '../../../../src/domain/topics.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { type TestDatabase, testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertAd, insertOrganization, type TestOrganization } from '../../../support/insertRows.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';
import { createTestLog, expectLoggedErrors } from '../../../support/testLog.ts';

const DAYS = 5;
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
let received: { readonly path: string; readonly body: string }[];
/** The status of the receiver, by path; 204 unless given. */
let answers: Map<string, number>;
let warnings: unknown[];

beforeEach(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  organization = await insertOrganization(store.db);
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-failing-'));
  [received, answers, warnings] = [[], new Map(), []];
  receiver = await listenHttp(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({ path: request.url ?? '', body });
    response.statusCode = answers.get(request.url ?? '') ?? 204;
    response.end();
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
  const log = createTestLog((line) => {
    if (line.level === 'warn') warnings.push(line);
  });
  deliveries = await startDeliveries({
    ...{ store, queue, log },
    artifacts: new FolderArtifactStore(folder),
    guard: createGuard({ allow: ['127.0.0.0/8', '::1/128'] }),
  });
}

const endpoint = (name: string, topics: readonly EndpointTopic[] = ['ad.uploaded']) =>
  addEndpoint(`${receiver.url}/${name}`, topics);

/** @param topics null: all. */
async function addEndpoint(url: string, topics: readonly EndpointTopic[] | null, of = organization): Promise<string> {
  const fields = { url, topics, description: '', headers: {}, disabled: false };
  const { id } = await store.db.transaction().execute((tx) => insertEndpoint(tx, of.id, fields));
  return id;
}

async function recordEvents(count: number, of = organization): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const adId = await insertAd(store.db, of, { source: 'create_ad' });
    const context = { queue, publicUrl: 'https://tearsheet.example' };
    const event = { adId, organizationId: of.id, topic: 'ad.uploaded' } as const;
    await store.db.transaction().execute((tx) => recordAdEvent(tx, event, context));
  }
}

const row = (id: string) =>
  store.db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const deliveriesTo = (id: string) =>
  store.db.selectFrom('deliveries').selectAll().where('subscriber_id', '=', id).orderBy('created_at').execute();
const allTried = (id: string) =>
  eventually(async () => expect((await deliveriesTo(id)).every(({ attempts }) => attempts > 0)).toBe(true));
/** Makes one attempt of each delivery. None runs afterwards. */
async function failAll(...ids: readonly string[]): Promise<void> {
  await start();
  for (const id of ids) await allTried(id);
  await deliveries?.stop(0);
}
const failFor = (id: string, days: number) =>
  store.db
    .updateTable('webhook_endpoints')
    .set({ failing_since: sql<Date>`now() - make_interval(days => ${days})` })
    .where('id', '=', id)
    .execute();
const disableNow = (id: string) =>
  store.db.transaction().execute((tx) => disableFailingEndpoint(tx, { organizationId: organization.id, id }, queue));

test('an endpoint whose attempts all failed for days is disabled, and the other endpoints get an event', async () => {
  answers.set('/failing', 503);
  const id = await endpoint('failing');
  const other = await endpoint('other', ['webhook_endpoint.disabled']);
  const unasked = await endpoint('unasked', ['ad.failed']);
  const chat = {
    name: 'Team',
    kind: 'slack',
    address: 'https://chat.example/',
    notices: ['endpoint_disabled'],
  } as const;
  await store.db.transaction().execute((tx) => createChat(tx, organization.id, chat, OPERATOR));
  await recordEvents(2);
  await start();
  await allTried(id);
  expect(await row(id)).toMatchObject({ disabled_at: null, failing_since: expect.any(Date) });
  await failFor(id, DAYS);
  await recordEvents(1);
  await eventually(async () => expect((await row(id)).disabled_at).not.toBeNull());
  const reason = expect.stringMatching(/^Every delivery attempt since \S+ failed, for more than 5 days\.$/);
  expect(await row(id)).toMatchObject({ disabled_reason: reason });
  for (const { status, reason: why, next_attempt_at } of await deliveriesTo(id)) {
    expect([status, next_attempt_at]).toEqual(['gone', null]);
    expect(why).toMatch(/^The service disabled the webhook endpoint\. Every delivery attempt since/);
  }
  await eventually(() => expect(received.map((call) => call.path)).toContain('/other'));
  const event = JSON.parse(received.find((call) => call.path === '/other')?.body ?? '');
  expect(event).toMatchObject({
    topic: 'webhook_endpoint.disabled',
    data: { object: { type: 'webhook_endpoint', id, disabled: true, disabled_reason: reason } },
  });
  expect(JSON.stringify(event)).not.toContain('whsec_');
  const notices = await store.db.selectFrom('notices').select(['kind', 'subject_id', 'facts']).execute();
  expect(notices).toEqual([
    { kind: 'endpoint_disabled', subject_id: id, facts: { label: expect.any(String), reason } },
  ]);
  expect([await deliveriesTo(other), await deliveriesTo(unasked)]).toMatchObject([[{}], []]);
  const entries = await store.db.selectFrom('audit_log').selectAll().where('actor_type', '=', 'service').execute();
  expect(entries).toMatchObject([{ actor_type: 'service', action: 'webhook_endpoint.disabled', object_id: id }]);
  await eventually(() => expect(warnings).toHaveLength(1));
});

test('a success ends the time of failures', async () => {
  const id = await endpoint('a');
  await failFor(id, 2 * DAYS);
  await recordEvents(1);
  await start();
  await eventually(async () => expect((await row(id)).failing_since).toBeNull());
  answers.set('/a', 500);
  await recordEvents(3);
  await eventually(async () =>
    expect((await deliveriesTo(id)).filter(({ tries, status }) => tries > 0 && status === 'pending')).toHaveLength(3),
  );
  expect(await disableNow(id)).toBeUndefined();
  expect((await row(id)).disabled_at).toBeNull();
});

test('an endpoint with two failed deliveries, or with a shorter time of failures, stays enabled', async () => {
  answers.set('/a', 500);
  const id = await endpoint('a');
  await recordEvents(2);
  await failAll(id);
  await failFor(id, DAYS);
  expect(await disableNow(id)).toBeUndefined();
  await failFor(id, 0);
  await recordEvents(1);
  await failAll(id);
  await failFor(id, DAYS - 1);
  expect(await disableNow(id)).toBeUndefined();
  await failFor(id, DAYS);
  expect(await disableNow(id)).toMatchObject({ id });
  expect(await disableNow(id)).toBeUndefined();
});

test('an attempt that the service itself could not make is no failure of the endpoint', async () => {
  expectLoggedErrors(/a delivery attempt failed on our side/);
  const id = await endpoint('a');
  await store.db.updateTable('webhook_endpoints').set({ headers: 'not JSON' }).where('id', '=', id).execute();
  await recordEvents(1);
  await start();
  await allTried(id);
  expect((await row(id)).failing_since).toBeNull();
});

test('an endpoint that is enabled again begins without failures', async () => {
  answers.set('/a', 500);
  const id = await endpoint('a');
  await recordEvents(3);
  await failAll(id);
  await failFor(id, DAYS);
  await disableNow(id);
  const one = { organizationId: organization.id, id };
  await store.db
    .transaction()
    .execute((tx) => changeEndpoint(tx, one, { disabled: false }, { actor: OPERATOR, queue }));
  expect(await row(id)).toMatchObject({ disabled_at: null, disabled_reason: null, failing_since: null });
  expect(await disableNow(id)).toBeUndefined();
});

test('two endpoints that are disabled at the same time do not wait for each other', async () => {
  answers.set('/a', 500).set('/b', 500);
  const ids = [await endpoint('a', ['ad.uploaded', 'webhook_endpoint.disabled'])];
  ids.push(await endpoint('b', ['ad.uploaded', 'webhook_endpoint.disabled']));
  await recordEvents(3);
  await failAll(...ids);
  for (const id of ids) await failFor(id, DAYS);
  expect(await Promise.all(ids.map((id) => disableNow(id)))).toMatchObject(ids.map((id) => ({ id })));
});

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
    const deadId = await addEndpoint(dead.url, null);
    await recordEvents(1);
    await fill(deadId);
    expect(await statuses(deadId)).toEqual({ pending: WAITING });
    await start();
    if (how === 'hangs') await eventually(() => expect(dead.open).toBe(PER_RECEIVER));
    else await eventually(async () => expect(await tried(deadId)).toBeGreaterThan(PER_RECEIVER));

    const neighbour = await insertOrganization(store.db);
    const theirs = await addEndpoint(receiver.url, null, neighbour);
    await recordEvents(1, neighbour);
    await delivered(theirs);
    const own = await addEndpoint(`http://localhost:${receiver.port}/`, null);
    await recordEvents(1);
    await delivered(own);
    expect(await statuses(deadId)).toEqual({ pending: WAITING + 1 });
    expect(dead.open).toBe(how === 'hangs' ? PER_RECEIVER : 0);

    await change(deadId, ending);
    await eventually(async () => expect(await statuses(deadId)).toEqual({ gone: WAITING + 1 }));
    await dead.close();
  });
});

test('an endpoint is disabled although the attempt of one of its deliveries is being stored', async () => {
  const id = await addEndpoint(receiver.url, null);
  await recordEvents(3);
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
  const other = await addEndpoint(`${receiver.url}/other`, null);
  await recordEvents(1);
  await delivered(other);
  stored.resolve();
  await storing;
  await eventually(async () => expect(await statuses(id)).toEqual({ gone: 3 }));
  expect(received.map((call) => call.path)).toEqual(['/other']);
});

test('deliveries follow their endpoint before the queue has updated them', async () => {
  const [moved, disabled] = [
    await addEndpoint(`${receiver.url}/old`, null),
    await addEndpoint(`${receiver.url}/disabled`, null),
  ];
  await recordEvents(1);
  // As between two steps.
  await store.db
    .updateTable('subscribers')
    .set({ webhook_url: `${receiver.url}/new` })
    .where('id', '=', moved)
    .execute();
  await store.db.updateTable('webhook_endpoints').set({ disabled_at: new Date() }).where('id', '=', disabled).execute();
  await start();
  await delivered(moved);
  const later = await addEndpoint(`${receiver.url}/later`, null);
  await recordEvents(1);
  await delivered(later);
  expect(received.map((call) => call.path).toSorted()).toEqual(['/later', '/new', '/new']);
  expect(await statuses(disabled)).toEqual({ pending: 1 });
});
