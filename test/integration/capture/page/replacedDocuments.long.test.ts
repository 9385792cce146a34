import { afterAll, beforeAll } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { testReplacedDocuments } from './replacedDocumentsMatrices.ts';
import { openerFor, type Sites, startSites } from './sites.ts';

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

testReplacedDocuments('long', () => ({ sites, opener }));
