import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { readRulesToApply } from '../../../../src/core/siteRules/siteRuleQueries.ts';
import { RULE_LIMITS } from '../../../../src/domain/siteRules.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
let organizationId: string;
beforeAll(async () => {
  api = await startPublicApi();
  ({ id: organizationId } = await api.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow());
});
beforeEach(() => api.store.pool.query('delete from site_rules'));
afterAll(() => api.close());

const NEWS = {
  host: ' News.example ',
  path: '/sport/*',
  device: 'phone',
  note: ' The score prefers the footer. ',
  slots: [{ size: { width: 300, height: 250 }, selector: ' #mpu ' }, { selector: '#rail' }],
  hide: ['#newsletter'],
  click: ['.close'],
  wait_for: ['#mpu'],
  cookies: [{ name: 'session', value: 'secret-1' }],
  headers: [{ name: 'X-Preview', value: 'secret-2' }],
};

const create = (body: unknown) => api.post('site_rules', body);
const change = (id: string, body: unknown) =>
  api.send({
    ...{ method: 'PATCH', path: `/api/v1/orgs/acme/site_rules/${id}`, body: JSON.stringify(body) },
    headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
  });
const importAll = (body: unknown) => api.post('site_rules/import', body);
const applied = () => readRulesToApply(api.store.db, organizationId, ['news.example', 'other.example']);
const actions = async () => {
  const { rows } = await api.store.pool.query<{ action: string; text: string }>(
    `select action, changes::text as text from audit_log where action like 'site_rule.%' order by created_at, action`,
  );
  return rows;
};

describe('a site rule', () => {
  test('a rule is stored and listed without the values of its cookies and headers', async () => {
    const { status, json, text } = await create(NEWS);
    expect([status, json]).toEqual([
      201,
      {
        type: 'site_rule',
        id: expect.any(String),
        host: 'news.example',
        path: '/sport/*',
        device: 'phone',
        note: 'The score prefers the footer.',
        slots: [
          { size: { width: 300, height: 250 }, selector: '#mpu' },
          { size: null, selector: '#rail' },
        ],
        hide: ['#newsletter'],
        click: ['.close'],
        wait_for: ['#mpu'],
        cookies: [{ name: 'session', value: null }],
        headers: [{ name: 'X-Preview', value: null }],
        last_acted_at: null,
        last_missed_at: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect((await api.get('site_rules')).json).toMatchObject({ data: [json], total: 1 });
    expect((await api.get(`site_rules/${json.id}`)).json).toEqual(json);
    expect(text).not.toContain('secret');
    expect(await applied()).toMatchObject([{ id: json.id, cookies: NEWS.cookies, headers: NEWS.headers }]);
    const { rows } = await api.store.pool.query(`select row_to_json(r)::text as stored from site_rules r`);
    expect(rows[0].stored).not.toContain('secret-');
    expect((await actions()).map(({ text: shown }) => shown).join()).not.toContain('secret-');
  });

  test('a change replaces the given fields, resets those that are null, and keeps values that are null', async () => {
    const { id } = (await create(NEWS)).json;
    const body = {
      hide: ['.a', '.b'],
      click: null,
      cookies: [
        { name: 'session', value: null },
        { name: 'b', value: '2' },
      ],
    };
    const { status, json } = await change(id, body);
    expect([status, json.hide, json.click, json.path, json.slots.length]).toEqual([
      200,
      ['.a', '.b'],
      [],
      '/sport/*',
      2,
    ]);
    expect(await applied()).toMatchObject([
      { cookies: [...NEWS.cookies, { name: 'b', value: '2' }], headers: NEWS.headers, wait_for: ['#mpu'] },
    ]);
    await change(id, { cookies: [{ name: 'session', value: 'changed' }] });
    expect((await actions()).at(-1)).toMatchObject({ action: 'site_rule.updated' });
    const before = (await actions()).length;
    await change(id, { note: NEWS.note });
    expect(await actions()).toHaveLength(before);
    const nothing = Object.fromEntries(['slots', 'hide', 'wait_for', 'cookies', 'headers'].map((name) => [name, null]));
    expect(await change(id, nothing)).toMatchObject({ status: 422, json: { errors: { slots: [expect.anything()] } } });
  });

  test('a rule for another host needs the values again, so that no person can send stored ones to a host that they choose', async () => {
    const { id } = (await create(NEWS)).json;
    const missing = [expect.stringMatching(/^is required, .* for this host/)];
    expect((await change(id, { host: 'other.example' })).json.errors).toEqual({
      'cookies.0.value': missing,
      'headers.0.value': missing,
    });
    const given = { cookies: [{ name: 'session', value: 'new' }], headers: null };
    expect((await change(id, { host: 'other.example', ...given })).status).toBe(200);
    expect(await applied()).toMatchObject([{ host: 'other.example', cookies: given.cookies, headers: [] }]);
  });

  test('one response lists all faults', async () => {
    const { status, json } = await create({
      host: 'https://news.example/',
      path: 'sport',
      device: 'fridge',
      slots: [{ selector: ' ' }, { size: { width: 1, height: 0 }, selector: '#a' }],
      hide: ['a:has(b):has(c)'],
      click: Array.from({ length: 21 }, () => '#a'),
      headers: [{ name: 'Host', value: 'evil.example' }],
    });
    expect([status, Object.keys(json.errors).sort()]).toEqual([
      422,
      ['click', 'device', 'headers.0.name', 'hide.0', 'host', 'path', 'slots.0.selector', 'slots.1.size.height'],
    ]);
    const twice = [{ selector: '#a' }, { selector: '#b' }];
    const parts = { slots: twice, cookies: [{ name: 'new', value: null }] };
    expect((await create({ host: 'news.example', ...parts })).json.errors).toEqual({
      'slots.1.size': ['is the size of an earlier slot: name each size once.'],
    });
    expect((await create({ host: 'news.example', cookies: parts.cookies })).json.errors).toEqual({
      'cookies.0.value': [
        'is required, because no value of this name is stored for this host. Exports contain no values.',
      ],
    });
    expect((await create({ host: 'news.example' })).json.errors).toEqual({
      slots: [expect.stringMatching(/^is required/)],
    });
  });

  test('a second rule for the same pages is a conflict, also by a change', async () => {
    await create({ host: 'news.example', hide: ['#a'] });
    expect(await create({ host: 'NEWS.example', path: '/*', hide: ['#b'] })).toMatchObject({ status: 409 });
    const { id } = (await create({ host: 'news.example', device: 'phone', hide: ['#b'] })).json;
    expect(await change(id, { device: 'all' })).toMatchObject({ status: 409 });
    expect(await change(id, { device: 'phone', hide: ['#c'] })).toMatchObject({ status: 200 });
  });

  test('a rule of another organization is not found, and its pages are free', async () => {
    const { id } = (await create(NEWS)).json;
    const other = await createOrganization(api.store.db, { slug: 'other' });
    const headers = { authorization: other.api_key, 'content-type': 'application/json' };
    const path = `/api/v1/orgs/other/site_rules`;
    for (const method of ['GET', 'DELETE'])
      expect((await api.send({ method, path: `${path}/${id}`, headers })).status).toBe(404);
    expect((await api.send({ method: 'PATCH', path: `${path}/${id}`, headers, body: '{}' })).status).toBe(404);
    const { status } = await api.send({ method: 'POST', path, headers, body: JSON.stringify(NEWS) });
    expect([status, (await api.get('site_rules')).json.total]).toEqual([201, 1]);
  });

  test('an organization has a limited number of rules', async () => {
    await api.store.pool.query(
      `insert into site_rules (id, organization_id, host, path, device, body)
        select gen_random_uuid(), $1, 'h' || n || '.example', '/*', 'all', '{}' from generate_series(1, $2) n`,
      [organizationId, RULE_LIMITS.rules],
    );
    expect(await create(NEWS)).toMatchObject({
      status: 409,
      json: { errors: { host: [expect.stringContaining('500')] } },
    });
    expect(await importAll({ data: [NEWS] })).toMatchObject({ status: 409 });
  });
});

describe('the import of site rules', () => {
  test('the answer of the list can be imported as it is, and stored values stay', async () => {
    await create(NEWS);
    await create({ host: '*.blog.example', hide: ['#a'] });
    const exported = (await api.get('site_rules?per_page=500')).json;
    const { status, json } = await importAll(exported);
    expect([status, json]).toEqual([200, { type: 'site_rules_import', created: 0, replaced: 2 }]);
    expect((await api.get('site_rules?per_page=500')).json).toEqual(exported);
    expect((await applied()).find(({ host }) => host === 'news.example')).toMatchObject({ cookies: NEWS.cookies });
    const more = [
      { host: 'news.example', path: '/sport/*', device: 'phone', hide: ['#b'] },
      { host: 'c.example', hide: ['#c'] },
    ];
    expect((await importAll({ data: more })).json).toMatchObject({ created: 1, replaced: 1 });
    expect((await applied()).find(({ host }) => host === 'news.example')).toMatchObject({
      hide: ['#b'],
      cookies: [],
      slots: [],
    });
  });

  test('an import with a fault changes nothing, and the answer names all faults', async () => {
    const good = { host: 'good.example', hide: ['#a'] };
    const data = [good, { host: '*.com', hide: ['#a'] }, { host: 'b.example' }];
    const { status, json } = await importAll({ data });
    expect([status, Object.keys(json.errors)]).toEqual([422, ['data.1.host', 'data.2.slots']]);
    const twice = await importAll({ data: [good, { ...good, host: 'GOOD.example.' }] });
    expect(twice.json.errors).toEqual({ 'data.1.host': [expect.stringContaining('data.0')] });
    const cookies = [{ name: 'session', value: null }];
    const withoutValue = await importAll({ data: [good, { host: 'b.example', cookies, headers: [{ name: 'X-A' }] }] });
    expect(Object.keys(withoutValue.json.errors)).toEqual(['data.1.cookies.0.value', 'data.1.headers.0.value']);
    expect((await api.get('site_rules')).json.total).toBe(0);
  });
});
