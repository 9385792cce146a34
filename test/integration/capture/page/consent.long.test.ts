import { afterAll, beforeAll } from 'vitest';
import type { PageOpener } from '../../../../src/capture/page/page.ts';
import { testLanguages } from './consentMatrices.ts';
import { openerFor, type Sites, startSites } from './sites.ts';

let sites: Sites;
let opener: PageOpener;
beforeAll(async () => {
  sites = await startSites();
  opener = await openerFor();
});
afterAll(async () => {
  await opener.close();
  await sites.close();
});

testLanguages('long', () => ({ sites, opener }));
