import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endKey, setDisabled } from '../../../src/core/organizations/operator.ts';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { formToken, readSession, signSession } from '../../../src/pages/signIn/viewer.ts';
import { createKey } from '../../support/keys.ts';
import { readReview, seedDelivery, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

const server = preparePages();
let otherKey: string;
let setId: string;
beforeAll(async () => {
  otherKey = (await createOrganization(server.store.db, { slug: 'other' })).api_key;
  const shots = [{ site: 'https://news.example/', device: 'desktop' }] as const;
  setId = (await seedSet(server, { campaign: 'Secret plans', status: 'in_review', shots })).setId;
});
beforeEach(() => server.enqueued.splice(0));

interface Sent {
  readonly cookie?: string;
  readonly key?: string;
  readonly form?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

interface Got {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function ask(path: string, { cookie, key, form, headers = {} }: Sent = {}): Promise<Got> {
  const response = await fetch(server.url + path, {
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    headers: { ...(cookie && { cookie }), ...(key && { authorization: `Bearer ${key}` }), ...headers },
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function sessionCookie(key = server.apiKey): Promise<string> {
  const { status, headers } = await ask('/o/demo/sign-in', { form: { key, next: '/o/demo' } });
  expect(status).toBe(303);
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const setPath = () => `/o/demo/screenshot_sets/${setId}`;
const isSignIn = ({ status, text }: Got) =>
  status === 200 && text.includes('Sign in to') && !text.includes('Secret plans');

describe('the root', () => {
  it('the root page links to the API reference and names no organization', async () => {
    const { status, text, headers } = await ask('/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('/docs"');
    expect(text).not.toContain('demo');
  });
});

describe('access to a page', () => {
  it('a visitor without a key gets the page to sign in with 200, whether the organization or set exists or not', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    for (const path of [
      setPath(),
      '/o/demo',
      `/o/demo/ads/${id}`,
      `/o/demo/screenshot_sets/${id}`,
      '/o/nobody',
      '/o/demo/deliveries',
      '/o/demo/settings/keys',
    ]) {
      expect(isSignIn(await ask(path)), path).toBe(true);
    }
  });

  it.each(['.json', '/events'])('a program without a key gets 401 for %s', async (end) => {
    const { status, headers, text } = await ask(setPath() + end);
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(JSON.parse(text)).toMatchObject({
      status: 'failure',
      code: 'unauthorized',
      errors: { authorization: [expect.any(String)] },
    });
  });

  it('signing in opens the page that was asked for, with its filters', async () => {
    const { text } = await ask('/o/demo/deliveries?status=gone&page=2');
    expect(text).toContain('name="next" value="/o/demo/deliveries?status=gone&amp;page=2"');
    const next = '/o/demo/deliveries?status=gone&page=2';
    const { headers } = await ask('/o/demo/sign-in', { form: { key: server.apiKey, next } });
    expect(headers.get('location')).toBe(next);
  });

  it('the key in the header opens a page, in both forms', async () => {
    expect((await ask(setPath(), { key: server.apiKey })).text).toContain('Secret plans');
    expect((await ask(setPath(), { headers: { authorization: server.apiKey } })).text).toContain('Secret plans');
  });

  it('the key of another organization does not open a page', async () => {
    expect(isSignIn(await ask(setPath(), { key: otherKey }))).toBe(true);
    const { text } = await ask('/o/demo/sign-in', { form: { key: otherKey, next: setPath() } });
    expect(text).toContain('This key is not valid here');
    const session = (await ask('/o/other/sign-in', { form: { key: otherKey, next: '/o/other' } })).headers;
    const cookie = (session.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect(isSignIn(await ask(setPath(), { cookie }))).toBe(true);
    expect((await ask(setPath().replace('demo', 'other'), { cookie })).status).toBe(404);
    expect((await ask(`${setPath().replace('demo', 'other')}/events`, { cookie })).status).toBe(404);
  });

  it('scripts and other sites cannot use the session cookie, which holds no key', async () => {
    const { headers } = await ask('/o/demo/sign-in', { form: { key: server.apiKey, next: '/o/demo' } });
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; Path=\/o\/demo;.*HttpOnly; SameSite=Lax/);
    expect(cookie).not.toContain(server.apiKey.slice(-43));
  });

  it('a session ends when its key is revoked', async () => {
    const key = await createKey(server.store.db, 'demo');
    const cookie = await sessionCookie(key.api_key);
    expect((await ask(setPath(), { cookie })).text).toContain('Secret plans');
    await endKey(server.store.db, 'demo', key.id);
    expect(isSignIn(await ask(setPath(), { cookie }))).toBe(true);
  });

  it('a session expires, and the visitor cannot lengthen it', async () => {
    const keyId = server.apiKey.slice(8, 16);
    const past = Math.floor(Date.now() / 1000) - 1;
    const over = signSession(server.secret, { slug: 'demo', keyId, expires: past });
    expect(readSession(server.secret, 'demo', over)).toBeUndefined();
    const longer = over.replace(String(past), String(past + 9_999));
    expect(isSignIn(await ask(setPath(), { cookie: `tearsheet_session=${longer}` }))).toBe(true);
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/o/other',
    '/o/demo/../other',
    '/\\evil.example',
    'javascript:alert(1)',
    '/o/demosaic',
  ])('signing in does not redirect to an address outside of the organization (%s)', async (next) => {
    const { headers } = await ask('/o/demo/sign-in', { form: { key: server.apiKey, next } });
    expect(headers.get('location')).toBe('/o/demo');
  });

  it('the page of a disabled organization says so, and how to upgrade', async () => {
    await setDisabled(server.store.db, 'demo', true);
    try {
      const { status, text } = await ask(setPath(), { key: server.apiKey });
      expect(status).toBe(403);
      expect(text).toContain('contact the operator');
      expect(text).not.toContain('Secret plans');
    } finally {
      await setDisabled(server.store.db, 'demo', false);
    }
    expect((await ask('/o/demo/billing')).status).toBe(200);
  });
});

describe('a form', () => {
  const token = (cookie: string) => {
    const session = readSession(server.secret, 'demo', cookie.split('=')[1] ?? '');
    if (session === undefined) throw new Error('no session');
    return formToken(server.secret, session);
  };

  it('a form without its token, or with that of another session, is rejected', async () => {
    const cookie = await sessionCookie();
    const strange = token(await sessionCookie((await createKey(server.store.db, 'demo')).api_key));
    for (const form of [{}, { form: 'x' }, { form: strange }]) {
      const { status, text } = await ask(`${setPath()}/reject`, { cookie, form });
      expect(status).toBe(403);
      expect(text).toContain('reload the page');
    }
    expect(await readReview(server, setId)).toMatchObject({ status: 'in_review', notes: null });
  });

  it('a form from another site is rejected, even with its token', async () => {
    const cookie = await sessionCookie();
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      const form = { form: token(cookie) };
      expect((await ask(`${setPath()}/reject`, { cookie, form, headers })).status).toBe(403);
    }
    expect(await readReview(server, setId)).toMatchObject({ status: 'in_review', notes: null });
  });

  it('a form with its token does its action and redirects to its page', async () => {
    const cookie = await sessionCookie();
    const shots = [{ site: 'https://news.example/', device: 'desktop' }] as const;
    const reviewed = await seedSet(server, { status: 'in_review', shots });
    const path = `/o/demo/screenshot_sets/${reviewed.setId}`;
    const form = { form: token(cookie), notes: ' no ', next: path };
    const { status, headers } = await ask(`${path}/reject`, { cookie, form });
    expect([status, headers.get('location')]).toEqual([303, expect.stringMatching(/\?done=rejected-set-\d+$/)]);
    expect(await readReview(server, reviewed.setId)).toMatchObject({ status: 'rejected', notes: 'no' });
  });

  it('a read-only key sees no forms with an effect, and its form requests are rejected', async () => {
    const { api_key: key } = await createKey(server.store.db, 'demo', { scopes: ['read'] });
    const { text } = await ask(setPath(), { key });
    expect(text).toContain('Secret plans');
    expect(text).not.toContain('method="post"');
    const { status } = await ask(`${setPath()}/approve`, { key, form: {} });
    expect(status).toBe(403);
    expect(await readReview(server, setId)).toMatchObject({ status: 'in_review', notes: null });
  });

  it('a form does not change objects of another organization', async () => {
    const { store, organizationId } = server;
    const other = await store.db
      .selectFrom('organizations')
      .select('id')
      .where('slug', '=', 'other')
      .executeTakeFirstOrThrow();
    const theirs = await seedSet({ ...server, organizationId: other.id }, { shots: [] });
    const delivery = await seedDelivery(
      { ...server, organizationId: other.id },
      { setId: theirs.setId, target: 'https://h.example/', status: 'delivered' },
    );
    const { status } = await ask(`/o/demo/deliveries/${delivery}/replay`, { key: server.apiKey, form: {} });
    expect(status).toBe(404);
    expect(server.enqueued).toEqual([]);
    expect(organizationId).not.toBe(other.id);
  });

  it('signing out ends the session, also of a read-only key', async () => {
    const cookie = await sessionCookie((await createKey(server.store.db, 'demo', { scopes: ['read'] })).api_key);
    const { status, headers } = await ask('/o/demo/sign-out', { cookie, form: { form: token(cookie) } });
    expect(status).toBe(303);
    expect(headers.get('set-cookie')).toMatch(/tearsheet_session=;.*Expires=Thu, 01 Jan 1970/);
    expect(isSignIn(await ask(setPath(), { cookie }))).toBe(true);
  });

  it('signing out leaves other sessions of the key alone', async () => {
    const [cookie, other] = [await sessionCookie(), await sessionCookie()];
    await ask('/o/demo/sign-out', { cookie, form: { form: token(cookie) } });
    expect(isSignIn(await ask(setPath(), { cookie }))).toBe(true);
    expect((await ask(setPath(), { cookie: other })).text).toContain('Secret plans');
  });

  it('a form that is sent after the session ended leads back to its page with a message', async () => {
    const { status, text } = await ask(`${setPath()}/approve`, { form: { form: 'x', next: setPath(), notes: 'Fine' } });
    expect([status, text.includes('Your session has ended')]).toEqual([401, true]);
    const next = setPath();
    const { headers } = await ask('/o/demo/sign-in', { form: { key: server.apiKey, next, lost: '1' } });
    expect(headers.get('location')).toBe(`${next}?notice=not_sent`);
    const page = await ask(`${next}?notice=not_sent`, { key: server.apiKey });
    expect(page.text).toContain('send it again');
    expect((await ask(`${next}?notice=constructor`, { key: server.apiKey })).text).not.toContain('class="toast"');
    expect(await readReview(server, setId)).toMatchObject({ status: 'in_review', notes: null });
  });

  it('a form that is too large or malformed gets its answer as a page', async () => {
    const { status, text } = await ask('/o/demo/sign-in', { form: { key: 'x'.repeat(100_000) } });
    expect(status).toBe(413);
    expect(text).toContain('This form could not be read');
  });
});

describe('an invalid address', () => {
  it.each(['/o/-bad-/x', '/o/demo/ads/1', '/o/demo/screenshot_sets/x%00y', '/o/DEMO'])(
    'an invalid address gets 404: %s',
    async (path) => {
      expect((await ask(path, { key: server.apiKey })).status).toBe(404);
    },
  );
});
