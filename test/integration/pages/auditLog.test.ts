/** The audit log of the pages: sign-in, sign-out, the forms of the settings, and the page that shows it. */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { openStore } from '../../../src/db/database.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { createRefusalLog } from '../../../src/pages/people/sessionRoutes.ts';
import { eventually } from '../../support/eventually.ts';
import { createKey } from '../../support/keys.ts';
import { required } from '../../support/required.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { TEST_LOG } from '../../support/testLog.ts';
import { type PagesServer, seedSet, startPages } from './pagesServer.ts';

let server: PagesServer;
beforeAll(async () => {
  const lookup = () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]);
  server = await startPages({ guard: createGuard({ allow: [], lookup }) });
});
afterAll(() => server.close());

/** Oldest first. */
async function entries(slug = 'demo') {
  const { rows } = await server.store.pool.query(
    `select a.* from audit_log a join organizations o on o.id = a.organization_id where o.slug = $1 order by a.created_at`,
    [slug],
  );
  return rows;
}

async function added(act: () => Promise<unknown>, count = 1) {
  const before = new Set((await entries()).map(({ id }) => id));
  await act();
  // A refused sign-in is stored after the response.
  return eventually(async () => {
    const rows = (await entries()).filter(({ id }) => !before.has(id));
    expect(rows).toHaveLength(count);
    return rows;
  });
}

const post = (path: string, fields: Record<string, string>, cookie = '') =>
  fetch(`${server.url}/o/demo${path}`, {
    method: 'POST',
    headers: { cookie, 'x-request-id': 'req-of-page' },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

async function signIn(key = server.apiKey): Promise<string> {
  const response = await post('/sign-in', { key });
  return required(response.headers.get('set-cookie')?.split(';')[0]);
}

async function submit(cookie: string, path: string, fields: Record<string, string> = {}): Promise<void> {
  const page = await fetch(`${server.url}/o/demo/settings`, { headers: { cookie } });
  const form = required(/name="form" value="([^"]+)"/.exec(await page.text())?.[1]);
  const { status } = await post(path, { form, ...fields }, cookie);
  expect(status).toBeLessThan(400);
}

describe('sessions', () => {
  test('sign-in and sign-out have an entry each, which name the key and the same session', async () => {
    let cookie = '';
    const [started] = await added(async () => {
      cookie = await signIn();
    });
    const [ended] = await added(() => submit(cookie, '/sign-out'));
    const common = {
      actor_type: 'session',
      actor_key_id: server.apiKey.slice(8, 16),
      actor_name: 'first key',
      object_type: 'session',
      address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
      request_id: 'req-of-page',
    };
    expect([started, ended]).toMatchObject([
      { action: 'session.started', ...common },
      { action: 'session.ended', object_id: started.object_id, ...common },
    ]);
    expect(cookie).toContain(started.object_id);
    const signature = required(cookie.split('.').at(-1));
    expect(JSON.stringify(await entries())).not.toContain(signature);
  });

  test('a refused sign-in has an entry without the key, which names a key of this organization only', async () => {
    const { db } = server.store;
    const writer = await createKey(db, 'demo', { scopes: ['write'] });
    const other = await createOrganization(db, { slug: 'other' });
    const wrong = `${server.apiKey.slice(0, 17)}${'x'.repeat(43)}`;
    const ownId = { field: 'key_id', from: null, to: server.apiKey.slice(8, 16) };
    const reason = (to: string) => ({ field: 'reason', from: null, to });
    const unknown = reason('unknown, revoked or expired key');
    for (const [key, changes] of [
      ['nonsense-planted', [reason('malformed key')]],
      [wrong, [unknown, ownId]],
      [other.api_key, [unknown]],
      [writer.api_key, [reason('missing scope read'), { ...ownId, to: writer.id }]],
    ] as const) {
      const [entry] = await added(() => post('/sign-in', { key }));
      expect(entry).toMatchObject({
        ...{ action: 'session.refused', actor_type: 'anonymous', actor_key_id: null, object_id: null, changes },
        address: expect.any(String),
      });
      expect(JSON.stringify(entry)).not.toContain(key);
    }
    expect((await entries('other')).length).toBe(0);
  });

  test('sign-ins that are refused again and again have at most 20 entries at once, and 6 a minute', async () => {
    await createOrganization(server.store.db, { slug: 'target' });
    let now = 0;
    const refusals = createRefusalLog({ store: server.store, log: TEST_LOG }, () => now);
    const actor = { type: 'anonymous', keyId: null, userId: null, address: null, requestId: null } as const;
    const refuse = async (times: number) => {
      for (let n = 0; n < times; n += 1) await refusals(actor, { slug: 'target', reason: 'malformed key' });
      return (await entries('target')).length;
    };
    expect(await refuse(30)).toBe(20);
    now += 60_000;
    expect(await refuse(30)).toBe(26);
  });

  test('the entry of a refused sign-in is stored by a service that stops meanwhile', async () => {
    const store = openStore({ url: server.store.pool.options.connectionString ?? '', keyRing: TEST_KEY_RING });
    await createOrganization(store.db, { slug: 'stopping' });
    const actor = { type: 'anonymous', keyId: null, userId: null, address: null, requestId: null } as const;
    const recorded = createRefusalLog({ store, log: TEST_LOG })(actor, { slug: 'stopping', reason: 'malformed key' });
    await setImmediate(); // The first query has a connection now.
    await Promise.all([recorded, store.close()]);
    expect((await entries('stopping')).length).toBe(1);
  });

  test('a refused sign-in to an unknown organization is not an error', async () => {
    const refusals = createRefusalLog({ store: server.store, log: TEST_LOG });
    const actor = { type: 'anonymous', keyId: null, userId: null, address: null, requestId: null } as const;
    expect(await refusals(actor, { slug: 'nobody', reason: 'malformed key' })).toBeUndefined();
  });
});

describe('the forms', () => {
  const cases: [string, string, Record<string, string>][] = [
    ['settings.updated', '/settings', { review: 'manual' }],
    ['settings.updated', '/settings/retention', { set_retention_days: '90' }],
    ['api_key.created', '/settings/keys', { name: 'Page', scope_read: 'yes' }],
    ['webhook_secret.rotated', '/settings/webhooks/rotate', {}],
    ['webhook.tested', '/settings/webhooks/test', { url: 'https://you.example/hook' }],
    [
      'connector.created',
      '/settings/connectors',
      { name: 's3', is_new: 'yes', region: 'eu-west-1', access_key_id: 'AKIA', secret_access_key: 'planted' },
    ],
    ['connector.checked', '/settings/connectors/check', { name: 's3', bucket: 'pictures', key_prefix: '' }],
    ['connector.deleted', '/settings/connectors/remove', { name: 's3' }],
  ];
  test.each(cases)('the entry %s comes from the form %s', async (action, path, fields) => {
    const cookie = await signIn();
    const rows = await added(() => submit(cookie, path, fields));
    expect(rows).toMatchObject([{ action, actor_type: 'session', actor_key_id: server.apiKey.slice(8, 16) }]);
  });

  test('a key is revoked with an entry', async () => {
    const { id } = await createKey(server.store.db, 'demo', { name: 'Old', scopes: ['read'] });
    const cookie = await signIn();
    const [entry] = await added(() => submit(cookie, `/settings/keys/${id}/revoke`));
    expect(entry).toMatchObject({ action: 'api_key.revoked', object_id: id });
  });

  test('the branding has an entry for its texts', async () => {
    const cookie = await signIn();
    const page = await fetch(`${server.url}/o/demo/settings/branding`, { headers: { cookie } });
    const form = required(/name="form" value="([^"]+)"/.exec(await page.text())?.[1]);
    const body = new FormData();
    const fields = { form, brand_name: 'Acme', accent_color: '#112233', footer_text: '', page_size: 'a4' };
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const url = `${server.url}/o/demo/settings/branding`;
    const [entry] = await added(() => fetch(url, { method: 'POST', headers: { cookie }, body, redirect: 'manual' }));
    expect(entry).toMatchObject({
      action: 'branding.updated',
      changes: expect.arrayContaining([{ field: 'brand_name', from: null, to: 'Acme' }]),
    });
  });
});

describe('the page', () => {
  const read = async (query: string, key = server.apiKey) => {
    const url = `${server.url}/o/demo/settings/audit_log${query}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    return { status: response.status, text: await response.text() };
  };

  test('it shows entries with their actor and changes, and filters them', async () => {
    const cookie = await signIn();
    await submit(cookie, '/settings/keys', { name: '<b>Shown</b>', scope_read: 'yes' });
    const { status, text } = await read('?action=api_key.created');
    expect(status).toBe(200);
    expect(text).toContain('&lt;b&gt;Shown&lt;/b&gt;');
    expect(text).toContain('API key created');
    expect(text).toContain('Session of');
    expect((await read('?action=organization.created')).text).toContain('No entries match');
    expect((await read('?actor=nonsense!')).text).toContain('must be the id of an API key');
    expect((await read('?to=2020-01-01')).text).toContain('No entries match');
  });

  test('entries name sets and pictures with links, also sets that were deleted', async () => {
    const shots = [{ site: 'https://news.example/', device: 'desktop', ad: 'Spring sale' }] as const;
    const [kept, gone] = [
      await seedSet(server, { campaign: 'Kept', status: 'in_review', shots }),
      await seedSet(server, { campaign: 'Gone', status: 'in_review', shots }),
    ];
    const cookie = await signIn();
    for (const { setId, shotIds } of [kept, gone])
      await submit(cookie, `/screenshot_sets/${setId}/reviews`, { decide: `rejected:${shotIds[0]}` });
    await submit(cookie, `/screenshot_sets/${gone.setId}/delete`);
    const never = '00000000-0000-4000-8000-000000000000';
    await server.store.pool.query(
      `insert into audit_log (organization_id, actor_type, action, object_type, object_id)
       select id, 'operator', 'screenshot_set.approved', 'screenshot_set', $1 from organizations where slug = 'demo'`,
      [never],
    );
    const { text } = await read('');
    expect(text).toMatch(
      new RegExp(`<a href="[^"]*/screenshot_sets/${kept.setId}"><bdi>Kept, \\d+ \\w+ \\d+</bdi></a>`),
    );
    expect(text).toContain(`/screenshots/${kept.shotIds[0]}"><bdi>news.example · Desktop · Spring sale</bdi></a>`);
    expect(text).toMatch(/<bdi>Gone, \d+ \w+ \d+<\/bdi> \(deleted\)/);
    expect(text).toContain('deleted set <code>00000000</code>');
    expect(text).not.toMatch(new RegExp(`>${kept.setId}<|>${gone.setId}<`));
  });

  test('its pages have every entry once', async () => {
    const { rows } = await server.store.pool.query(
      `insert into audit_log (organization_id, actor_type, action, object_type, object_id)
       select id, 'operator', 'screenshot_set.deleted', 'screenshot_set', 'set-' || n
       from organizations, generate_series(1, 60) n where slug = 'demo' returning object_id`,
    );
    const seen: string[] = [];
    for (let next: string | undefined = '?action=screenshot_set.deleted'; next !== undefined; ) {
      const { text } = await read(next);
      seen.push(...[...text.matchAll(/<code>(set-\d+)<\/code>/g)].map(([, id = '']) => id));
      const link = /rel="next" href="[^"?]*(\?[^"]+)"/.exec(text)?.[1];
      next = link?.replaceAll('&amp;', '&').replaceAll('&#38;', '&');
    }
    expect(seen.toSorted()).toEqual(rows.map(({ object_id }) => object_id).toSorted());
  });

  test('only a key with the scope admin opens it, and a key with only write opens no page', async () => {
    const { db } = server.store;
    const reader = await createKey(db, 'demo', { scopes: ['read', 'write'] });
    const writer = await createKey(db, 'demo', { scopes: ['write'] });
    const refused = await read('', reader.api_key);
    expect([refused.status, refused.text.includes('Only for administrators'), refused.text.includes('req-')]).toEqual([
      403,
      true,
      false,
    ]);
    const pages = [
      '',
      '/screenshot_sets',
      '/ads',
      '/campaigns',
      '/deliveries',
      '/new',
      '/settings',
      '/settings/audit_log',
    ];
    for (const path of pages) {
      const response = await fetch(`${server.url}/o/demo${path}`, {
        headers: { authorization: `Bearer ${writer.api_key}` },
        redirect: 'manual',
      });
      expect([path, response.status, (await response.text()).includes('Sign in to demo')]).toEqual([path, 200, true]);
    }
  });
});
