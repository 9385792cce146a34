/** Links that sign in once. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { OneTimeSignIns } from '../../../src/api/auth/oneTimeSignIns.ts';
import { createKey, revokeKey } from '../../../src/core/organizations/apiKeys.ts';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { type PagesServer, startPages } from './pagesServer.ts';

const signIns = new OneTimeSignIns();
let server: PagesServer;
beforeAll(async () => {
  server = await startPages({ signIns });
  await createOrganization(server.store.db, { slug: 'other' });
});
afterAll(() => server.close());
afterEach(() => vi.useRealTimers());

const keyId = () => server.apiKey.slice(8, 16);
const newLink = () => `/o/demo/sign-in/${signIns.create({ slug: 'demo', keyId: keyId() })}`;

async function open(path: string, { method = 'GET', cookie = '' } = {}) {
  const response = await fetch(server.url + path, { method, headers: { cookie }, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const sessionOf = ({ headers }: { headers: Headers }) => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

it('a link signs in only once', async () => {
  const link = newLink();
  const first = await open(link);
  expect([first.status, first.headers.get('location')]).toEqual([303, '/o/demo']);
  expect((await open('/o/demo/screenshot_sets', { cookie: sessionOf(first) })).text).toContain('Sign out');
  const second = await open(link);
  expect([second.status, sessionOf(second)]).toEqual([200, '']);
  expect(second.text).toContain('This link was used already');
});

it('a browser that is signed in can open the link again', async () => {
  const link = newLink();
  const cookie = sessionOf(await open(link));
  const again = await open(link, { cookie });
  expect([again.status, again.headers.get('location')]).toEqual([303, '/o/demo']);
});

it('a preview of the link with HEAD does not use it up', async () => {
  const link = newLink();
  expect(sessionOf(await open(link, { method: 'HEAD' }))).toBe('');
  expect(sessionOf(await open(link))).not.toBe('');
});

it('a link of ten minutes ago, of another organization, or of a revoked key does not sign in', async () => {
  const late = newLink();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 });
  expect(sessionOf(await open(late))).toBe('');
  vi.useRealTimers();
  expect(sessionOf(await open(newLink().replace('demo', 'other')))).toBe('');
  const { id } = await createKey(server.store.db, 'demo');
  const link = `/o/demo/sign-in/${signIns.create({ slug: 'demo', keyId: id })}`;
  await revokeKey(server.store.db, 'demo', id);
  expect(sessionOf(await open(link))).toBe('');
});

it('the address of the link is not sent to other pages and not stored', async () => {
  const { headers } = await open(newLink());
  expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', 'no-store']);
});
