/** Sites that replace their page after it has loaded. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { freePort } from '../../../../src/commands/dev/ports.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { startEgressProxy } from '../../../../src/egress/proxy.ts';
import { page, testReplacedDocuments } from './replacedDocumentsMatrices.ts';
import { device, openerFor, type Sites, startSites } from './sites.ts';

let sites: Sites;
let opener: PageOpener;
beforeAll(async () => {
  sites = await startSites();
  opener = await openerFor({ settleCapMs: 8_000 });
});
afterAll(async () => {
  await opener.close();
  await sites.close();
});

testReplacedDocuments('test', () => ({ sites, opener }));

test('a refresh to an address where nothing listens is no page without slots', async () => {
  const head = `<meta http-equiv="refresh" content="0; url=http://127.0.0.1:${await freePort()}/">`;
  const open = await opener.open(sites.put('/to-nothing', page(head)), device('desktop'));
  expect(open).toMatchObject({ status: 'generic_error', reason: expect.stringContaining('refused the connection') });
});

test('a refresh to an address that the guard refuses is refused', async () => {
  const proxy = await startEgressProxy({ guard: createGuard({ allow: ['127.0.0.1/32'] }) });
  const guarded = await openerFor({ proxyUrl: proxy.url, egressFailures: () => proxy.failures });
  try {
    const head = `<meta http-equiv="refresh" content="0; url=http://127.0.0.2:${sites.port}/secret">`;
    const open = await guarded.open(sites.put('/to-private', page(head)), device('desktop'));
    expect(open).toMatchObject({ status: 'generic_error', reason: expect.stringContaining('egress guard') });
    expect(sites.asked).not.toContain('/secret');
  } finally {
    await guarded.close();
    await proxy.close();
  }
});
