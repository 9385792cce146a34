import { afterAll, beforeAll, expect, test } from 'vitest';
import { admitWaiting } from '../../../../src/core/jobs/admission.ts';
import { readPageAccess } from '../../../../src/core/sets/pageAccess.ts';
import { readRetakeSources } from '../../../../src/core/sets/readVersions.ts';
import { rotateKeys } from '../../../../src/db/secrets/storedSecrets.ts';
import { DEFAULT_LIMITS } from '../../../../src/domain/limits.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { Locations } from '../../../../src/egress/locations.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const GERMANY = {
  ...{ id: 'de', name: 'Germany', country: 'DE', locale: 'de-DE', languages: ['de-DE'], time_zone: 'Europe/Berlin' },
  ...{ geolocation: null, check_url: null },
};
const locations = new Locations({
  locations: [
    { ...GERMANY, proxy: 'http://proxy.internal:3128' },
    { ...GERMANY, id: 'fr', name: 'France', country: 'FR', proxy: 'socks5://other.internal:1080' },
  ],
  credentials: { de: { username: 'agency', password: 'pr0xy-secret' } },
  guard: createGuard({ allow: [] }),
});

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ locations, limits: { ...DEFAULT_LIMITS, locations: locations.ids } });
});
afterAll(() => api.close());

const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const shot = (page: object, url = 'https://news.example/') => ({
  site: { url },
  device: { name: 'desktop' },
  options: { page },
});
const ask = (screenshots: readonly object[], more: object = {}) =>
  api.post('screenshot_requests', {
    campaign: { name: 'Spring' },
    screenshot_requests: [{ ad: { media }, screenshots }],
    ...more,
  });
const cookies = [{ name: 'session', value: 'c00kie-secret' }];
const headers = [{ name: 'X-Preview', value: 'h3ader-secret' }];

test('the locations are listed without their proxies', async () => {
  const { json } = await api.get('locations');
  const shown = { type: 'location', locale: 'de-DE', time_zone: 'Europe/Berlin', available: true };
  expect(json.data).toEqual([
    { ...shown, id: 'de', name: 'Germany', country: 'DE' },
    { ...shown, id: 'fr', name: 'France', country: 'FR' },
  ]);
});

test('a location that is not offered is rejected with the list, for a screenshot and for the request', async () => {
  const reply = await ask([shot({ location: 'xx' })], { options: { page: { location: 'DE' } } });
  expect(reply.status).toBe(422);
  const message = ['must be one of these locations: de, fr.'];
  expect(reply.json.errors).toEqual({
    'options.page.location': message,
    'screenshot_requests.0.screenshots.0.options.page.location': message,
  });
});

test.each([
  ['a line break in a header', { headers: [{ name: 'X-A', value: 'a\r\nCookie: b' }] }, 'headers.0.value'],
  ['a line break in the name of a header', { headers: [{ name: 'X-A\r\nY', value: 'a' }] }, 'headers.0.name'],
  ['a header of the connection', { headers: [{ name: 'Host', value: 'evil.example' }] }, 'headers.0.name'],
  ['a header of the proxy', { headers: [{ name: 'Proxy-Authorization', value: 'a' }] }, 'headers.0.name'],
  ['an attribute in a cookie', { cookies: [{ name: 'a', value: 'b; domain=example' }] }, 'cookies.0.value'],
  [
    'the same header twice',
    {
      headers: [
        { name: 'X-A', value: 'a' },
        { name: 'x-a', value: 'b' },
      ],
    },
    '',
  ],
  ['21 cookies', { cookies: Array.from({ length: 21 }, (_, i) => ({ name: `c${i}`, value: 'v' })) }, 'cookies'],
])('%s is rejected', async (_what, page, path) => {
  const reply = await ask([shot(page)]);
  expect(reply.status).toBe(422);
  const where = `screenshot_requests.0.screenshots.0.options.page${path && `.${path}`}`;
  expect(Object.keys(reply.json.errors)).toEqual([where]);
  expect(JSON.stringify(reply.json)).not.toContain('domain=example');
});

test('cookies and headers are sealed, shown to captures alone, kept for the same site, and removed with the set', async () => {
  const { db } = api.store;
  const screenshots = [shot({ cookies, headers }), shot({ cookies, headers }, 'https://other.example/'), shot({})];
  const { json } = await ask(screenshots, { options: { page: { location: 'fr' } } });
  const stored = await db.selectFrom('page_access').selectAll().where('set_id', '=', json.id).execute();
  expect(stored.map(({ content }) => content)).toEqual([expect.stringMatching(/^sealed:1:/)]);
  const rows = await db.selectFrom('screenshots').selectAll().where('set_id', '=', json.id).orderBy('seq').execute();
  const access = { cookies: ['session'], headers: ['X-Preview'] };
  expect(rows.map(({ options }) => [options?.location, options?.access])).toEqual([
    ['fr', access],
    ['fr', access],
    ['fr', undefined],
  ]);

  const limits = { maxPods: 10, maxPodsPerOrganization: 10, parallelism: 5, setDeadlineSeconds: 600 };
  await db.transaction().execute((tx) => admitWaiting(tx, limits, { reached: [] }));
  const indexes = await db.selectFrom('screenshots').select('job_index').where('set_id', '=', json.id).execute();
  expect(new Set(indexes.map(({ job_index }) => job_index)).size).toBe(3);
  expect([...(await readPageAccess(db, json.id)).values()]).toEqual([{ cookies, headers }]);

  const everything = [
    await api.get(`screenshot_sets/${json.id}`),
    await api.get(`screenshot_sets/${json.id}/screenshots`),
    await api.get('audit_log'),
    await api.get('events'),
  ];
  const jobs = await db.selectFrom('screenshot_jobs').selectAll().execute();
  expect(JSON.stringify([everything, jobs, rows])).not.toMatch(/c00kie-secret|h3ader-secret|pr0xy-secret|internal:/);
  expect(everything.map(({ status }) => status)).toEqual([200, 200, 200, 200]);

  const [first] = await readRetakeSources(db, json.id);
  expect(first?.access).toEqual({ cookies, headers });
  await rotateKeys(db);
  await db.updateTable('screenshots').set({ status: 'generic_error' }).where('set_id', '=', json.id).execute();
  await db.updateTable('screenshot_sets').set({ status: 'failed' }).where('id', '=', json.id).execute();
  const again = await api.post(`screenshots/${rows[0]?.id}/retake`, {});
  expect([...(await readPageAccess(db, again.json.id)).values()]).toEqual([{ cookies, headers }]);
  const elsewhere = await api.post(`screenshots/${rows[0]?.id}/retake`, { site: { url: 'https://evil.example/' } });
  expect([elsewhere.status, (await readPageAccess(db, elsewhere.json.id)).size]).toEqual([202, 0]);

  await db.deleteFrom('screenshot_sets').where('id', '=', json.id).execute();
  expect(await db.selectFrom('page_access').selectAll().where('set_id', '=', json.id).execute()).toEqual([]);
});

test('a template keeps a location, and refuses cookies and headers', async () => {
  const devices = [{ name: 'desktop' }];
  const kept = await api.post('templates', { name: 'Germany', devices, options: { page: { location: 'de' } } });
  expect(kept.json.options).toEqual({ page: { location: 'de' } });
  const refused = await api.post('templates', { name: 'Secret', devices, options: { page: { cookies, headers } } });
  expect(refused.status).toBe(422);
  expect(Object.keys(refused.json.errors)).toEqual(['options.page.cookies', 'options.page.headers']);
});
