import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chooseQuotas } from '../../../../src/core/organizations/operator.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startPublicApi({ quotas: { picturesPerDay: 10, runningCaptures: 7 } });
});
afterEach(() => api.close());

const request = (pictures: number) => {
  const media = { type: 'url', content: 'https://cdn.example/a.png' };
  const screenshots = Array.from({ length: pictures }, (_, i) => ({
    site: { url: `https://site-${i}.example/` },
    device: { name: 'desktop' },
  }));
  return api.post('screenshot_requests', {
    campaign: { name: 'C' },
    screenshot_requests: [{ ad: { media }, screenshots }],
  });
};

/** As if the organization had requested so many today. The next day too, because it may begin during the test. */
const use = (pictures: number) =>
  sql`insert into usage_days select id, (now() at time zone 'utc')::date + n, ${pictures}
    from organizations, generate_series(0, 1) n`.execute(api.store.db);

test('a request over the quota of the day gets 429, says when to try again, and stores nothing', async () => {
  await use(8);
  const before = await Promise.all(['campaigns', 'ads', 'screenshot_sets', 'queued'].map(api.count));
  const reply = await request(3);
  expect(reply.status).toBe(429);
  expect(reply.json).toMatchObject({
    code: 'quota_exceeded',
    errors: { quota: [expect.stringContaining('requested 8')] },
  });
  const seconds = Number(reply.headers['retry-after']);
  expect(seconds > 0 && seconds <= 86_400).toBe(true);
  expect(await Promise.all(['campaigns', 'ads', 'screenshot_sets', 'queued'].map(api.count))).toEqual(before);
  expect((await request(2)).status).toBe(202);
});

test('a single request over the whole quota is rejected, too', async () => {
  expect((await request(11)).json).toMatchObject({ code: 'quota_exceeded' });
});

test('requests at the same time cannot exceed the quota together', async () => {
  await use(5);
  const replies = await Promise.all([request(2), request(2), request(2), request(2)]);
  expect(replies.map(({ status }) => status).sort()).toEqual([202, 202, 429, 429]);
});

test('retakes count', async () => {
  await use(6);
  const set = (await request(3)).json;
  await sql`update screenshot_sets set status = 'failed', settled_at = now()`.execute(api.store.db);
  await sql`update screenshots set status = 'blocked'`.execute(api.store.db);
  expect((await api.post(`screenshot_sets/${set.id}/retake`, { which: 'all' })).json).toMatchObject({
    code: 'quota_exceeded',
  });
});

test('the operator gives an organization its own quotas, which the audit log shows', async () => {
  const { db } = api.store;
  await chooseQuotas(db, 'acme', { pictures_per_day: 2, running_captures: 3 });
  expect((await request(3)).status).toBe(429);
  expect((await api.get('usage')).json.limits).toEqual({ pictures_per_day: 2, running_captures: 3 });
  const [entry] = (await api.get('audit_log?action=settings.updated')).json.data;
  expect(entry).toMatchObject({
    actor: { type: 'operator' },
    changes: [
      { field: 'pictures_per_day', from: null, to: '2' },
      { field: 'running_captures', from: null, to: '3' },
    ],
  });
  await chooseQuotas(db, 'acme', { pictures_per_day: null });
  expect((await api.get('usage')).json.limits).toEqual({ pictures_per_day: 10, running_captures: 3 });
});

test('without a quota there is no limit', async () => {
  const quotas = { picturesPerDay: undefined, runningCaptures: 7 };
  await api.close();
  api = await startPublicApi({ quotas });
  expect((await request(50)).status).toBe(202);
  const { limits, left } = (await api.get('usage')).json;
  expect([limits.pictures_per_day, left.pictures_today]).toEqual([null, null]);
});

test('the use of each day has pictures, creatives and deliveries', async () => {
  await use(4);
  await request(3);
  await sql`update ads set created_at = '2026-01-02T23:59:59Z'`.execute(api.store.db);
  await sql`insert into usage_days select id, '2026-01-01', 12 from organizations`.execute(api.store.db);
  const past = (await api.get('usage?from=2026-01-01&to=2026-01-03')).json;
  expect(past.days).toEqual([
    { day: '2026-01-01', pictures: 12, creatives: 0, deliveries: 0 },
    { day: '2026-01-02', pictures: 0, creatives: 1, deliveries: 0 },
    { day: '2026-01-03', pictures: 0, creatives: 0, deliveries: 0 },
  ]);
  const { days, used, left, limits } = (await api.get('usage')).json;
  expect(days).toHaveLength(30);
  expect(limits).toEqual({ pictures_per_day: 10, running_captures: 7 });
  expect(used).toEqual({ pictures_today: expect.any(Number), running_captures: 0 });
  expect(left).toEqual({ pictures_today: 10 - used.pictures_today, running_captures: 7 });
});

test.each(['from=2026-02-01&to=2026-01-01', 'from=2026-01-01&to=2026-12-31', 'from=yesterday'])(
  'the range %s is rejected',
  async (query) => {
    expect((await api.get(`usage?${query}`)).status).toBe(422);
  },
);
