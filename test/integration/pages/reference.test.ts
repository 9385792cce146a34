/** The API reference in a browser, in front of the whole public API. */
import type { BrowserContextOptions } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMember } from '../../../src/core/people/members.ts';
import { startSession } from '../../../src/core/people/sessions.ts';
import { insertUser } from '../../../src/core/people/users.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { openApiDocument } from '../../support/operations.ts';
import { exchange, startPublicApi, type TestApi } from '../../support/publicApi.ts';
import { closeBrowser, openPage, signIn } from './browser.ts';
import { faultsOfReference, openReference } from './referencePage.ts';

const DOCUMENT = openApiDocument(DEFAULT_LIMITS);
/** The operations about webhook endpoints and ads, one webhook, and their schemas. */
const SHORT_DOCUMENT = shorten(DOCUMENT);

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

const isInView = (top: number) => top > 0 && top < 900;

function shorten(whole: typeof DOCUMENT): object {
  const paths = Object.entries(whole.paths).filter(([path]) => /\/(ads|webhook_endpoints)$/.test(path));
  const webhooks = Object.entries(whole.webhooks).filter(([name]) => name === 'screenshot_set');
  const schemas = new Map<string, unknown>();
  const collect = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (schemas.has(name)) continue;
      schemas.set(name, whole.components.schemas[name]);
      collect(whole.components.schemas[name]);
    }
  };
  collect([paths, webhooks]);
  return {
    ...whole,
    paths: Object.fromEntries(paths),
    webhooks: Object.fromEntries(webhooks),
    components: { ...whole.components, schemas: Object.fromEntries(schemas) },
  };
}

/** A page that gets only a part of the OpenAPI document, because the library draws all of it for seconds. */
async function openShort(options: BrowserContextOptions = {}) {
  const opened = await openPage(options);
  await opened.page.route('**/openapi.json', (route) => route.fulfill({ json: SHORT_DOCUMENT }));
  return opened;
}

describe('the reference', () => {
  it('axe finds nothing on a wide screen, Tab reaches every control, and nothing scrolls sideways', async () => {
    expect(await faultsOfReference(url, openShort, 'wide')).toEqual([]);
  });

  it('a person who is signed in opens a link to an operation and tries a request with an API key, and the browser keeps no key', {
    timeout: 120_000,
  }, async () => {
    const { api_key: apiKey } = api.organization;
    const { page, faults } = await openShort();
    await signIn(page, { url, apiKey }, `${url}/o/acme`);
    await page.context().addCookies([{ name: 'tearsheet_home', value: 'acme', url }]);
    const title = 'List ads, newest first';
    await openReference(url, page, { fragment: 'tag/reading/GET/api/v1/orgs/{organization_slug}/ads', title });
    const tops = () =>
      page
        .getByRole('heading', { name: title })
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    await expect.poll(tops, { timeout: 30_000 }).toEqual(expect.arrayContaining([expect.toSatisfy(isInView)]));
    const operation = page.locator('[id$="/GET/api/v1/orgs/{organization_slug}/ads"]');
    await operation.getByRole('button', { name: /^Test Request/ }).click();
    const dialog = page.getByRole('dialog');
    const sent = page.waitForRequest((request) => request.url().includes('/api/'));
    const send = dialog.getByRole('button', { name: /^Send/ }).first();
    await send.click();
    const withoutKey = await sent;
    expect((await withoutKey.response())?.status()).toBe(401);
    await dialog.getByPlaceholder('Token').fill(apiKey);
    const answered = page.waitForResponse((response) => response.url() === `${url}/api/v1/orgs/acme/ads`);
    await send.click();
    expect((await answered).status()).toBe(200);
    await dialog.getByText('200 OK').waitFor();
    const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
    expect(kept).not.toContain(apiKey);
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  it('requests name the organization of a signed-in person, who has no key in the browser', async () => {
    const { db } = api.store;
    const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
    const userId = await insertUser(db, { email: 'sam@example.com', name: 'Sam' });
    const { token } = await db.transaction().execute(async (tx) => {
      await addMember(tx, { organizationId, userId, role: 'owner' }, OPERATOR);
      return startSession(tx, { userId, method: 'link', idToken: undefined, userAgent: undefined, address: null });
    });
    const page = async (cookie: string) => (await fetch(`${url}/docs`, { headers: { cookie } })).text();
    expect(await page(`tearsheet_person=${token}`)).toContain('data-organization="acme"');
    expect(await page('')).toContain('data-organization=""');
  });

  it('only its styles may be inline, and without scripts it leads to the OpenAPI document', async () => {
    const response = await fetch(`${url}/docs`);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    const text = await response.text();
    expect(/<noscript>.*<\/noscript>/s.exec(text)?.[0]).toContain('href="/openapi.json"');
    expect(text).not.toContain('<script>');
  });

  it('its script is compressed unless the client takes no gzip, and browsers keep it', async () => {
    const src = /src="([^"]*scalar\.js[^"]*)"/.exec(await (await fetch(`${url}/docs`)).text())?.[1] ?? '';
    const plain = await exchange(url, { path: src, headers: { 'accept-encoding': 'identity' } });
    const packed = await exchange(url, { path: src, headers: { 'accept-encoding': 'gzip' } });
    expect([plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([undefined, 'gzip']);
    expect(packed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });
});
