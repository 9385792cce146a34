import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertUser } from '../../../../src/core/people/users.ts';
import { OLD_ROWS } from '../../../../src/core/removal/oldRows.ts';
import { sweepFiles } from '../../../../src/core/removal/removedFiles.ts';
import { deleteDraft, readDraft, saveDraft } from '../../../../src/core/requests/drafts.ts';
import { uploadKey } from '../../../../src/domain/uploads.ts';
import { insertExportSet } from '../../../support/exportSet.ts';
import { insertAd, insertUpload, type TestOrganization } from '../../../support/insertRows.ts';
import { memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { insertEvents, type StoredEvents } from '../../../support/storedEvents.ts';

const files = new Map<string, Buffer>();
const artifacts = memoryArtifacts(files);
let api: TestApi;
let organization: TestOrganization;
beforeAll(async () => {
  api = await startPublicApi({ artifacts });
});
beforeEach(async () => {
  files.clear();
  await api.store.pool.query(`truncate events, subscribers, idempotency_keys, campaigns, uploads cascade`);
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

const stored = (given: Omit<StoredEvents, 'organizationId'>) =>
  insertEvents(api.store.pool, { organizationId: organization.id, ...given });
const run = (kind: keyof typeof OLD_ROWS, most = 500) => OLD_ROWS[kind](api.store.db, most);
const counts = async (...tables: string[]) => Promise.all(tables.map((table) => api.count(table)));

describe('old events', () => {
  test('they are removed with deliveries and attempts after 90 days, and then the receivers of test events', async () => {
    await stored({ age: 91, count: 3 });
    const young = await stored({ age: 89, count: 2 });
    expect([await run('event'), await run('test_receiver')]).toEqual([3, 1]);
    expect(await counts('events', 'deliveries', 'delivery_attempts', 'subscribers')).toEqual([2, 2, 2, 1]);
    for (const id of young.deliveries) expect((await api.get(`deliveries/${id}`)).status).toBe(200);
  });

  test('an event with a pending delivery stays, however old it is', async () => {
    const { events, deliveries } = await stored({ age: 4_000, ended: null });
    await stored({ age: 4_000 });
    expect(await run('event')).toBe(1);
    expect((await api.get(`events/evt_${events[0]}`)).json.deliveries[0].id).toBe(deliveries[0]);
  });

  test('a removed event or delivery answers 404 and says when it was removed', async () => {
    const { events, deliveries } = await stored({ age: 91 });
    await run('event');
    for (const path of [`events/evt_${events[0]}`, `deliveries/${deliveries[0]}`]) {
      const { status, json } = await api.get(path);
      expect([path, status, json.errors.id[0]]).toEqual([path, 404, expect.stringContaining('90 days')]);
    }
  });

  test('two processes remove each event once', async () => {
    await stored({ age: 100, count: 200 });
    const work = async () => {
      let total = 0;
      for (let found = 7; found > 0; total += found) found = await run('event', 7);
      return total;
    };
    const both = await Promise.all([work(), work()]);
    expect(both.reduce((sum, count) => sum + count) + (await run('event'))).toBe(200);
    expect(await counts('events', 'deliveries', 'delivery_attempts')).toEqual([0, 0, 0]);
  });

  test('an event that is sent again at this moment stays', async () => {
    const { events } = await stored({ age: 100, count: 2 });
    await api.store.db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('events')
        .select('id')
        .where('id', '=', events[0] ?? '')
        .forKeyShare()
        .execute();
      expect(await run('event')).toBe(1);
    });
    expect(await counts('events', 'deliveries')).toEqual([1, 1]);
  });

  test('an event of a removed ad stays and says what it was about', async () => {
    const adId = await insertAd(api.store.db, organization);
    await api.store.db.updateTable('ads').set({ status: 'uploaded' }).execute();
    const { events } = await stored({ age: 1, adId });
    expect((await api.remove(`ads/${adId}`)).status).toBe(204);
    expect((await api.get(`events/evt_${events[0]}`)).json).toMatchObject({ ad_id: adId, deliveries: [] });
    const { status, json } = await api.post('events/replay', { ids: [`evt_${events[0]}`] });
    expect([status, json.errors.webhook_endpoint_id]).toEqual([409, [expect.stringContaining('were removed')]]);
  });
});

describe('other rows', () => {
  test('an answer to a request is repeated for a day, and then removed', async () => {
    const send = async () => {
      const body = { campaign: { name: 'S' }, ad: { media: { type: 'html_tag', content: '<p>' } } };
      return (await api.post('ads', body, { 'idempotency-key': 'one' })).json.id;
    };
    const age = (hours: number) =>
      sql`update idempotency_keys set created_at = now() - make_interval(hours => ${hours})`.execute(api.store.db);
    const first = await send();
    await age(23);
    expect([await run('stored_answer'), await send()]).toEqual([0, first]);
    await age(25);
    expect(await send()).not.toBe(first);
    await age(25);
    expect([await run('stored_answer'), await counts('idempotency_keys')]).toEqual([1, [0]]);
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
    const drafts = await run('draft');
    await run('upload');
    await sweepFiles({ db: api.store.db, artifacts });
    return drafts;
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
  const patch = (body: object, key = api.organization.api_key) =>
    api.send({
      method: 'PATCH',
      path: '/api/v1/orgs/acme/settings',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('the API shows the days that apply and those that can be chosen, and the audit log has the change', async () => {
    const { json } = await patch({ set_retention_days: 60 });
    expect(json).toMatchObject({
      set_retention_days: 60,
      retention_bounds: { set_retention_days: { minimum: 1, maximum: 36_500, default: null } },
    });
    expect((await api.get('settings')).json).toEqual(json);
    const [entry] = (await api.get('audit_log?action=settings.updated')).json.data;
    expect(entry.changes).toEqual([{ field: 'set_retention_days', from: null, to: '60' }]);
    expect((await patch({ set_retention_days: null })).json.set_retention_days).toBeNull();
  });
});

test('a draft of a request is replaced, kept for 30 days, and belongs to one key or person', async () => {
  const id = randomUUID();
  const { db } = api.store;
  const [one, two] = await db.selectFrom('api_keys').select(['id', 'organization_id']).execute();
  const draftOf = { organizationId: one?.organization_id ?? '', keyId: one?.id ?? '', userId: null };
  await saveDraft(db, draftOf, { id, body: { sites: 'news' } });
  await saveDraft(db, draftOf, { id, body: { sites: 'news.example' } });
  expect(await readDraft(db, draftOf, id)).toEqual({ sites: 'news.example' });
  expect(await readDraft(db, { ...draftOf, keyId: two?.id ?? 'another1' }, id)).toBeUndefined();
  const { organizationId } = draftOf;
  const userId = await insertUser(db, { email: null, name: 'Ann' });
  await db
    .insertInto('memberships')
    .values({ organization_id: organizationId, user_id: userId, role: 'manager' })
    .execute();
  for (const sites of ['mine', 'mine.example'])
    await saveDraft(db, { organizationId, keyId: null, userId }, { id, body: { sites } });
  expect(await readDraft(db, { organizationId, keyId: null, userId }, id)).toEqual({ sites: 'mine.example' });
  await db.deleteFrom('memberships').execute();
  expect(await readDraft(db, { organizationId, keyId: null, userId }, id)).toBeUndefined();
  expect(await readDraft(db, draftOf, id)).toEqual({ sites: 'news.example' });
  const large = { media: 'x'.repeat(2 * 1024 * 1024) };
  await expect(saveDraft(db, draftOf, { id, body: large })).rejects.toMatchObject({ status: 422 });
  expect(await run('request_draft')).toBe(0);
  await api.store.pool.query(`update drafts set updated_at = now() - interval '31 days'`);
  expect(await run('request_draft')).toBe(1);
  await saveDraft(db, draftOf, { id, body: {} });
  await deleteDraft(db, draftOf, id);
  expect(await counts('drafts')).toEqual([0]);
});
