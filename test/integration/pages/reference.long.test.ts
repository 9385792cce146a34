/** The whole API reference. reference.test.ts checks a part of it on a wide screen. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { openApiDocument, operationsOf } from '../../support/operations.ts';
import { startPublicApi, type TestApi } from '../../support/publicApi.ts';
import { closeBrowser, openPage } from './browser.ts';
import { faultsOfReference, openReference } from './referencePage.ts';

const DOCUMENT = openApiDocument(DEFAULT_LIMITS);

let api: TestApi;
let url: string;
beforeAll(async () => {
  api = await startPublicApi();
  url = await api.startReplica({ publicUrl: 'http://shots.example' }, { withPages: true });
});
afterAll(async () => {
  await closeBrowser();
  await api.close();
});

it.each(['wide', 'narrow'] as const)('the whole reference has no fault on a %s screen', async (look) => {
  expect(await faultsOfReference(url, openPage, look)).toEqual([]);
});

it('the reference shows every operation of the OpenAPI document, and asks no other server for anything', {
  timeout: 120_000,
}, async () => {
  const { page, faults } = await openPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const blocked: string[] = [];
  await page.exposeFunction('noteBlocked', (what: string) => blocked.push(what));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      Reflect.apply(Reflect.get(globalThis, 'noteBlocked'), undefined, [`${effectiveDirective} ${blockedURI}`]),
    );
  });
  await openReference(url, page, { fragment: '', title: 'Tearsheet' });
  const closed = page.getByRole('button', { name: /^Open Group/ });
  while ((await closed.count()) > 0) await closed.first().click();
  const links = await page.locator('aside a').evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''));
  for (const { method, path } of operationsOf(DOCUMENT.paths))
    expect(links.filter((link) => link.endsWith(`/${method}${path}`))).toHaveLength(1);
  for (const name of Object.keys(DOCUMENT.components.schemas)) expect(links).toContain(`#models/${name}`);
  expect(links.filter((link) => link.startsWith('#webhook/'))).toHaveLength(Object.keys(DOCUMENT.webhooks).length);
  // The places of test/unit/pages/apiReference.test.ts.
  for (const place of [
    'webhook/POST/screenshot-set',
    'models',
    'tag/reading/GET/api/v1/orgs/{organization_slug}/ads/{id}',
  ])
    expect(links).toContain(`#${place}`);
  expect(requests.filter((one) => new URL(one).origin !== url)).toEqual([]);
  expect(blocked).toEqual([]);
  expect(faults).toEqual([]);
});
