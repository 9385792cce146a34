import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shareToken } from '../../../../src/api/auth/shareTokens.ts';
import { readInstallation } from '../../../../src/core/jobs/installation.ts';
import { followShare } from '../../../../src/core/sharing/followers.ts';
import { findShareLink, noteShareLinkUse } from '../../../../src/core/sharing/shareLinks.ts';
import { type Json, PUBLIC_URL, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';
const DAY_MS = 86_400_000;
const daysFromNow = (time: string) => (Date.parse(time) - Date.now()) / DAY_MS;

async function newSet(): Promise<string> {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const shot = { site: { url: 'https://news.example/' }, device: { name: 'desktop' } };
  const body = { campaign: { name: 'Shared' }, screenshot_requests: [{ ad: { media }, screenshots: [shot] }] };
  return (await api.post('screenshot_requests', body)).json.id;
}

const create = (setId: string, body: unknown = {}, headers = {}) =>
  api.post(`screenshot_sets/${setId}/shares`, body, headers);
const list = async (setId: string): Promise<Json[]> => (await api.get(`screenshot_sets/${setId}/shares`)).json.data;

describe('a share link', () => {
  test('a new share link has an address, an end in 30 days and its creator', async () => {
    const setId = await newSet();
    const { status, json } = await create(setId, '');
    expect([status, json]).toEqual([
      201,
      {
        type: 'share',
        id: expect.any(String),
        screenshot_set_id: setId,
        url: expect.stringMatching(/^https:\/\/shots\.example\/s\/[\w-]{22}\.[\w-]{43}$/),
        label: '',
        downloads: false,
        answers: false,
        has_password: false,
        pictures: 'all',
        status: 'active',
        created_at: expect.any(String),
        created_by: { key_id: api.organization.api_key.slice(8, 16), name: 'first key' },
        created_by_user: null,
        expires_at: expect.any(String),
        revoked_at: null,
        last_used_at: null,
        uses: 0,
      },
    ]);
    expect(daysFromNow(json.expires_at)).toBeCloseTo(30, 1);
  });

  test('the database holds nothing that opens a share link', async () => {
    const { json } = await create(await newSet());
    const token = json.url.slice(`${PUBLIC_URL}/s/`.length);
    const { rows } = await api.store.pool.query('select row_to_json(l)::text as row from share_links l');
    expect(JSON.stringify(rows)).not.toContain(token.split('.')[1]);
    const { secret } = await readInstallation(api.store.db);
    expect(token).toBe(shareToken(secret, json.id));
  });

  test('a label and an end can be given, and both are checked', async () => {
    const setId = await newSet();
    const end = new Date(Date.now() + 3 * DAY_MS);
    const { json } = await create(setId, { label: ' For Anna ', expires_at: end.toISOString() });
    expect([json.label, Date.parse(json.expires_at)]).toEqual(['For Anna', end.getTime()]);
    const late = new Date(Date.now() + 400 * DAY_MS).toISOString();
    for (const [body, field, text] of [
      [{ label: 'x'.repeat(101) }, 'label', 'at most 100'],
      [{ expires_at: 'tomorrow' }, 'expires_at', 'ISO 8601'],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'in the future'],
      [{ expires_at: late }, 'expires_at', 'at most 366 days'],
    ] as const) {
      const reply = await create(setId, body);
      expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
      expect(reply.json.errors[field][0]).toContain(text);
    }
    expect(await list(setId)).toHaveLength(1);
  });

  test('no response and no column holds the password of a link', async () => {
    const setId = await newSet();
    const wanted = { answers: true, password: 'correct horse', pictures: 'approved' };
    const { text, json } = await create(setId, wanted);
    expect(json).toMatchObject({ answers: true, has_password: true, pictures: 'approved' });
    const { rows } = await api.store.pool.query('select row_to_json(l)::text as row from share_links l');
    const logged = await api.store.db.selectFrom('audit_log').select('changes').execute();
    expect(JSON.stringify([text, rows, logged])).not.toContain('correct horse');
    expect((await create(setId, { password: 'short' })).json.errors.password).toEqual([
      'must be at least 8 characters.',
    ]);
  });

  test('a campaign has links as a set has, and no routes of the other reach them', async () => {
    const setId = await newSet();
    const { campaign_id: id } = (await api.get(`screenshot_sets/${setId}`)).json;
    const links = `campaigns/${id}/shares`;
    const { status, json } = await api.post(links, { label: 'For Anna', answers: true });
    const ofSet = (await create(setId)).json;
    expect([status, json]).toMatchObject([201, { campaign_id: id, label: 'For Anna', answers: true, uses: 0 }]);
    expect([Object.keys(json)[2], 'campaign_id' in ofSet]).toEqual(['campaign_id', false]);
    expect((await api.get(links)).json).toMatchObject({ total: 1, data: [json] });
    expect(await list(setId)).toEqual([ofSet]);
    const changed = await api.send({
      method: 'PATCH',
      path: `/api/v1/orgs/acme/${links}/${json.id}`,
      headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'blue horses' }),
    });
    expect(changed.json).toMatchObject({ id: json.id, has_password: true });
    for (const path of [
      `${links}/${ofSet.id}`,
      `screenshot_sets/${setId}/shares/${json.id}`,
      `campaigns/${NOBODY}/shares/${json.id}`,
    ])
      expect((await api.remove(path)).status).toBe(404);
    expect((await api.remove(`${links}/${json.id}`)).json.status).toBe('revoked');
    expect((await api.post(`campaigns/${NOBODY}/shares`, {})).status).toBe(404);
    expect((await api.get(`campaigns/${NOBODY}/shares`)).status).toBe(404);
    const log = (await api.get('audit_log')).json.data.filter((entry: Json) => entry.object.id === json.id);
    expect(log.map(({ action }: Json) => action)).toEqual([
      'share_link.revoked',
      'share_link.updated',
      'share_link.created',
    ]);
    expect(log[2].changes).toContainEqual({ field: 'campaign_id', from: null, to: id });
  });

  test('the links of a set are listed, newest first, and revoked one by one', async () => {
    const setId = await newSet();
    const [first, second] = [(await create(setId)).json, (await create(setId)).json];
    expect((await list(setId)).map(({ id }) => id)).toEqual([second.id, first.id]);
    const revoked = await api.remove(`screenshot_sets/${setId}/shares/${first.id}`);
    expect([revoked.status, revoked.json.status]).toEqual([200, 'revoked']);
    const again = await api.remove(`screenshot_sets/${setId}/shares/${first.id}`);
    expect([again.status, again.json.revoked_at]).toEqual([200, revoked.json.revoked_at]);
    expect(await list(setId)).toEqual([second, revoked.json]);
    const paged = await api.get(`screenshot_sets/${setId}/shares?per_page=1&page=2`);
    expect(paged.json).toMatchObject({ data: [{ id: first.id }], page: 2, per_page: 1, total: 2 });
  });

  test('a link is extended, gets another password, and is restored for ten minutes after it was revoked', async () => {
    const setId = await newSet();
    const { json: link } = await create(setId, { password: 'blue horses' });
    const path = `screenshot_sets/${setId}/shares/${link.id}`;
    const change = (body: Json) =>
      api.send({
        method: 'PATCH',
        path: `/api/v1/orgs/acme/${path}`,
        headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { db } = api.store;
    const row = () => db.selectFrom('share_links').selectAll().where('id', '=', link.id).executeTakeFirstOrThrow();
    const end = new Date(Date.now() + 90 * DAY_MS).toISOString();
    const before = await row();
    expect((await change({ expires_at: end })).json).toEqual({ ...link, expires_at: end.replace('Z', '+00:00') });
    expect((await row()).password_hash).toEqual(before.password_hash);
    await followShare(db, link.id, 'anna@client.example');
    await db.insertInto('share_followers').values({ share_id: link.id, email: 'b@client.example' }).execute();
    expect((await change({ password: 'red horses' })).json.has_password).toBe(true);
    expect((await row()).password_hash).not.toEqual(before.password_hash);
    // They may not know the new password.
    expect(await db.selectFrom('share_followers').where('share_id', '=', link.id).select('id').execute()).toEqual([]);
    expect((await change({ password: null })).json.has_password).toBe(false);
    await api.remove(path);
    const refused = await change({ expires_at: end });
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([409, ['revoked']]);
    expect((await change({ revoked: false })).json.status).toBe('active');
    await db
      .updateTable('share_links')
      .set({ revoked_at: new Date(Date.now() - 11 * 60_000) })
      .where('id', '=', link.id)
      .execute();
    expect((await change({ revoked: false })).status).toBe(409);
    const faulty = await change({ expires_at: '2001-01-01', password: 'short', revoked: true });
    expect([faulty.status, Object.keys(faulty.json.errors).sort()]).toEqual([
      422,
      ['expires_at', 'password', 'revoked'],
    ]);
    const log = await db
      .selectFrom('audit_log')
      .select('changes')
      .where('object_id', '=', link.id)
      .where('action', '=', 'share_link.updated')
      .orderBy('created_at')
      .execute();
    expect(log.map(({ changes }) => changes.map(({ field }) => field))).toEqual([
      ['expires_at'],
      ['password'],
      ['has_password'],
      ['revoked'],
    ]);
    expect(JSON.stringify(log)).not.toContain('horses');
  });

  test('an unknown set or link gets 404', async () => {
    const [setId, other] = [await newSet(), await newSet()];
    const { json } = await create(other);
    for (const reply of [
      await create(NOBODY),
      await api.get(`screenshot_sets/${NOBODY}/shares`),
      await api.remove(`screenshot_sets/${setId}/shares/${json.id}`),
      await api.remove(`screenshot_sets/${setId}/shares/x`),
    ]) {
      expect(reply.status).toBe(404);
    }
    expect(await list(other)).toEqual([json]);
  });

  test('neither the access log nor a stored response contains the address of a link', async () => {
    const setId = await newSet();
    const { json } = await create(setId, {}, { 'idempotency-key': 'share once' });
    const path = json.url.slice(PUBLIC_URL.length);
    await api.send({ path });
    await api.send({ path: `${path}/events` });
    expect(JSON.stringify(api.lines)).toContain('"path":"/s/…"');
    expect(JSON.stringify(api.lines)).not.toContain(path.slice(3));
    const stored = await api.store.db.selectFrom('idempotency_keys').select('response').execute();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(path.slice(3));
  });

  test('a set has at most 100 valid links', async () => {
    const setId = await newSet();
    const { json } = await create(setId);
    await api.store.pool.query(
      `insert into share_links (id, organization_id, set_id, expires_at)
       select gen_random_uuid(), organization_id, set_id, expires_at from share_links, generate_series(1, 99) where id = $1`,
      [json.id],
    );
    const refused = await create(setId);
    expect([refused.status, Object.keys(refused.json.errors)]).toEqual([409, ['share']]);
    await api.remove(`screenshot_sets/${setId}/shares/${json.id}`);
    expect((await create(setId)).status).toBe(201);
  });

  test('the use of a link is written at most once a minute', async () => {
    const { db, pool } = api.store;
    const { json } = await create(await newSet());
    const used = async () => (await list(json.screenshot_set_id))[0];
    for (let i = 0; i < 3; i += 1) await noteShareLinkUse(db, json.id);
    expect(await used()).toMatchObject({ uses: 1, last_used_at: expect.any(String) });
    await pool.query(`update share_links set last_used_at = now() - interval '61 s' where id = $1`, [json.id]);
    await noteShareLinkUse(db, json.id);
    expect((await used()).uses).toBe(2);
    expect(await findShareLink(db, json.id)).toMatchObject({ set_id: json.screenshot_set_id, slug: 'acme' });
  });
});
