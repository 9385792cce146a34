/** The address of the service, and its error pages. */
import { describe, expect, it } from 'vitest';
import { createKey } from '../../support/keys.ts';
import { expectLoggedErrors } from '../../support/testLog.ts';
import { startPages } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

const server = preparePages();

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

async function ask(path: string, headers: Record<string, string> = BROWSER, form?: Record<string, string>) {
  const response = await fetch(server.url + path, {
    headers,
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
  });
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, text: await response.text(), headers: response.headers };
}

const cookiesOf = (headers: Headers) => headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');

describe('the address of the service', () => {
  it('it leads a signed-in person home, with a cookie that opens nothing', async () => {
    const signedIn = await ask('/o/demo/sign-in', BROWSER, { key: server.apiKey, next: '/o/demo' });
    const home = signedIn.headers.getSetCookie().find((cookie) => cookie.startsWith('tearsheet_home=')) ?? '';
    expect(home).toMatch(/^tearsheet_home=demo; Max-Age=\d+; Path=\/; .*HttpOnly; SameSite=Lax/);
    const led = await ask('/', { ...BROWSER, cookie: 'tearsheet_home=demo' });
    expect([led.status, led.headers.get('location')]).toEqual([302, '/o/demo']);
    const opened = await ask('/o/demo', { ...BROWSER, cookie: 'tearsheet_home=demo' });
    expect(opened.text).toContain('Sign in to demo');
  });

  it('it asks for the organization, and a wrong name stays in the form', async () => {
    expect((await ask('/')).text).toContain('name="organization"');
    expect((await ask('/?organization=Acme+')).headers.get('location')).toBe('/o/acme');
    const { text, status } = await ask('/?organization=%22%2F%2Fevil');
    expect(status).toBe(200);
    expect(text).toContain('value="&quot;//evil" aria-invalid="true"');
    expect((await ask('/', { ...BROWSER, cookie: 'tearsheet_home=//evil' })).status).toBe(200);
  });

  it('signing out forgets it', async () => {
    const { headers } = await ask('/o/demo/sign-in', BROWSER, { key: server.apiKey, next: '/o/demo' });
    const cookie = cookiesOf(headers).join('; ');
    const { text } = await ask('/o/demo/screenshot_sets', { ...BROWSER, cookie });
    const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const out = await ask('/o/demo/sign-out', { ...BROWSER, cookie }, { form });
    expect(cookiesOf(out.headers)).toEqual(['tearsheet_session=', 'tearsheet_home=']);
  });
});

describe('an error', () => {
  it.each(['/nowhere', '/o', '/o/demo/nowhere', '/o/demo/screenshot_sets/x', '/o/-x', '/assets/nothing.css', '/s/x'])(
    'an unknown address is a page in the layout for a browser: %s',
    async (path) => {
      const { status, type, text, headers } = await ask(path);
      expect([status, type]).toEqual([404, 'text/html; charset=utf-8']);
      expect(text).toContain('<main id="main">');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    },
  );

  it('a signed-in person sees the navigation on it, and others see no name of an organization', async () => {
    const authorization = `Bearer ${server.apiKey}`;
    const { text } = await ask('/o/demo/nowhere', { ...BROWSER, authorization });
    expect(text).toContain('aria-label="Sections"');
    expect(text).toContain('There is no page at this address.');
    expect((await ask('/o/demo/nowhere')).text).not.toContain('aria-label="Sections"');
    expect((await ask('/s/nothing')).text).not.toContain('demo');
  });

  it('a program gets JSON outside of the pages, and always below /api', async () => {
    expect((await ask('/nowhere', { accept: '*/*' })).type).toContain('application/json');
    expect((await ask('/api/nowhere')).type).toContain('application/json');
  });

  it('an address or a form that cannot be read gets 400 or 413 as a page', async () => {
    const broken = await ask('/o/demo/ads/%E0%A4%A');
    expect([broken.status, broken.type]).toEqual([400, 'text/html; charset=utf-8']);
    const large = await ask('/o/demo/sign-in', BROWSER, { key: 'x'.repeat(100_000) });
    expect([large.status, large.type]).toEqual([413, 'text/html; charset=utf-8']);
  });

  it('an error of the service is a page with the number of the request and nothing about the cause', async () => {
    expectLoggedErrors(/request failed/);
    const key = await createKey(server.store.db, 'demo');
    const broken = await startPages();
    await broken.store.db.schema.alterTable('campaigns').renameTo('lost').execute();
    const response = await fetch(`${broken.url}/o/demo/campaigns`, {
      headers: { ...BROWSER, authorization: broken.apiKey },
    });
    const text = await response.text();
    await broken.close();
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(text).toContain(`<code>${response.headers.get('x-request-id')}</code>`);
    expect(text).not.toContain('campaigns"');
    expect(text).not.toContain(key.api_key);
  });
});
