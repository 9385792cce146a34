/** The first picture of a person who has only a browser, from signing in to the picture. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { zipOf } from '../../support/zips.ts';
import { closeBrowser, follow, openPage } from '../pages/browser.ts';
import { DevEnvironment } from './devEnvironment.ts';

let env: DevEnvironment;
beforeAll(async () => {
  env = await DevEnvironment.create();
  await env.start();
});
afterAll(async () => {
  await closeBrowser();
  await env?.close();
});

/** Fills any frame, so only the name of the zip tells its size. */
const GREEN = '<!doctype html><style>html,body{margin:0;height:100%;background:#0a0}</style>';
const DEADLINE_MS = 300_000;

it('a person with only a browser signs in, adds a creative, and gets a picture without a reload', {
  timeout: 900_000,
}, async () => {
  const { page, faults } = await openPage();
  const { url, organization, api_key } = env.ready;
  await page.goto(`${url}/o/${organization}/new`);
  await page.getByLabel('API key').fill(api_key);
  await follow(page.getByRole('button', { name: 'Sign in' }));
  const buffer = await zipOf({ 'index.html': GREEN });
  await page.getByLabel('Files').setInputFiles({ name: 'green_300x250.zip', mimeType: 'application/zip', buffer });
  await page.getByLabel('Sites', { exact: true }).fill(env.publishers.url('blog'));
  await page.getByRole('combobox', { name: 'Campaign' }).fill('First');
  const preview = page.getByRole('img', { name: 'Preview of green_300x250.zip' });
  await preview.waitFor({ timeout: DEADLINE_MS });
  await preview.evaluate((image) => (image as HTMLImageElement).decode());
  expect(await page.locator('#count').innerText()).toContain('1 picture');
  await follow(page.getByRole('button', { name: 'Request pictures' }));
  expect(page.url()).toContain('/screenshot_sets/');
  await page.locator('#main .frame img').first().waitFor({ timeout: DEADLINE_MS });
  const { data } = await env.call<{ data: { name: string }[] }>('GET', '/campaigns');
  expect(data.map(({ name }) => name).sort()).toEqual(['Drafts', 'First']);
  expect(faults).toEqual([]);
});
