/** Scripts add copies, downloads in place, keys, selections and the zone of the person to pages that also work without them. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { saveTemplate } from '../../../src/core/requests/savedObjects.ts';
import { inDays } from '../../../src/domain/shareLinks.ts';
import { axeFaults, sidewaysScroll } from '../../support/axe.ts';
import { follow, opened, openPage, preparePagesInBrowser, visit } from './browser.ts';
import { seedSet } from './pagesServer.ts';

const server = preparePagesInBrowser();

const NEWS = 'https://news.example/front';
const SHOTS = [
  { site: NEWS, device: 'desktop' },
  { site: NEWS, device: 'mobile' },
] as const;

/** @returns the path of a link to a set. */
async function sharedSet(): Promise<{ path: string }> {
  const { setId } = await seedSet(server, { status: 'approved', shots: SHOTS });
  const row = { id: randomUUID(), organization_id: server.organizationId, set_id: setId };
  const expires_at = new Date(Date.now() + 3_600_000);
  await server.store.db
    .insertInto('share_links')
    .values({ ...row, expires_at })
    .execute();
  return { path: `/s/${shareToken(server.secret, row.id)}` };
}

it('the address of a new link is in the clipboard', async () => {
  const { setId } = await seedSet(server, { status: 'approved', shots: SHOTS });
  const { page, faults } = await visit(server, `${server.url}/o/demo/screenshot_sets/${setId}`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByLabel('For whom').fill('Anna');
  await follow(page.getByRole('button', { name: 'Create the link' }));
  await page.locator('.toast').getByText('Link copied.').waitFor();
  const address = await page.getByLabel('Address of Anna').inputValue();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  expect(await page.locator('.shares li').count()).toBe(1);
  expect(faults).toEqual([]);
});

it('a shared page shows thumbnails, and each picture large without anything of the organization', async () => {
  const { path } = await sharedSet();
  const { page, faults } = await openPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(server.url + path);
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  expect(asked.filter((each) => each.endsWith('.png'))).toEqual([]);
  expect(asked.filter((each) => each.endsWith('.webp')).length).toBe(2);
  await follow(page.locator('.shot a.frame').first());
  expect(await page.locator('.picture-head .count').textContent()).toBe('1 of 2');
  await opened(page, () => page.keyboard.press('ArrowRight'));
  expect(await page.locator('.stage img').getAttribute('src')).toContain('1080x2400');
  expect(await page.locator('main form[method="post"]').count()).toBe(0);
  expect(asked.filter((each) => each.startsWith('/o/') || each.endsWith('.png'))).toEqual([]);
  expect(faults).toEqual([]);
});

it('a reader stays on the page while the file is built, and then gets it', async () => {
  const { setId } = await seedSet(server, { status: 'approved', shots: SHOTS });
  const path = `/o/demo/screenshot_sets/${setId}`;
  await server.store.db.updateTable('organizations').set({ time_zone: 'America/New_York' }).execute();
  const { page, faults } = await visit(server, server.url + path);
  await page.route('**/e/**', (route) =>
    route.fulfill({ body: 'file', headers: { 'content-disposition': 'attachment; filename="Spring.pdf"' } }),
  );
  await page.getByRole('button', { name: 'Download' }).click();
  await page.getByLabel('Format').selectOption({ label: 'PDF' });
  await page.getByLabel('Frame').selectOption('device');
  await page.locator('#download').getByRole('button', { name: 'Download' }).click();
  await page.getByText('0 of 2 pictures').waitFor();
  const exported = server.store.db.selectFrom('exports').where('set_id', '=', setId);
  const row = await exported.select('options').executeTakeFirst();
  expect(row?.options).toMatchObject({ format: 'pdf', frame: 'device', time_zone: 'America/New_York' });
  const downloaded = page.waitForEvent('download');
  await server.store.db
    .updateTable('exports')
    .set({ status: 'ready', expires_at: inDays(new Date(), 7) })
    .where('set_id', '=', setId)
    .execute();
  expect((await downloaded).suggestedFilename()).toBe('Spring.pdf');
  await page.getByText('The file is ready').waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
  expect(faults).toEqual([]);
});

it('a person chooses and orders the pictures of a download with keys and by dragging', async () => {
  const shots = [...SHOTS, { site: 'https://blog.example/', device: 'desktop' }] as const;
  const { setId, shotIds } = await seedSet(server, { status: 'approved', shots });
  const address = `${server.url}/o/demo/screenshot_sets/${setId}`;
  const { page, faults } = await visit(server, address, { viewport: { width: 390, height: 844 } });
  await page.getByRole('button', { name: 'Download' }).click();
  const chosenBy = async () => {
    const request = page.waitForRequest(/\/export\?/);
    await page.locator('#download').getByRole('button', { name: 'Download' }).click();
    const chosen = new URL((await request).url()).searchParams.getAll('screenshots');
    return chosen.map((id) => shotIds.indexOf(id));
  };
  expect(await chosenBy()).toEqual([]);
  await page.getByText('Choose and order pictures').click();
  expect(await axeFaults(page)).toEqual([]);
  expect(await sidewaysScroll(page)).toBeUndefined();
  await page.getByRole('button', { name: /^Move up: .*blog/ }).press('Enter');
  await page.keyboard.press('Enter');
  await page.getByText('Place 1.').waitFor();
  expect(await chosenBy()).toEqual([2, 0, 1]);
  await page.locator('.order').getByRole('checkbox', { name: 'Android phone' }).uncheck();
  const items = page.locator('.order > li');
  await items.nth(0).dragTo(items.nth(2), { targetPosition: { x: 20, y: 40 } });
  await page.getByLabel('Format').selectOption({ label: 'PDF' });
  expect(await chosenBy()).toEqual([0, 2]);
  expect(faults).toEqual([]);
});

it('a schedule begins with a template, in the time zone of the person', async () => {
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

it('a key opens the search of a list', async () => {
  await seedSet(server, { status: 'in_review', shots: SHOTS });
  const { page, faults } = await visit(server, `${server.url}/o/demo/screenshot_sets`);
  await page.keyboard.press('/');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('filter-q');
  expect(faults).toEqual([]);
});
