import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_RETENTION, type RetentionPolicy } from '../../../../src/domain/retention.ts';
import { uploadKey } from '../../../../src/domain/uploads.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { createOrganization } from '../../../../src/store/organizations/organizations.ts';
import { removeSome } from '../../../../src/workflow/removal.ts';
import { type OldCounts, type RetentionRun, removeOld } from '../../../../src/workflow/retention.ts';
import { removeExpiredUploads } from '../../../../src/workflow/uploads.ts';
import { insertExportSet } from '../../../support/exportSet.ts';
import { insertAd, insertUpload, type TestOrganization } from '../../../support/insertRows.ts';
import { type Json, memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { insertEvents, type StoredEvents } from '../../../support/storedEvents.ts';

const files = new Map<string, Buffer>();
const artifacts = memoryArtifacts(files);
const guard = createGuard({ allow: [], lookup: async () => [{ address: '93.184.216.34', family: 4 }] });
let api: TestApi;
let organization: TestOrganization;
beforeAll(async () => {
  api = await startPublicApi({ artifacts, guard });
});
beforeEach(async () => {
  files.clear();
  await api.store.pool.query(`truncate events, subscribers, idempotency_keys, campaigns, uploads cascade;
    update organizations set event_retention_days = null, delivery_retention_days = null, request_retention_days = null`);
  organization = await withCampaign('acme', 'Spring');
});
afterAll(() => api.close());

async function withCampaign(slug: string, name: string): Promise<TestOrganization> {
  const { db } = api.store;
  const { id } = await db.selectFrom('organizations').select('id').where('slug', '=', slug).executeTakeFirstOrThrow();
  const campaignId = randomUUID();
  await db.insertInto('campaigns').values({ id: campaignId, organization_id: id, name }).execute();
  return { id, slug, campaignId };
}

const patch = (body: object, path = 'settings') =>
  api.send({
    method: 'PATCH',
    path: `/api/v1/orgs/acme/${path}`,
    headers: { authorization: `Bearer ${api.organization.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const stored = (given: Omit<StoredEvents, 'organizationId'>, organizationId = organization.id) =>
  insertEvents(api.store.pool, { organizationId, ...given });
const run = (more: Partial<RetentionRun> = {}): Promise<OldCounts> =>
  removeOld(api.store.db, { policy: DEFAULT_RETENTION, draftDays: 30, until: Number.POSITIVE_INFINITY, ...more });
const counts = async (...tables: string[]) => Promise.all(tables.map((table) => api.count(table)));

describe('old events and deliveries', () => {
  test('they are removed with attempts and receivers of test events, and younger ones stay', async () => {
    await stored({ age: 91, count: 3 });
    const young = await stored({ age: 89, count: 2 });
    expect(await run()).toMatchObject({ delivery: 3, event: 3 });
    expect(await counts('events', 'deliveries', 'delivery_attempts', 'subscribers')).toEqual([2, 2, 2, 1]);
    for (const id of young.deliveries) expect((await api.get(`deliveries/${id}`)).status).toBe(200);
  });

  test('a pending delivery stays with its event, however old they are', async () => {
    const { events, deliveries } = await stored({ age: 4_000, ended: null });
    await stored({ age: 4_000 });
    await patch({ event_retention_days: 1, delivery_retention_days: 1 });
    expect(await run()).toMatchObject({ delivery: 1, event: 1 });
    expect((await api.get(`events/evt_${events[0]}`)).json.deliveries[0].id).toBe(deliveries[0]);
  });

  test('a delivery is kept from its end on, so one that failed after a long time can still be read', async () => {
    const { events } = await stored({ age: 100, ended: 3 });
    await patch({ delivery_retention_days: 5 });
    expect(await run()).toMatchObject({ delivery: 0, event: 0 });
    await patch({ delivery_retention_days: 2 });
    expect(await run()).toMatchObject({ delivery: 1, event: 1 });
    expect((await api.get(`events/evt_${events[0]}`)).status).toBe(404);
  });

  test('each organization has its own days, and the maximum of the operator limits them', async () => {
    await createOrganization(api.store.db, { slug: 'other' });
    const other = await withCampaign('other', 'Spring');
    await stored({ age: 40 });
    await stored({ age: 40 }, other.id);
    await patch({ event_retention_days: 30 });
    const removed: string[] = [];
    await run({ removed: ({ organizationId }) => removed.push(organizationId) });
    expect(new Set(removed)).toEqual(new Set([organization.id]));
    const limits = { defaultDays: 35, maxDays: 35 };
    const policy: RetentionPolicy = { ...DEFAULT_RETENTION, event_retention_days: limits };
    expect(await run({ policy })).toMatchObject({ delivery: 1, event: 1 });
  });

  test('a removed event or delivery answers 404 and says which setting removed it', async () => {
    const { events, deliveries } = await stored({ age: 91 });
    await run();
    const event = await api.get(`events/evt_${events[0]}`);
    expect([event.status, event.json.errors.id[0]]).toEqual([404, expect.stringContaining('event_retention_days')]);
    const delivery = await api.get(`deliveries/${deliveries[0]}`);
    expect([delivery.status, delivery.json.errors.id[0]]).toEqual([
      404,
      expect.stringContaining('delivery_retention_days'),
    ]);
    const replays: [string, Json, number, string][] = [
      ['events/replay', { ids: [`evt_${events[0]}`] }, 422, 'ids.0'],
      [`deliveries/${deliveries[0]}/replay`, {}, 404, 'id'],
    ];
    for (const [path, body, status, field] of replays) {
      const { status: got, json } = await api.post(path, body);
      expect([got, json.errors[field]]).toEqual([status, [expect.stringMatching(/removed.*retention_days/s)]]);
    }
  });
});

describe('an event whose deliveries were removed', () => {
  const removedDeliveries = async (given: Partial<StoredEvents>) => {
    await patch({ delivery_retention_days: 7 });
    const { events } = await stored({ age: 8, ...given });
    expect(await run()).toMatchObject({ delivery: 1, event: 0 });
    return `evt_${events[0]}`;
  };
  const newSet = () => insertExportSet({ db: api.store.db, artifacts, organization }, [{ failure: 'no slot' }]);

  test('it still says what it is about, and lists find it', async () => {
    const { id: setId } = await newSet();
    const event = await removedDeliveries({ setId });
    expect((await api.get(`events/${event}`)).json).toMatchObject({ screenshot_set_id: setId, deliveries: [] });
    const listed = async (query: string) =>
      (await api.get(`events?${query}`)).json.data.map(({ id }: { id: string }) => id);
    expect(await listed(`screenshot_set_id=${setId}`)).toEqual([event]);
    expect(await listed(`screenshot_set_id=${randomUUID()}`)).toEqual([]);
  });

  test('it is removed with its set', async () => {
    const { id: setId } = await newSet();
    await removedDeliveries({ setId });
    expect((await api.remove(`screenshot_sets/${setId}`)).status).toBe(204);
    while ((await removeSome({ db: api.store.db, artifacts })) !== undefined);
    expect(await counts('events')).toEqual([0]);
  });

  test('it is removed with its ad', async () => {
    const adId = await insertAd(api.store.db, organization);
    await api.store.db.updateTable('ads').set({ status: 'uploaded' }).execute();
    await removedDeliveries({ adId });
    expect((await api.remove(`ads/${adId}`)).status).toBe(204);
    while ((await removeSome({ db: api.store.db, artifacts })) !== undefined);
    expect(await counts('events')).toEqual([0]);
  });

  test('it is sent again only to an endpoint that the request names', async () => {
    const { id: setId } = await newSet();
    const event = await removedDeliveries({ setId });
    const rejected = await api.post('events/replay', { ids: [event] });
    expect(rejected.status).toBe(409);
    expect(rejected.json.errors.webhook_endpoint_id).toEqual([expect.stringContaining('were removed')]);
    const { id } = (await api.post('webhook_endpoints', { url: 'https://you.example/new' })).json;
    const { status, json } = await api.post('events/replay', { ids: [event], webhook_endpoint_id: id });
    expect([status, json.deliveries]).toEqual([202, 1]);
    const [delivery] = (await api.get(`deliveries?screenshot_set_id=${setId}`)).json.data;
    expect(delivery).toMatchObject({ event_id: event, webhook_endpoint_id: id });
  });
});

describe('the steps of the retention', () => {
  test('each round makes one step for each organization, so a large one does not delay another', async () => {
    await createOrganization(api.store.db, { slug: 'zeta' });
    const small = await withCampaign('zeta', 'Spring');
    await stored({ age: 100, count: 50 });
    await stored({ age: 100, count: 2 }, small.id);
    const steps: string[] = [];
    await run({ together: 5, removed: ({ kind, organizationId }) => steps.push(`${kind} ${organizationId}`) });
    expect(steps.indexOf(`delivery ${small.id}`)).toBe(1);
    expect(steps.filter((step) => step === `delivery ${organization.id}`)).toHaveLength(10);
  });

  test('a run begins no round after its deadline, and the next run continues', async () => {
    await stored({ age: 100, count: 50 });
    expect(await run({ until: 0 })).toMatchObject({ delivery: 0 });
    let isOver = false;
    const removed = () => {
      isOver = true;
    };
    expect(await run({ together: 10, removed, isStopped: () => isOver })).toMatchObject({ delivery: 10, event: 0 });
    expect(await run()).toMatchObject({ delivery: 40, event: 50 });
    expect(await counts('events', 'deliveries', 'delivery_attempts')).toEqual([0, 0, 0]);
  });

  test('two processes remove each row once', async () => {
    await stored({ age: 100, count: 200 });
    const both = await Promise.all([run({ together: 7 }), run({ together: 7 })]);
    expect(both.reduce((sum, { delivery }) => sum + delivery, 0)).toBe(200);
    // Events that one process skipped, because the other had not yet removed their deliveries.
    const rest = await run();
    expect([...both, rest].reduce((sum, { event }) => sum + event, 0)).toBe(200);
    expect(await counts('events', 'deliveries', 'delivery_attempts')).toEqual([0, 0, 0]);
  });

  test('a step that fails leaves everything, and the next run repeats it', async () => {
    await stored({ age: 100, count: 3 });
    // The attempts are deleted before the deliveries, in the same transaction.
    await api.store.pool.query(`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$;
      create trigger fail before delete on deliveries for each row execute function fail()`);
    await expect(run()).rejects.toThrow('killed');
    expect(await counts('events', 'deliveries', 'delivery_attempts')).toEqual([3, 3, 3]);
    await api.store.pool.query('drop function fail cascade');
    expect(await run()).toMatchObject({ delivery: 3, event: 3 });
  });

  test('a delivery that is sent again at this moment stays', async () => {
    const { deliveries } = await stored({ age: 100, count: 2 });
    await api.store.db.transaction().execute(async (tx) => {
      await tx
        .updateTable('deliveries')
        .set({ status: 'pending', finished_at: null })
        .where('id', '=', deliveries[0] ?? '')
        .execute();
      expect(await run()).toMatchObject({ delivery: 1, event: 1 });
    });
    expect(await run()).toMatchObject({ delivery: 0, event: 0 });
    expect(await counts('events', 'deliveries')).toEqual([1, 1]);
  });
});

describe('other rows', () => {
  test('an answer to a request is repeated as long as the organization keeps it, and then removed', async () => {
    const send = async () => {
      const body = { campaign: { name: 'S' }, ad: { media: { type: 'html_tag', content: '<p>' } } };
      return (await api.post('ads', body, { 'idempotency-key': 'one' })).json.id;
    };
    const age = (hours: number) =>
      sql`update idempotency_keys set created_at = now() - make_interval(hours => ${hours})`.execute(api.store.db);
    const first = await send();
    await age(23);
    expect([await run(), await send()]).toEqual([expect.objectContaining({ stored_answer: 0 }), first]);
    await patch({ request_retention_days: 3 });
    await age(71);
    expect([await run(), await send()]).toEqual([expect.objectContaining({ stored_answer: 0 }), first]);
    await age(73);
    expect(await send()).not.toBe(first);
    await age(73);
    expect([await run(), await counts('idempotency_keys')]).toEqual([
      expect.objectContaining({ stored_answer: 1 }),
      [0],
    ]);
  });
});

describe('creatives of the page of a new request', () => {
  const BYTES = Buffer.from('creative');
  let drafts: TestOrganization;
  beforeEach(async () => {
    drafts = await withCampaign('acme', 'Drafts');
  });
  async function draft(change: object = {}): Promise<string> {
    const { db } = api.store;
    const upload = await insertUpload(db, drafts, { name: 'banner.png', bytes: BYTES });
    files.set(uploadKey(upload), BYTES);
    const id = await insertAd(db, drafts, { source: 'draft', upload });
    await sql`update ads set status = 'uploaded', created_at = now() - interval '31 days' where id = ${id}`.execute(db);
    if (Object.keys(change).length > 0) await db.updateTable('ads').set(change).where('id', '=', id).execute();
    return id;
  }
  const removeAll = async () => {
    const { draft: marked } = await run();
    while ((await removeSome({ db: api.store.db, artifacts })) !== undefined);
    await removeExpiredUploads({ db: api.store.db, artifacts });
    return marked;
  };

  test('they are removed with their files if no request used them', async () => {
    const id = await draft();
    expect(await removeAll()).toBe(1);
    expect([(await api.get(`ads/${id}`)).status, await counts('ads', 'uploads'), files.size]).toEqual([410, [0, 0], 0]);
  });

  test('those that something uses, or that may be in use, stay', async () => {
    const used = await draft();
    const { id: setId } = await insertExportSet({ db: api.store.db, artifacts, organization }, [
      { failure: 'no slot' },
    ]);
    await api.store.db.updateTable('screenshots').set({ ad_id: used }).where('set_id', '=', setId).execute();
    const others = [
      await draft({ status: 'pending' }),
      // An ad of a client in a campaign that is also named "Drafts".
      await draft({ source: 'create_ad' }),
    ];
    expect(await removeAll()).toBe(0);
    for (const id of [used, ...others]) expect((await api.get(`ads/${id}`)).status).toBe(200);
  });
});

describe('the settings of the retention', () => {
  test('the API shows the days that apply and those that can be chosen, and the audit log has the change', async () => {
    const { json } = await patch({ event_retention_days: 60, delivery_retention_days: 14 });
    expect(json).toMatchObject({
      set_retention_days: null,
      event_retention_days: 60,
      delivery_retention_days: 14,
      request_retention_days: 1,
      retention_bounds: {
        set_retention_days: { minimum: 1, maximum: 36_500, default: null },
        event_retention_days: { minimum: 1, maximum: 3_650, default: 90 },
        delivery_retention_days: { minimum: 1, maximum: 3_650, default: 90 },
        request_retention_days: { minimum: 1, maximum: 30, default: 1 },
      },
    });
    expect((await api.get('settings')).json).toEqual(json);
    const [entry] = (await api.get('audit_log?action=settings.updated')).json.data;
    expect(entry.changes).toEqual([
      { field: 'event_retention_days', from: null, to: '60' },
      { field: 'delivery_retention_days', from: null, to: '14' },
    ]);
    expect((await patch({ event_retention_days: null, delivery_retention_days: null })).json).toMatchObject({
      event_retention_days: 90,
      delivery_retention_days: 90,
    });
  });

  test.each([
    [{ event_retention_days: 0 }, 'event_retention_days'],
    [{ event_retention_days: 3_651 }, 'event_retention_days'],
    [{ delivery_retention_days: 1.5 }, 'delivery_retention_days'],
    [{ event_retention_days: 10, delivery_retention_days: 11 }, 'delivery_retention_days'],
    [{ request_retention_days: 31 }, 'request_retention_days'],
    [{ request_retention_days: 0 }, 'request_retention_days'],
  ])('the days %j are rejected', async (body, field) => {
    const { status, json } = await patch(body);
    expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
  });

  test('a key without the scope admin changes nothing', async () => {
    const { json } = await api.post('keys', { name: 'writer', scopes: ['read', 'write'] });
    const { status } = await api.send({
      method: 'PATCH',
      path: '/api/v1/orgs/acme/settings',
      headers: { authorization: `Bearer ${json.key}`, 'content-type': 'application/json' },
      body: '{"event_retention_days":1}',
    });
    expect([status, (await api.get('settings')).json.event_retention_days]).toEqual([403, 90]);
  });
});
