/** The page of a new request in a browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { follow, opened, preparePagesInBrowser, visit } from './browser.ts';
import { cardsOf, faultsOfSteps, renderAds, writeAdFiles } from './newRequestSteps.ts';

const server = preparePagesInBrowser();
let folder: string;
let page: Page;
let faults: string[];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-test-'));
  await writeAdFiles(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  expect(faults.filter((text) => !text.includes('status of 422'))).toEqual([]);
  await page.context().close();
});

async function openForm(options = {}): Promise<void> {
  await server.store.db.deleteFrom('drafts').execute();
  ({ page, faults } = await visit(server, `${server.url}/o/demo/new`, options));
}

const file = (name: string) => path.join(folder, name);
const count = () => page.locator('#count').innerText();
const cards = () => cardsOf(page);
const renderAll = () => renderAds(server);

it('chosen files are uploaded at once, shown when they are rendered, counted, and requested', async () => {
  await openForm();
  await page.getByLabel('Files', { exact: true }).setInputFiles([file('one.gif'), file('notes.pdf'), file('two.gif')]);
  await cards().nth(1).waitFor();
  expect(await page.locator('.fault').innerText()).toContain('notes.pdf: ');
  expect(await page.getByText('Rendering…').count()).toBe(2);
  await page.getByText('Draft saved').waitFor();
  await renderAll();
  await page.getByRole('img', { name: 'Preview of two.gif' }).waitFor();
  await page.getByLabel('Sites', { exact: true }).fill('news.example\nblog.example\nNEWS.example');
  await page.getByLabel('iphone An iPhone 14').check();
  await page.getByLabel('Moments').fill('0, 2.5, 2.5');
  await page.getByText('16 pictures').waitFor();
  expect(await count()).toBe('16 pictures 2 ads × 2 sites × 2 devices × 2 moments');
  expect(await page.locator('#slot_site').inputValue()).toBe('news.example');
  await page.getByRole('button', { name: 'Remove one.gif' }).click();
  await page.getByText('8 pictures').waitFor();
  expect(await count()).toBe('8 pictures 1 ad × 2 sites × 2 devices × 2 moments');
  await page.getByRole('combobox', { name: 'Campaign' }).fill('Autumn');
  await follow(page.getByRole('button', { name: 'Request pictures' }));
  await page.waitForURL(/screenshot_sets/);
  const { rows } = await server.store.pool.query('select count(*)::integer as shots from screenshots');
  expect(rows).toEqual([{ shots: 8 }]);
});

it('an upload shows how much of the file was sent', async () => {
  await openForm();
  const session = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1_000_000 };
  await session.send('Network.emulateNetworkConditions', slow);
  const large = { name: 'large.gif', mimeType: 'image/gif', buffer: Buffer.alloc(2_000_000) };
  await page.getByLabel('Files', { exact: true }).setInputFiles(large);
  await page.waitForFunction(() => {
    const bar = document.querySelector<HTMLProgressElement>('.sending progress');
    return bar !== null && bar.value > 0 && bar.value < 1;
  });
});

it('files that are chosen before the script of the page has loaded are uploaded when it runs', async () => {
  await openForm();
  const loads = Promise.withResolvers<void>();
  await page.route(/newRequest[^/]*\.js/, async (route) => {
    await loads.promise;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await page.getByLabel('Files', { exact: true }).setInputFiles([file('one.gif')]);
  loads.resolve();
  await cards().first().waitFor();
});

it('dropped files and two pasted addresses are added without losing what was typed', async () => {
  await openForm();
  await page.getByLabel('Sites', { exact: true }).fill('news.example');
  await page.getByText('Address or tag').first().click();
  await page.getByLabel('Address or tag').fill('https://cdn.example/film.mp4\nhttps://cdn.example/song.mp4');
  await page.getByRole('button', { name: 'Add ads' }).click();
  await page.getByText('2 ads were added.', { exact: true }).waitFor();
  expect(await page.getByLabel('Address or tag').inputValue()).toBe('');
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    for (const name of ['a.html', 'b.html'])
      transfer.items.add(new File([`<!doctype html><p>The ad ${name}</p>`], name, { type: 'text/html' }));
    return transfer;
  });
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: data });
  await cards().nth(3).waitFor();
  expect(await page.getByLabel('Sites', { exact: true }).inputValue()).toBe('news.example');
  await page.getByText('4 pictures').waitFor();
  expect(await count()).toBe('4 pictures 4 ads × 1 site × 1 device');
});

it('an ad that exists is found and added in place, and what is typed is kept without a button', async () => {
  await openForm();
  await page.locator('#existing > summary').click();
  await page.getByLabel('Search ads').fill('two.gif');
  await page.locator('#found').getByText('one.gif').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Add two.gif' }).first().click();
  await cards().first().waitFor();
  await page.getByLabel('Sites', { exact: true }).fill('kept.example');
  await page.getByText('Draft saved').waitFor();
  await eventually(async () => {
    const { rows } = await server.store.pool.query("select body->>'sites' as sites from drafts");
    expect(rows).toEqual([{ sites: 'kept.example' }]);
  });
  await opened(page, () => page.reload());
  expect([await page.getByLabel('Sites', { exact: true }).inputValue(), await cards().count()]).toEqual([
    'kept.example',
    1,
  ]);
});

it('text that is typed just before the page is left is kept', async () => {
  await openForm();
  await page.evaluate(() => {
    const sites = document.querySelector<HTMLTextAreaElement>('#sites');
    if (sites === null) throw new Error('There is no field for sites.');
    sites.value = 'last.example';
    sites.dispatchEvent(new Event('input', { bubbles: true }));
    location.href = 'about:blank';
  });
  await eventually(async () => {
    const { rows } = await server.store.pool.query("select body->>'sites' as sites from drafts");
    expect(rows).toEqual([{ sites: 'last.example' }]);
  });
});

it('a fault returns to the page with all that was typed, and the list of faults leads to the field', async () => {
  await openForm();
  await page.getByLabel('Files', { exact: true }).setInputFiles([file('one.gif')]);
  await cards().first().waitFor();
  await page.getByLabel('Sites', { exact: true }).fill('news.example\nnot an address');
  await follow(page.getByRole('button', { name: 'Request pictures' }));
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await cards().count()).toBe(1);
  expect(await page.getByLabel('Sites', { exact: true }).inputValue()).toBe('news.example\nnot an address');
  await alert.getByRole('link', { name: 'Line 2' }).click();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('sites');
  expect(await page.locator('#sites').getAttribute('aria-invalid')).toBe('true');
});

it('two presses of the last button make one set', async () => {
  await openForm();
  await page.getByLabel('Files', { exact: true }).setInputFiles([file('one.gif')]);
  await cards().first().waitFor();
  await page.getByLabel('Sites', { exact: true }).fill('twice.example');
  await page.getByRole('combobox', { name: 'Campaign' }).fill('Twice');
  await page.getByRole('button', { name: 'Request pictures' }).dblclick();
  await page.waitForURL(/screenshot_sets/);
  await eventually(async () => {
    const { rows } = await server.store.pool.query(
      "select count(*)::integer as sets from screenshot_sets s join campaigns c on c.id = s.campaign_id where c.name = 'Twice'",
    );
    expect(rows).toEqual([{ sets: 1 }]);
  });
});

it('the page works without script, with the Enter key counting and not requesting', async () => {
  await openForm({ javaScriptEnabled: false });
  await page.getByText('Nothing you enter is saved until you press a button.').waitFor();
  // Files of earlier tests are ads that were rendered.
  await writeAdFiles(folder);
  await page.getByLabel('Files', { exact: true }).setInputFiles([file('one.gif'), file('two.gif')]);
  await page.getByLabel('Sites', { exact: true }).fill('plain.example');
  await page.getByLabel('Moments').fill('1 2');
  await opened(page, () => page.getByLabel('Moments').press('Enter'));
  await page.getByText('2 ads were added.').waitFor();
  expect(await count()).toBe('4 pictures 2 ads × 1 site × 1 device × 2 moments');
  await renderAll();
  await follow(page.getByRole('button', { name: 'Show progress' }));
  await page.getByRole('img', { name: 'Preview of one.gif' }).waitFor();
  await page.getByRole('combobox', { name: 'Campaign' }).fill('Plain');
  await follow(page.getByRole('button', { name: 'Request pictures' }));
  await page.waitForURL(/screenshot_sets/);
});

it('axe finds no fault on a narrow screen with dark colors, before and after a fault', async () => {
  // So high that the bar at the bottom covers no field.
  await openForm({ viewport: { width: 390, height: 4_800 }, colorScheme: 'dark' });
  expect(await faultsOfSteps(server, page, folder)).toEqual([]);
});
