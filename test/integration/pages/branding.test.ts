import sharp from 'sharp';
import { expect, test } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { readBranding, saveBranding } from '../../../src/core/organizations/branding.ts';
import { DEFAULT_BRANDING } from '../../../src/domain/branding.ts';
import { createKey } from '../../support/keys.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { open, type ReadPage, read } from './reading.ts';
import { RequestForm } from './requestForm.ts';

const server = preparePages();
const PATH = '/o/demo/settings/branding';
const stored = () => readBranding(server.store.db, server.organizationId);
const save = (page: ReadPage) => page.proceed(page.getByRole('button', { name: 'Save' }));
const logoOf = (bytes: Buffer) => new File([new Uint8Array(bytes)], 'logo.png', { type: 'image/png' });
const drawn = () =>
  sharp({ create: { width: 320, height: 80, channels: 3, background: '#0a7d5c' } })
    .png()
    .toBuffer();

test('an administrator sets name, logo, color, footer and page size, and removes the logo', async () => {
  const page = await read(server, server.url + PATH);
  page.getByLabel('Name').fill('Acme & Söhne');
  page.getByLabel('Logo', { exact: true }).setInputFiles(logoOf(await drawn()));
  page.getByLabel('Accent color').fill('#0a7d5c');
  page.getByLabel('Footer').fill('For you only');
  page.getByLabel('Page size').selectOption('a4');
  await save(page);
  expect(page.getByText('Saved.').count()).toBe(1);
  const { logo, ...branding } = await stored();
  expect(branding).toMatchObject({
    brand_name: 'Acme & Söhne',
    accent_color: '#0a7d5c',
    footer_text: 'For you only',
    page_size: 'a4',
  });
  expect(logo).toMatchObject({ width: 320, height: 80 });
  expect(page.getByLabel('Name').inputValue()).toBe('Acme & Söhne');
  expect(page.locator('img[alt="The current logo"]').count()).toBe(1);
  page.getByLabel('Footer').fill('');
  page.getByLabel('Remove this logo').check();
  await save(page);
  expect(page.locator('img[alt="The current logo"]').count()).toBe(0);
  expect(await stored()).toMatchObject({ brand_name: 'Acme & Söhne', footer_text: null, logo: null });
});

test('a file that is no picture changes nothing, and the form keeps what was typed', async () => {
  await saveBranding(server.store.db, server.organizationId, DEFAULT_BRANDING);
  const page = await read(server, server.url + PATH);
  page.getByLabel('Name').fill('Typed name');
  for (const file of [Buffer.from('no picture'), Buffer.alloc(1024 * 1024 + 1)]) {
    page.getByLabel('Logo', { exact: true }).setInputFiles(logoOf(file));
    expect((await save(page)).status).toBe(422);
    expect(page.getByText('Logo must be').count()).toBe(1);
    expect(page.getByLabel('Name').inputValue()).toBe('Typed name');
  }
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
  const { cookie } = await RequestForm.open(server);
  const sent = await fetch(server.url + PATH, {
    method: 'POST',
    body: form,
    headers: { cookie },
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
  const page = await open(`${server.url}/s/${shareToken(server.secret, id)}`);
  expect(page.locator('title').textContent()).toContain('· Acme Media');
  expect(page.locator('.top').textContent()).toContain('Acme Media');
  const style = page.locator('link[href$="brand.css"]').getAttribute('href');
  expect(await (await fetch(`${server.url}${style}`)).text()).toContain('border-top: 4px solid #0a7d5c');
  expect(page.getByText('For you only').count()).toBe(1);
  expect(page.locator('body').textContent()).not.toContain('demo');
});
