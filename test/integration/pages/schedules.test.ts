import { expect, test } from 'vitest';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';
import { seedSchedule } from './seedSchedule.ts';

const server = preparePages();
const SHOTS = [
  { site: 'https://news.example/sport', device: 'desktop' },
  { site: 'https://news.example/sport', device: 'iphone' },
] as const;

test('a person repeats the request of a set, pauses and deletes the schedule, without scripts', async () => {
  const { setId } = await seedSet(server, { status: 'approved', shots: SHOTS });
  const page = await read(server, `${server.url}/o/demo/screenshot_sets/${setId}`);
  page.getByLabel('More').click();
  await page.proceed(page.getByRole('link', { name: 'Repeat this request' }));
  page.getByLabel('Name').fill('Spring');
  page.getByLabel('Not before').fill('08:00');
  page.getByLabel('Before', { exact: true }).fill('22:00');
  page.getByLabel('Time zone').selectOption('Europe/Berlin');
  page.getByLabel('Saturday').check();
  await page.proceed(page.getByRole('button', { name: 'Create schedule' }));
  expect(page.locator('.fault').allInnerTexts()).toEqual(['Before must be after start, by at most 12 hours.']);
  expect(page.getByLabel('Saturday').isChecked()).toBe(true);
  page.getByLabel('Before', { exact: true }).fill('10:00');
  await page.proceed(page.getByRole('button', { name: 'Create schedule' }));
  expect(page.getByRole('heading', { name: 'Spring Active' }).count()).toBe(1);
  expect(page.locator('dd li').count()).toBe(5);
  expect(page.locator('.head .meta').innerText()).toContain('Saturday, between 08:00 and 10:00, Europe/Berlin');
  const change = () => page.getByText('Change this schedule').click();
  change();
  expect(page.getByLabel('Saturday').isChecked()).toBe(true);
  page.getByLabel('Name').fill('Spring mornings');
  page.getByLabel('Saturday').uncheck();
  page.getByLabel('Before', { exact: true }).fill('22:00');
  await page.proceed(page.getByRole('button', { name: 'Save' }));
  expect(page.locator('.fault').allInnerTexts()).toEqual(['Before must be after start, by at most 12 hours.']);
  page.getByLabel('Before', { exact: true }).fill('09:00');
  await page.proceed(page.getByRole('button', { name: 'Save' }));
  expect(page.getByRole('heading', { name: 'Spring mornings Active' }).count()).toBe(1);
  expect(page.locator('.head .meta').innerText()).toContain('Friday, between 08:00 and 09:00, Europe/Berlin');
  change();
  page.getByLabel('Name').fill('Spring');
  await page.proceed(page.getByRole('button', { name: 'Save' }));
  await page.proceed(page.getByRole('button', { name: 'Run now' }));
  expect(page.getByRole('row').nth(1).innerText()).toContain('Open the set');
  await page.proceed(page.getByRole('button', { name: 'Pause' }));
  expect(page.getByRole('heading', { name: 'Spring Paused' }).count()).toBe(1);
  await page.proceed(page.getByRole('button', { name: 'Resume' }));
  await page.proceed(page.getByRole('link', { name: 'Schedules' }).first());
  const row = page.getByRole('row', { name: /Spring/ });
  expect(row.innerText()).toMatch(/Active\s*Monday.*between 08:00 and 09:00/);
  await page.proceed(row.getByRole('link').first());
  page.getByRole('button', { name: 'Delete' }).first().click();
  await page.proceed(page.locator('#delete').getByRole('button', { name: 'Delete' }));
  expect(page.getByText('The schedule was deleted. Its sets stay.').count()).toBe(1);
});

test('the page of a schedule shows the pictures of each placement side by side, newest first', async () => {
  const { setId } = await seedSet(server, { status: 'approved', shots: SHOTS });
  const id = await seedSchedule(server, { setId });
  const page = await read(server, `${server.url}/o/demo/schedules/${id}`);
  const groups = page.locator('.group');
  expect(groups.count()).toBe(2);
  const times = groups.first().locator('.what').allInnerTexts();
  const at = times.map((text) => Date.parse(text.replace(/ GMT.*$/, '')));
  expect(at).toEqual(at.toSorted((one, other) => other - one));
  expect(new Set(at).size).toBe(3);
  const result = page.getByRole('row', { name: /Refused/ });
  expect(result.innerText()).toContain('The organization is disabled.');
  await page.proceed(groups.first().locator('a.frame').first());
  expect(page.url).toContain('/screenshots/');
  await page.open(`${server.url}/o/demo/schedules/${id}`);
  await page.proceed(page.getByRole('link', { name: 'Open the set' }).first());
  await page.proceed(page.getByRole('link', { name: 'a schedule' }));
  expect(new URL(page.url).pathname).toBe(`/o/demo/schedules/${id}`);
});

test('an unknown set or schedule has no page', async () => {
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const unknown = '00000000-0000-4000-8000-000000000000';
  for (const path of ['schedules/new?set=none', `schedules/new?set=${unknown}`, `schedules/${unknown}`])
    expect((await fetch(`${server.url}/o/demo/${path}`, { headers })).status).toBe(404);
});
