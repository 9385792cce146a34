/** Limits of shared pages and pictures, which need no key. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareToken } from '../../../../src/api/auth/shareTokens.ts';
import { createOpenLimits } from '../../../../src/api/limits/openLimits.ts';
import type { ServedRequest } from '../../../../src/api/server/accessLog.ts';
import type { RateLimit } from '../../../../src/lib/rateLimiter.ts';
import { exchange, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const secret = Buffer.alloc(32);

/** A token comes back only after 1,000 s. */
const bucket = (burst: number): RateLimit => ({ perSecond: 0.001, burst });

/** Each caller has an address of its own. */
async function start({ address = 1_000, link = 1_000 }: { address?: number; link?: number }) {
  const openLimits = createOpenLimits({ address: bucket(address), link: bucket(link) });
  const served: ServedRequest[] = [];
  const url = await api.startReplica(
    { openLimits, secret, trustedProxies: 1, observeRequest: (each) => served.push(each) },
    { withPages: true },
  );
  const get = (path: string, from: string) => exchange(url, { path, headers: { 'x-forwarded-for': from } });
  return { get, served };
}

async function newLink(): Promise<string> {
  const ad = { name: 'a', media: { type: 'url', content: 'https://cdn.example/a.png' } };
  const screenshots = [{ site: { url: 'https://news.example/' }, device: { name: 'desktop' } }];
  const body = { campaign: { name: 'C' }, screenshot_requests: [{ ad, screenshots }] };
  const set = (await api.post('screenshot_requests', body)).json;
  const { id: organizationId } = await api.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const id = randomUUID();
  const link = { id, organization_id: organizationId, set_id: set.id, label: 'x', expires_at: '2099-01-01T00:00:00Z' };
  await api.store.db.insertInto('share_links').values(link).execute();
  return `/s/${shareToken(secret, id)}`;
}

const limitsOf = (served: readonly ServedRequest[]) => served.flatMap(({ limit }) => limit ?? []);

test('a share link that many people open is limited, and other links are not', async () => {
  const { get, served } = await start({ link: 3 });
  const [first, second] = [await newLink(), await newLink()];
  const replies = [];
  for (let i = 0; i < 5; i++) replies.push(await get(first, `192.0.2.${i}`));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
  expect(Number(replies[3]?.headers['retry-after'])).toBeGreaterThan(0);
  expect(replies[3]?.text).toContain('Too many requests came at the same time');
  expect((await get(`${first}/brand.css`, '192.0.2.9')).status).toBe(429);
  expect((await get(second, '192.0.2.9')).status).toBe(200);
  expect(limitsOf(served)).toEqual(['link_rate', 'link_rate', 'link_rate']);
});

test('an address that asks for many shared pages and pictures is limited, and other addresses are not', async () => {
  const { get, served } = await start({ address: 8 });
  const link = await newLink();
  const paths = [link, '/s/wrong', '/i/unknown.png', '/i/unknown/192.webp', '/e/unknown/a.zip', '/i/unknown.png'];
  const statuses = [];
  for (const path of paths) statuses.push((await get(path, '198.51.100.1')).status);
  expect(statuses).toEqual([200, 404, 404, 404, 404, 404]);
  // A framed picture costs five tokens, and two are left.
  expect((await get('/i/unknown.png?frame=browser', '198.51.100.1')).status).toBe(429);
  expect((await get('/i/unknown.png?frame=browser', '198.51.100.2')).status).toBe(404);
  for (const path of ['/i/unknown.png', link]) expect((await get(path, '198.51.100.1')).status).toBeLessThan(429);
  for (const path of paths) expect((await get(path, '198.51.100.1')).status).toBe(429);
  expect(new Set(limitsOf(served))).toEqual(new Set(['address_rate']));
});
