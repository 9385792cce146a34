import type { Page } from 'playwright';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { readBranding, saveBranding } from '../../../src/core/organizations/branding.ts';
import { DEFAULT_BRANDING } from '../../../src/domain/branding.ts';
import { createKey } from '../../support/keys.ts';
import { follow, openPage, signIn } from './browser.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

const server = preparePages();
let page: Page;
let faults: string[];
beforeEach(async () => {
  ({ page, faults } = await openPage());
});
afterEach(async () => {
  await page.context().close();
  expect(faults).toEqual([]);
});

const PATH = '/o/demo/settings/branding';
const stored = () => readBranding(server.store.db, server.organizationId);
const save = () => follow(page.getByRole('button', { name: 'Save' }));
const logoOf = async (buffer: Buffer) => ({ name: 'logo.png', mimeType: 'image/png', buffer });
const drawn = () =>
  sharp({ create: { width: 320, height: 80, channels: 3, background: '#0a7d5c' } })
    .png()
    .toBuffer();

test('an administrator sets name, logo, color, footer and page size, and removes the logo', async () => {
  await signIn(page, server, server.url + PATH);
  await page.getByLabel('Name').fill('Acme & Söhne');
  await page.getByLabel('Logo', { exact: true }).setInputFiles(await logoOf(await drawn()));
  await page.getByLabel('Accent color').fill('#0a7d5c');
  await page.getByLabel('Footer').fill('For you only');
  await page.getByLabel('Page size').selectOption('a4');
  await save();
  await page.getByText('Saved.').waitFor();
  const { logo, ...branding } = await stored();
  expect(branding).toEqual({
    brand_name: 'Acme & Söhne',
    accent_color: '#0a7d5c',
    footer_text: 'For you only',
    page_size: 'a4',
  });
  expect(logo).toMatchObject({ width: 320, height: 80 });
  expect(await page.getByLabel('Name').inputValue()).toBe('Acme & Söhne');
  await page.getByAltText('The current logo').waitFor();
  await page.getByLabel('Footer').fill('');
  await page.getByLabel('Remove this logo').check();
  await save();
  await page.getByAltText('The current logo').waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ brand_name: 'Acme & Söhne', footer_text: null, logo: null });
});

test('a file that is no picture changes nothing, and the form keeps what was typed', async () => {
  await saveBranding(server.store.db, server.organizationId, DEFAULT_BRANDING);
  await signIn(page, server, server.url + PATH);
  await page.getByLabel('Name').fill('Typed name');
  for (const file of [Buffer.from('no picture'), Buffer.alloc(1024 * 1024 + 1)]) {
    await page.getByLabel('Logo', { exact: true }).setInputFiles(await logoOf(file));
    faults.length = 0;
    await save();
    await page.getByText('Logo must be').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed name');
  }
  expect(faults.splice(0)).toEqual([expect.stringContaining('422')]);
  expect(await stored()).toMatchObject({ brand_name: null, logo: null });
});

test('a key without the scope admin, another site or another type of body changes no branding', async () => {
  const { api_key: writer } = await createKey(server.store.db, 'demo', { scopes: ['read', 'write'] });
  const post = (key: string, body: FormData | URLSearchParams, headers = {}) =>
    fetch(server.url + PATH, { method: 'POST', body, headers: { authorization: `Bearer ${key}`, ...headers } });
  const form = new FormData();
  form.set('brand_name', 'Evil');
  expect((await post(writer, form)).status).toBe(403);
  expect((await post(server.apiKey, new URLSearchParams({ brand_name: 'Evil' }))).status).toBe(400);
  await signIn(page, server, server.url + PATH);
  const [cookie] = await page.context().cookies();
  const sent = await fetch(server.url + PATH, {
    method: 'POST',
    body: form,
    headers: { cookie: `${cookie?.name}=${cookie?.value}` },
  });
  expect(sent.status).toBe(403);
  expect((await stored()).brand_name).not.toBe('Evil');
});

test('a shared page shows the branding in place of the name of the service', async () => {
  await saveBranding(server.store.db, server.organizationId, {
    ...DEFAULT_BRANDING,
    brand_name: 'Acme Media',
    accent_color: '#0a7d5c',
    footer_text: 'For you only',
  });
  const { setId } = await seedSet(server, {
    status: 'approved',
    shots: [{ site: 'https://news.example/', device: 'desktop' }],
  });
  const id = '00000000-0000-4000-8000-00000000000b';
  const row = { id, organization_id: server.organizationId, set_id: setId };
  await server.store.db
    .insertInto('share_links')
    .values({ ...row, expires_at: new Date(Date.now() + 3_600_000) })
    .execute();
  await page.goto(`${server.url}/s/${shareToken(server.secret, id)}`);
  expect(await page.title()).toContain('· Acme Media');
  expect(await page.locator('.top').textContent()).toContain('Acme Media');
  expect(await page.locator('.top').evaluate((top) => getComputedStyle(top).borderTopColor)).toBe('rgb(10, 125, 92)');
  await page.getByText('For you only').waitFor();
  expect(await page.locator('body').textContent()).not.toContain('demo');
});
