/** Sites that replace their page after it has loaded. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { freePort } from '../../../../src/commands/dev/embeddedPostgres.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { startEgressProxy } from '../../../../src/egress/proxy.ts';
import { ad, device, openerFor, placed, readyPage, type Sites, startSites } from './sites.ts';

let sites: Sites;
let opener: PageOpener;
beforeAll(async () => {
  sites = await startSites();
  opener = await openerFor({ settleCapMs: 8_000 });
  sites.put('/arrived', '<!doctype html><div id="div-gpt-ad-1" style="width:300px;height:250px"></div><p>A story.</p>');
});
afterAll(async () => {
  await opener.close();
  await sites.close();
});

const desktop = device('desktop');
const go = (to: string) => `location.href = '${to}'`;
const page = (head: string) => `<!doctype html>${head}<body><p>${'Please wait. '.repeat(4_000)}</p>`;

test.each([
  ['a refresh at once', '<meta http-equiv="refresh" content="0; url=/arrived">'],
  ['a refresh after a second', '<meta http-equiv="refresh" content="1; url=/arrived">'],
  ['its load event', `<script>onload = () => { ${go('/arrived')} }</script>`],
  ['a script at once', `<script>${go('/arrived')}</script>`],
  ['a timer of half a second', `<script>setTimeout(() => { ${go('/arrived')} }, 500)</script>`],
  ['a timer of two seconds', `<script>setTimeout(() => { ${go('/arrived')} }, 2_000)</script>`],
  ['the first scroll', `<script>onscroll = () => { ${go('/arrived')} }</script>`],
])('the capture follows %s', async (what, head) => {
  const open = await opener.open(sites.put(`/from-${what.replaceAll(' ', '-')}`, page(head)), desktop);
  readyPage(open);
  expect(new URL(open.finalUrl).pathname).toBe('/arrived');
  placed(await open.place(await ad(300, 250)));
  await open.close();
});

test.each([
  ['a refresh', '<meta http-equiv="refresh" content="0; url=/again">'],
  ['a script', `<script>onload = () => { ${go('/again')} }</script>`],
])('%s without end gives a reason', async (_what, head) => {
  const open = await opener.open(sites.put('/again', page(head)), desktop);
  expect(open).toMatchObject({ status: 'generic_error', reason: expect.stringContaining('replaced its page') });
});

test('a refresh to an address where nothing listens is no page without slots', async () => {
  const head = `<meta http-equiv="refresh" content="0; url=http://127.0.0.1:${await freePort()}/">`;
  const open = await opener.open(sites.put('/to-nothing', page(head)), desktop);
  expect(open).toMatchObject({ status: 'generic_error', reason: expect.stringContaining('refused the connection') });
});

test('a refresh to an address that the guard refuses is refused', async () => {
  const proxy = await startEgressProxy({ guard: createGuard({ allow: ['127.0.0.1/32'] }) });
  const guarded = await openerFor({ proxyUrl: proxy.url, egressFailures: () => proxy.failures });
  try {
    const head = `<meta http-equiv="refresh" content="0; url=http://127.0.0.2:${sites.port}/secret">`;
    const open = await guarded.open(sites.put('/to-private', page(head)), desktop);
    expect(open).toMatchObject({ status: 'generic_error', reason: expect.stringContaining('egress guard') });
    expect(sites.asked).not.toContain('/secret');
  } finally {
    await guarded.close();
    await proxy.close();
  }
});
