import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { startEgressProxy } from '../../../../src/egress/proxy.ts';
import { ad, device, openerFor, placed, readyPage, type Sites, startSites } from './sites.ts';

let sites: Sites;
let opener: PageOpener;
/** For pages that never arrive. */
let impatient: PageOpener;

beforeAll(async () => {
  sites = await startSites();
  opener = await openerFor({ settleCapMs: 4_000 });
  impatient = await openerFor({ navigationTimeoutMs: 3_000, settleCapMs: 4_000 });
});
afterAll(async () => {
  await opener.close();
  await impatient.close();
  await sites.close();
});

const SLOT = '<div id="div-gpt-ad-1" style="width:300px;height:250px"></div><p>A story.</p>';
/** Blocks the thread of the page without end. Unlike an empty loop it uses little processor time. */
const BLOCKS =
  'while (true) { const request = new XMLHttpRequest(); request.open("GET", "/forever", false); request.send(); }';
const desktop = device('desktop');

describe('a page that behaves badly', () => {
  test.each([
    [
      'that opens dialogs without end',
      '<script>for (let i = 0; i < 1e3; i++) { alert(i); confirm(i); prompt(i); print(); }</script>',
    ],
    [
      'that opens windows',
      '<script>open("/popup"); document.addEventListener("scroll", () => open("/popup"));</script>',
    ],
    [
      'that objects to being closed',
      '<script>onbeforeunload = (event) => { event.preventDefault(); return "no"; };</script>',
    ],
    [
      'that grows as it is scrolled',
      '<script>onscroll = () => document.body.append(Object.assign(document.createElement("p"), {style: "height:3000px"}))</script>',
    ],
    ['that never stops loading', '<img src="/forever"><script>setInterval(() => fetch("/poll"), 50)</script>'],
    [
      'that requests permissions',
      '<script>navigator.geolocation.getCurrentPosition(() => 0); Notification.requestPermission();</script>',
    ],
    ['with many frames that never get a document', '<iframe src="file:///etc/passwd"></iframe>'.repeat(30)],
    ['that breaks built-in JavaScript objects', '<script>Array.prototype.map = null; Map = null;</script>'],
    [
      'that breaks on every change',
      '<script>new MutationObserver(() => { throw 1 }).observe(document, {subtree: true, childList: true, attributes: true})</script>',
    ],
  ])('a page %s is captured', async (what, body) => {
    sites.put('/forever', () => undefined);
    const open = await opener.open(
      sites.put(`/hostile-${what.replaceAll(' ', '-')}`, `<!doctype html>${SLOT}${body}`),
      desktop,
    );
    readyPage(open);
    placed(await open.place(await ad(300, 250)));
    await open.close();
  });

  test('a page that navigates away after it has settled is captured', async () => {
    const settled = Promise.withResolvers<void>();
    sites.put('/settled', (_request, response) => void settled.promise.then(() => response.end()));
    sites.put('/elsewhere', '<!doctype html><p>Another page.</p>');
    const leaves = `<script>fetch('/settled').then(() => { location.href = '/elsewhere'; })</script>`;
    const open = await opener.open(sites.put('/leaves', `<!doctype html>${SLOT}${leaves}`), desktop);
    readyPage(open);
    settled.resolve();
    placed(await open.place(await ad(300, 250)));
    expect(sites.asked).not.toContain('/elsewhere');
    await open.close();
  });
});

describe('a page that cannot be captured', () => {
  test.each<[string, string]>([
    ['a script that never ends', `<!doctype html><p>words</p><script>${BLOCKS}</script>`],
    [
      'a script that never ends after the page has loaded',
      `<!doctype html>${SLOT}<script>onload = () => { while (true); }</script>`,
    ],
  ])('a page with %s fails with a reason', async (what, body) => {
    sites.put('/forever', () => undefined);
    const page = await impatient.open(sites.put(`/busy-${what.replaceAll(' ', '-')}`, body), desktop);
    expect(['generic_error', 'net_read_timeout']).toContain(page.status);
    expect('reason' in page && page.reason).toMatch(/\w/);
  });

  test('an endless chain of redirects fails with a reason', async () => {
    const url = sites.put('/loop', (_request, response) => response.writeHead(302, { location: '/loop' }).end());
    expect(await opener.open(url, desktop)).toMatchObject({
      status: 'generic_error',
      reason: expect.stringContaining('redirects'),
    });
  });

  test('a download fails with a reason', async () => {
    const url = sites.put('/file', (_request, response) =>
      response.writeHead(200, { 'content-disposition': 'attachment', 'content-type': 'application/zip' }).end('PK'),
    );
    expect(await opener.open(url, desktop)).toMatchObject({
      status: 'generic_error',
      reason: expect.stringContaining('download'),
    });
  });

  test('a refused connection fails with generic_error', async () => {
    expect(await opener.open('http://127.0.0.1:1/', desktop)).toMatchObject({ status: 'generic_error' });
  });

  test('a response that starts and never ends fails with net_read_timeout', async () => {
    const url = sites.put('/drip', (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).write('<!doctype html>'),
    );
    expect(await impatient.open(url, desktop)).toMatchObject({ status: 'net_read_timeout' });
  });

  test('a page that requires a password fails with blocked', async () => {
    const url = sites.put('/secret', (_request, response) =>
      response.writeHead(401, { 'www-authenticate': 'Basic' }).end('no'),
    );
    expect(await opener.open(url, desktop)).toMatchObject({ status: 'blocked' });
  });

  test('an aborted capture fails with generic_error', async () => {
    const url = sites.put('/silent', () => undefined);
    const page = await opener.open(url, desktop, { signal: AbortSignal.timeout(500) });
    expect(page.status).toBe('generic_error');
  });
});

test('an address that the egress guard refuses fails with the reason of the guard', async () => {
  const proxy = await startEgressProxy({ guard: createGuard({ allow: [] }) });
  const guarded = await openerFor({ proxyUrl: proxy.url, egressFailures: () => proxy.failures });
  try {
    for (const site of [`${sites.url}/`, `https://127.0.0.1:${sites.port}/`]) {
      const page = await guarded.open(site, desktop);
      expect(page).toMatchObject({
        status: 'generic_error',
        reason: expect.stringMatching(/^refused by the egress guard: /),
      });
    }
  } finally {
    await guarded.close();
    await proxy.close();
  }
});
