import { expect, test } from 'vitest';
import { saveTemplate } from '../../../src/core/requests/savedObjects.ts';
import { visit } from './browser.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { seedSchedule } from './seedSchedule.ts';

const server = preparePages();
const SHOTS = [
  { site: 'https://news.example/sport', device: 'desktop' },
  { site: 'https://news.example/sport', device: 'iphone' },
] as const;

test('a person repeats the request of a set, pauses and deletes the schedule, without scripts', async () => {
  const { setId } = await seedSet(server, { status: 'approved', shots: SHOTS });
  const { page } = await visit(server, `${server.url}/o/demo/screenshot_sets/${setId}`, { javaScriptEnabled: false });
  await page.locator('summary[aria-label="More"]').click();
  await page.getByRole('link', { name: 'Repeat this request' }).click();
  await page.getByLabel('Name').fill('Spring');
  await page.getByLabel('Not before').fill('08:00');
  await page.getByLabel('Before', { exact: true }).fill('22:00');
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await page.getByLabel('Saturday').check();
  await page.getByRole('button', { name: 'Create schedule' }).click();
  expect(await page.locator('.fault').allInnerTexts()).toEqual(['Before must be after start, by at most 12 hours.']);
  expect(await page.getByLabel('Saturday').isChecked()).toBe(true);
  await page.getByLabel('Before', { exact: true }).fill('10:00');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByRole('heading', { name: 'Spring Active' }).waitFor();
  expect(await page.locator('dd li').count()).toBe(5);
  expect(await page.locator('.head .meta').innerText()).toContain('Saturday, between 08:00 and 10:00, Europe/Berlin');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('heading', { name: 'Spring Paused' }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('link', { name: 'Schedules' }).first().click();
  const row = page.getByRole('row', { name: /Spring/ });
  expect(await row.innerText()).toMatch(/Active\s+Monday, .*between 08:00 and 10:00/);
  await row.getByRole('link').first().click();
  await page.getByRole('button', { name: 'Delete' }).first().click();
  await page.locator('#delete').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The schedule was deleted. Its sets stay.').waitFor();
  await page.context().close();
});

test('the page of a schedule shows the pictures of each placement side by side, newest first', async () => {
  const { setId } = await seedSet(server, { status: 'approved', shots: SHOTS });
  const id = await seedSchedule(server, { setId });
  const { page, faults } = await visit(server, `${server.url}/o/demo/schedules/${id}`);
  const groups = page.locator('.group');
  expect(await groups.count()).toBe(2);
  const times = await groups.first().locator('.what').allInnerTexts();
  const at = times.map((text) => Date.parse(text.replace(/ GMT.*$/, '')));
  expect(at).toEqual(at.toSorted((one, other) => other - one));
  expect(new Set(at).size).toBe(3);
  const result = page.getByRole('row', { name: /Refused/ });
  expect(await result.innerText()).toContain('The organization is disabled.');
  await groups.first().locator('a.frame').first().click();
  await page.waitForURL(/\/screenshots\//);
  await page.goto(`${server.url}/o/demo/schedules/${id}`);
  await page.getByRole('link', { name: 'Open the set' }).first().click();
  await page.getByRole('link', { name: 'a schedule' }).click();
  await page.waitForURL(`**/schedules/${id}`);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('a schedule begins with a template, in the time zone of the person', async () => {
  const { page } = await visit(server, `${server.url}/o/demo/schedules/new`, { timezoneId: 'America/New_York' });
  await page.getByText('No templates yet').waitFor();
  const { adIds } = await seedSet(server, { status: 'approved', campaign: 'Summer', shots: SHOTS });
  const { organizationId } = server;
  const body = {
    sites: [{ url: 'https://blog.example' }],
    devices: [{ name: 'desktop' }],
    options: {},
    ads: adIds.map((id) => ({ id })),
    campaign: { name: 'Summer' },
  };
  const template = { organizationId, keyId: server.apiKey.split('_')[2] ?? '', name: 'Blogs', body };
  await server.store.db.transaction().execute((tx) => saveTemplate(tx, template));
  await page.reload();
  expect(await page.getByLabel('Time zone').inputValue()).toBe('America/New_York');
  await page.getByLabel('Template').selectOption('Blogs');
  await page.getByLabel('Name').fill('Of blogs');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByRole('heading', { name: 'Of blogs Active' }).waitFor();
  expect(await page.locator('dd li').first().innerText()).toMatch(/ (EST|EDT)$/);
  await page.context().close();
});

test('an unknown set or schedule has no page', async () => {
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const unknown = '00000000-0000-4000-8000-000000000000';
  for (const path of ['schedules/new?set=none', `schedules/new?set=${unknown}`, `schedules/${unknown}`])
    expect((await fetch(`${server.url}/o/demo/${path}`, { headers })).status).toBe(404);
});
