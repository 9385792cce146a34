import { expect, test } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { createShareLink } from '../../../src/core/sharing/shareLinks.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { inDays } from '../../../src/domain/shareLinks.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { open as openPage, read } from './reading.ts';

const server = preparePages();

async function newSet(status: 'approved' | 'in_review' = 'approved') {
  const shots = [{ site: 'https://news.example/?secret=1', device: 'desktop' }] as const;
  const { setId } = await seedSet(server, { status, shots });
  return { setId, path: `/o/demo/screenshot_sets/${setId}` };
}

const get = (address: string, { key = server.apiKey, accept = 'text/html' } = {}) =>
  fetch(server.url + address, {
    headers: { accept, ...(key !== '' && { authorization: `Bearer ${key}` }) },
    redirect: 'manual',
    signal: AbortSignal.timeout(20_000),
  });

const exportsOf = (setId: string) =>
  server.store.db.selectFrom('exports').selectAll().where('set_id', '=', setId).execute();
const change = (setId: string, values: { status: 'ready' | 'failed'; reason?: string }) =>
  server.store.db
    .updateTable('exports')
    .set({ ...values, expires_at: inDays(new Date(), 7) })
    .where('set_id', '=', setId)
    .execute();

async function shareOf(setId: string, downloads: boolean): Promise<string> {
  const wanted = { organizationId: server.organizationId, setId, label: '', expiresAt: inDays(new Date(), 7) };
  const link = await server.store.db
    .transaction()
    .execute((tx) => createShareLink(tx, { ...wanted, downloads }, OPERATOR));
  return `/s/${shareToken(server.secret, link.id)}`;
}

test('a download shows its progress on a page of its own and then opens the file', async () => {
  const { setId, path } = await newSet();
  const started = await get(`${path}/export?format=pdf&frame=browser&time_zone=Europe/Berlin`);
  expect(started.status).toBe(303);
  const [row] = await exportsOf(setId);
  expect(row?.options).toMatchObject({ frame: 'browser', time_zone: 'Europe/Berlin', audience: 'organization' });
  const page = `${path}/exports/${row?.id}`;
  expect(started.headers.get('location')).toBe(page);
  const waiting = await get(page);
  expect(waiting.headers.get('refresh')).toBe('2');
  expect(await waiting.text()).toContain('0 of 1 pictures');
  await change(setId, { status: 'ready' });
  const file = `/e/${row?.token}/${row?.file_name}`;
  expect(file).toMatch(/\/Autumn-launch-\w{8}-[\d-]+-browser\.pdf$/);
  const ready = await get(page);
  expect(ready.headers.get('refresh')).toBe(`0;url=${file}`);
  expect(await ready.text()).toContain(`href="${file}"`);
  const again = await get(`${path}/export?format=pdf&frame=browser&time_zone=Europe/Berlin`);
  expect(again.headers.get('location')).toBe(file);
  expect((await get(`${path}/export?format=docx`)).status).toBe(422);
});

test('the page of a failed download says why and does not start another one', async () => {
  const { setId, path } = await newSet();
  const { page } = await (await get(`${path}/export?format=zip`, { accept: 'application/json' })).json();
  await change(setId, { status: 'failed', reason: 'The stored picture was changed.' });
  const failed = await get(page);
  expect(failed.headers.get('refresh')).toBeNull();
  expect(await failed.text()).toContain('The stored picture was changed.');
  expect(await exportsOf(setId)).toHaveLength(1);
});

test('nobody downloads a set without signing in, or with the address of another set', async () => {
  const { setId, path } = await newSet();
  expect(await (await get(`${path}/export?format=zip`, { key: '' })).text()).toContain('Sign in to');
  expect(await exportsOf(setId)).toHaveLength(0);
  const { page } = await (await get(`${path}/export?format=zip`, { accept: 'application/json' })).json();
  const other = await newSet();
  expect((await get(page.replace(setId, other.setId))).status).toBe(404);
  expect((await get(`${path}/exports/nothing`)).status).toBe(404);
});

test('a shared page offers downloads only if its link allows them, and shows no other exports', async () => {
  const { setId, path } = await newSet();
  const own = await (await get(`${path}/export?format=pdf`, { accept: 'application/json' })).json();
  const closed = await shareOf(setId, false);
  const open = await shareOf(setId, true);
  const anonymous = { key: '', accept: 'application/json' };
  expect(await (await get(closed, { key: '' })).text()).not.toContain('data-download');
  expect((await get(`${closed}/export?format=pdf`, anonymous)).status).toBe(404);
  expect(await (await get(open, { key: '' })).text()).toContain('data-download');
  const state = await (await get(`${open}/export?format=pdf&time_zone=Asia/Tokyo&failures=true`, anonymous)).json();
  expect(state).toMatchObject({ status: 'pending', done: 0, total: 1, url: null });
  const options = (await exportsOf(setId)).map((row) => row.options).find(({ audience }) => audience === 'shared');
  expect(options).toMatchObject({ time_zone: 'UTC', failures: false });
  expect((await get(state.page, anonymous)).status).toBe(200);
  expect((await get(`${closed}/exports/${state.page.split('/').at(-1)}`, anonymous)).status).toBe(404);
  expect((await get(`${open}/exports/${own.page.split('/').at(-1)}`, anonymous)).status).toBe(404);
  await change(setId, { status: 'failed', reason: 'An internal reason.' });
  const failed = await (await get(state.page, { key: '' })).text();
  expect(failed).not.toContain('internal reason');
  expect(failed).toContain(`${open}/brand.css`);
});

test('a rejected set cannot be downloaded from its shared page', async () => {
  const { setId } = await newSet('in_review');
  const open = await shareOf(setId, true);
  await server.store.db.updateTable('screenshot_sets').set({ status: 'rejected' }).where('id', '=', setId).execute();
  const refused = await get(`${open}/export?format=pdf`, { key: '' });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain('<!doctype html>');
});

test('a download works without scripts', async () => {
  const { setId } = await newSet();
  const share = await shareOf(setId, true);
  const page = await openPage(server.url + share);
  page.getByRole('button', { name: 'Download' }).click();
  page.getByLabel('Format').selectOption('zip');
  await page.proceed(page.locator('#download form button'));
  expect(page.getByText('0 of 1 pictures').count()).toBe(1);
  expect(page.getByRole('link', { name: 'Back to the pictures' }).getAttribute('href')).toBe(share);
  await change(setId, { status: 'ready' });
  await page.open(page.url);
  expect(page.getByRole('link', { name: 'Download it again' }).getAttribute('href')).toMatch(/^\/e\/.*\.zip$/);
});

test('a campaign and its link offer files of all sets, and no page of a set opens them', async () => {
  const { setId, path } = await newSet();
  const { db } = server.store;
  const { campaign_id: campaignId } = await db
    .selectFrom('screenshot_sets')
    .select('campaign_id')
    .where('id', '=', setId)
    .executeTakeFirstOrThrow();
  await seedSet(server, {
    status: 'approved',
    campaignId,
    shots: [{ site: 'https://blog.example/', device: 'desktop' }],
  });
  const own = `/o/demo/campaigns/${campaignId}`;
  const page = await read(server, server.url + own);
  const form = page.locator(`form[action="${own}/export"]`);
  const boxes = form.locator('.order input').allAttributes('value');
  expect([boxes.length, form.locator('.order img').count()]).toEqual([2, 2]);
  const chosen = await get(`${own}/export?format=pdf&screenshots=${boxes[1]}`);
  expect(chosen.status).toBe(303);
  expect(await (await get(chosen.headers.get('location') ?? '')).text()).toContain('0 of 1 pictures');
  const wanted = { organizationId: server.organizationId, campaignId, label: '', expiresAt: inDays(new Date(), 7) };
  const link = await db.transaction().execute((tx) => createShareLink(tx, { ...wanted, downloads: true }, OPERATOR));
  const shared = `/s/${shareToken(server.secret, link.id)}`;
  const pages: string[] = [];
  for (const [from, key] of [
    [own, server.apiKey],
    [shared, ''],
  ] as const) {
    const started = await get(`${from}/export?format=pdf`, { key });
    pages.push(started.headers.get('location') ?? '');
    expect([started.status, pages.at(-1)]).toEqual([303, expect.stringContaining(`${from}/exports/`)]);
    expect(await (await get(pages.at(-1) ?? '', { key })).text()).toContain('0 of 2 pictures');
  }
  const [id] = pages.map((page) => page.split('/').at(-1));
  expect((await get(`${path}/exports/${id}`)).status).toBe(404);
  expect((await get(`${shared}/exports/${id}`, { key: '' })).status).toBe(404);
});
