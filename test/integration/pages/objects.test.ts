import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { createKey } from '../../support/keys.ts';
import { seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';
import { RequestForm } from './requestForm.ts';

const server = preparePages();

const SHOTS = [{ site: 'https://news.example/', device: 'desktop' }] as const;

/** A finished set, its ad and its campaign, as paths of their pages. */
async function seed(given: Partial<Parameters<typeof seedSet>[1]> = {}) {
  const { setId, adIds } = await seedSet(server, { status: 'approved', shots: SHOTS, ...given });
  const { campaign_id: campaignId } = await server.store.db
    .selectFrom('screenshot_sets')
    .select('campaign_id')
    .where('id', '=', setId)
    .executeTakeFirstOrThrow();
  const [adId = ''] = adIds;
  return {
    ...{ setId, adId, campaignId },
    paths: {
      set: `/o/demo/screenshot_sets/${setId}`,
      ad: `/o/demo/ads/${adId}`,
      campaign: `/o/demo/campaigns/${campaignId}`,
    },
  };
}

async function ask(path: string, key = server.apiKey, form?: Record<string, string>): Promise<[number, string]> {
  const response = await fetch(server.url + path, {
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    headers: { authorization: `Bearer ${key}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
  });
  return [response.status, await response.text()];
}

/** @returns the entries about one object, oldest first. */
async function audited(id: string) {
  const rows = await server.store.db
    .selectFrom('audit_log')
    .select(['action', 'actor_type', 'changes'])
    .where('object_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(({ action, actor_type, changes }) => [action, actor_type, changes]);
}

it('a person renames an ad on its page, and the audit log names the session', async () => {
  const { paths, adId } = await seed();
  const page = await read(server, server.url + paths.ad);
  await page.proceed(page.getByRole('link', { name: 'Rename' }));
  page.getByLabel('Name').fill('Spring <b>2</b>');
  await page.proceed(page.getByRole('button', { name: 'Save' }));
  expect(new URL(page.url).pathname).toBe(paths.ad);
  expect(page.getByRole('status').textContent()).toContain('Saved');
  expect(page.locator('h1 bdi').textContent()).toBe('Spring <b>2</b>');
  expect(await audited(adId)).toEqual([
    ['ad.updated', 'session', [{ field: 'name', from: 'Summer sale 300×250', to: 'Spring <b>2</b>' }]],
  ]);
});

it('a person sets and removes the logo of the client on the page of a campaign, and a reader cannot', async () => {
  const { paths, campaignId } = await seed({ campaign: 'With a logo' });
  const page = await read(server, server.url + paths.campaign);
  const save = () => page.proceed(page.getByRole('button', { name: 'Save the logo' }));
  const shown = () => page.locator('img[alt="The current logo"]').count();
  const field = () => page.getByLabel('Logo', { exact: true });
  field().setInputFiles(new File(['no picture'], 'logo.png'));
  expect((await save()).status).toBe(422);
  expect(page.getByText('Logo must be').count()).toBe(1);
  field().setInputFiles(new File(['<svg xmlns="http://www.w3.org/2000/svg" width="40" height="10"/>'], 'logo.svg'));
  await save();
  expect([new URL(page.url).pathname, shown()]).toEqual([paths.campaign, 1]);
  page.getByLabel('Remove this logo').check();
  await save();
  expect(shown()).toBe(0);
  const actions = ['campaign.logo_removed', 'campaign.logo_replaced'];
  expect((await audited(campaignId)).toSorted()).toEqual(actions.map((action) => [action, 'session', []]));
  const { api_key: reader } = await createKey(server.store.db, 'demo', { scopes: ['read'] });
  expect((await ask(paths.campaign, reader))[1]).not.toContain('Save the logo');
  expect((await ask(paths.campaign, reader, { remove_logo: 'yes' }))[0]).toBe(403);
  expect((await ask(`/o/demo/campaigns/${randomUUID()}`))[0]).toBe(404);
});

it('a person changes and removes the name and the instructions of a set on one page', async () => {
  const { paths, setId } = await seed();
  const page = await read(server, server.url + paths.set);
  for (const text of ['Above the fold\nDesktop first', '']) {
    page.getByLabel('More').click();
    await page.proceed(page.getByRole('link', { name: 'Name and instructions' }));
    page.getByLabel('Name').fill(text.slice(0, 5));
    page.getByLabel('Instructions').fill(text);
    await page.proceed(page.getByRole('button', { name: 'Save' }));
    const row = await server.store.db
      .selectFrom('screenshot_sets')
      .select(['name', 'instructions'])
      .where('id', '=', setId)
      .executeTakeFirstOrThrow();
    expect(row).toEqual(text === '' ? { name: null, instructions: null } : { name: 'Above', instructions: text });
  }
});

it('a name that is blank or taken is shown again with its fault', async () => {
  const [{ paths }] = await Promise.all([seed({ campaign: 'Okapi' }), seed({ campaign: 'Zebra' })]);
  const blank = await ask(`${paths.campaign}/change`, server.apiKey, { name: ' ' });
  expect(blank).toEqual([422, expect.stringContaining('Name must not be blank')]);
  const taken = await ask(`${paths.campaign}/change`, server.apiKey, { name: 'Zebra' });
  expect(taken).toEqual([409, expect.stringContaining('Name is the name of another campaign.')]);
  expect(taken[1]).toContain('value="Zebra"');
});

it('a person deletes a campaign after a page that says what goes, and its addresses answer 410', async () => {
  const { paths, campaignId } = await seed({ campaign: 'Old news' });
  const page = await read(server, server.url + paths.campaign);
  await page.proceed(page.getByRole('link', { name: 'Delete' }));
  expect(page.locator('h1').textContent()).toBe('Delete the campaign “Old news”?');
  expect(page.getByRole('main').textContent()).toMatch(
    /removes the campaign and\s+1 set, with pictures.*1 ad, with previews/s,
  );
  expect((await ask(paths.campaign))[0]).toBe(200);
  const { url } = await page.proceed(page.getByRole('button', { name: 'Delete the campaign' }));
  expect(new URL(url).pathname).toBe('/o/demo/campaigns');
  expect(page.getByRole('status').textContent()).toContain('Deleted');
  for (const path of [paths.campaign, `${paths.campaign}/change`, `${paths.campaign}/delete`])
    expect([path, (await ask(path))[0]]).toEqual([path, 410]);
  expect((await audited(campaignId)).map(([action, type]) => [action, type])).toEqual([
    ['campaign.deleted', 'session'],
  ]);
});

it('a person deletes a set and then its ad, and their addresses answer 410', async () => {
  const { paths } = await seed();
  for (const path of [paths.set, paths.ad]) {
    const page = await read(server, server.url + path);
    if (path === paths.set) page.getByLabel('More').click();
    await page.proceed(page.getByRole('link', { name: 'Delete' }));
    await page.proceed(page.getByRole('button', { name: 'Delete the' }));
    expect([path, (await ask(path))[0]]).toEqual([path, 410]);
  }
});

it('the page of an object that cannot be deleted now says why, and its form changes nothing', async () => {
  const { paths } = await seed({ status: 'capturing' });
  const reasons = { set: 'Cancel it first', ad: 'Sets show this ad', campaign: 'Cancel the set first' };
  for (const kind of ['set', 'ad', 'campaign'] as const) {
    const [status, text] = await ask(`${paths[kind]}/delete`);
    expect([status, text]).toEqual([200, expect.stringContaining(reasons[kind])]);
    expect(text).not.toContain('<button class="danger"');
    expect((await ask(`${paths[kind]}/delete`, server.apiKey, {}))[0]).toBe(409);
    expect((await ask(paths[kind]))[0]).toBe(200);
  }
});

it('a person whose key may only read sees no button, and is refused', async () => {
  const { paths } = await seed({ campaign: 'Kept' });
  const { api_key: reader } = await createKey(server.store.db, 'demo', { scopes: ['read'] });
  for (const path of Object.values(paths)) {
    const [status, text] = await ask(path, reader);
    expect(status).toBe(200);
    expect(text).not.toMatch(/\/(change|delete)"/);
    expect((await ask(path))[1]).toMatch(/\/change".*\/delete"/s);
    for (const action of ['change', 'delete']) {
      expect((await ask(`${path}/${action}`, reader))[0]).toBe(403);
      expect((await ask(`${path}/${action}`, reader, { name: 'Taken over', instructions: 'x' }))[0]).toBe(403);
    }
    expect((await ask(path))[1]).not.toContain('Taken over');
  }
});

it('a form that another site sent deletes nothing', async () => {
  const { paths } = await seed();
  const { cookie } = await RequestForm.open(server);
  for (const form of ['', 'wrong']) {
    const response = await fetch(`${server.url}${paths.set}/delete`, {
      method: 'POST',
      body: new URLSearchParams({ form }),
      headers: { cookie },
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    });
    expect(response.status).toBe(403);
  }
  expect((await ask(paths.set))[0]).toBe(200);
});

it('the pictures and the share link of a deleted set say that they were removed', async () => {
  const { setId, paths } = await seed();
  const { db } = server.store;
  const shot = await db.selectFrom('screenshots').select('id').where('set_id', '=', setId).executeTakeFirstOrThrow();
  const id = randomUUID();
  const row = { id, organization_id: server.organizationId, set_id: setId };
  await db
    .insertInto('share_links')
    .values({ ...row, expires_at: new Date(Date.now() + 86_400_000) })
    .execute();
  const [picture, link] = [`/o/demo/screenshots/${shot.id}`, `/s/${shareToken(server.secret, id)}`];
  for (const path of [picture, link]) expect([path, (await ask(path))[0]]).toEqual([path, 200]);
  expect((await ask(`${paths.set}/delete`, server.apiKey, {}))[0]).toBe(303);
  expect(await ask(picture)).toEqual([410, expect.stringContaining('was deleted')]);
  expect(await ask(link)).toEqual([410, expect.stringContaining('These pictures were removed')]);
});

it('a shared page has no link that changes or deletes, also for a person who has signed in', async () => {
  const { setId, paths } = await seed();
  const link = { id: crypto.randomUUID(), organization_id: server.organizationId, set_id: setId, label: '' };
  await server.store.db
    .insertInto('share_links')
    .values({ ...link, expires_at: new Date(Date.now() + 3_600_000) })
    .execute();
  const page = await read(server, server.url + paths.set);
  await page.open(`${server.url}/s/${shareToken(server.secret, link.id)}`);
  expect(page.text).not.toMatch(/\/(change|delete)"/);
});
