import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { seedSet, startPages } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';
import { RequestForm } from './requestForm.ts';
import { seedSchedule } from './seedSchedule.ts';

const server = preparePages();

const SHOT = { site: 'https://news.example/', device: 'desktop' } as const;

async function open(path: string): Promise<{ status: number; text: string; url: string }> {
  const response = await fetch(`${server.url}/o/demo${path}`, {
    headers: { authorization: `Bearer ${server.apiKey}` },
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, text: await response.text(), url: response.url.slice(server.url.length) };
}

const rowsOf = ({ text }: { text: string }) => [...text.matchAll(/<tr id="set-([^"]+)"/g)].map(([, id]) => id);
const found = async (query: string) => rowsOf(await open(`/screenshot_sets?${query}`));

describe('the list of sets', () => {
  it('the search finds sets by campaign, ad, lookup key, site and id', async () => {
    const shots = [{ ...SHOT, site: 'https://sport.zebra.example/football?x=1', ad: 'Giraffe 300×250' }];
    const { setId, adIds } = await seedSet(server, { campaign: 'Okapi über alles', shots });
    for (const text of [
      'okapi',
      'OKAPI alles',
      'giraf',
      '300x250 giraffe',
      'football',
      'sport.zebra.example',
      setId,
      setId.slice(0, 13),
      adIds[0],
    ]) {
      expect(await found(`q=${encodeURIComponent(text ?? '')}`), text).toEqual([setId]);
    }
    for (const text of ['okapi zebu', 'kapi', '—', "o'kapi", 'a & b | !c', ':org:', randomUUID()]) {
      expect(await found(`q=${encodeURIComponent(text)}`), text).toEqual([]);
    }
  });

  it('filters by site, device, status, campaign and day narrow the list, alone and together', async () => {
    const shots = [
      { ...SHOT, site: 'https://a.lemur.example/' },
      { ...SHOT, site: 'https://lemur.example/x', device: 'ipad' },
    ] as const;
    const { setId } = await seedSet(server, { status: 'in_review', shots });
    await seedSet(server, { status: 'approved', shots: [{ ...SHOT, site: 'https://lemurs.example/' }] });
    const { campaign_id, created_at } = await server.store.db
      .selectFrom('screenshot_sets')
      .select(['campaign_id', 'created_at'])
      .where('id', '=', setId)
      .executeTakeFirstOrThrow();
    const day = created_at.toISOString().slice(0, 10);
    const all = { site: 'lemur.example', device: 'ipad', status: 'in_review', campaign_id, from: day, to: day };
    expect(await found(new URLSearchParams(all).toString())).toEqual([setId]);
    expect(await found('site=https://lemur.example/y')).toEqual([setId]);
    expect(await found('site=a.lemur.example')).toEqual([setId]);
    for (const other of [
      { device: 'mobile' },
      { status: 'approved' },
      { campaign_id: randomUUID() },
      { to: '2020-01-01', from: '' },
    ]) {
      expect(await found(new URLSearchParams({ ...all, ...other }).toString()), JSON.stringify(other)).toEqual([]);
    }
  });

  it('a filter at fault keeps what the person typed and says what is wrong', async () => {
    const { text, status } = await open('/screenshot_sets?from=yesterday&site=%22%3E&status=nonsense');
    expect(status).toBe(200);
    expect(text).toContain('value="yesterday" aria-invalid="true"');
    expect(text).toContain('From (UTC) must be an ISO 8601 time, for example 2026-11-21T09:30:00Z.');
    expect(text).toContain('value="&quot;&gt;"');
    expect((await open('/screenshot_sets?from=2026-02-01&to=2026-01-01')).text).toContain(
      'must not be after the last day',
    );
    expect((await open('/screenshot_sets?after=nonsense&before=x')).status).toBe(200);
  });

  it('new sets neither repeat nor hide a set while a person turns the pages', async () => {
    const { setIds, campaignId } = await seedMany(60);
    const seen: (string | undefined)[] = [];
    let path = `/screenshot_sets?campaign_id=${campaignId}`;
    for (let i = 0; i < 3; i += 1) {
      const page = await open(path);
      seen.push(...rowsOf(page));
      await addSet(campaignId, new Date());
      path = linkOf(page.text, 'next') ?? path;
    }
    expect(seen).toEqual(setIds);
    const back = await open(path);
    const previous = await open(linkOf(back.text, 'prev') ?? '');
    expect(rowsOf(previous)).toEqual(setIds.slice(25, 50));
    expect(rowsOf(await open(linkOf(previous.text, 'prev') ?? ''))).toEqual(setIds.slice(0, 25));
    expect((await found(`campaign_id=${campaignId}&sort=oldest`)).toReversed()).toEqual(setIds.slice(35));
  });

  it('a list without sets says what to do next and offers a sample, with and without filters', async () => {
    expect((await open('/screenshot_sets?q=nothinglikethis')).text).toContain('No sets match');
    const empty = await startPages();
    const response = await fetch(`${empty.url}/o/demo/screenshot_sets`, { headers: { authorization: empty.apiKey } });
    const text = await response.text();
    const form = await RequestForm.open(empty);
    const sample = await form.postTo('/o/demo/new/sample', {});
    const rows = await empty.store.db
      .selectFrom('screenshots')
      .innerJoin('uploads', 'uploads.id', 'page_upload_id')
      .select(['set_id', 'device', 'uploads.format'])
      .orderBy('seq')
      .execute();
    await empty.close();
    expect(text).toContain('action="/o/demo/new/sample"');
    expect([sample.status, rows]).toEqual([
      303,
      ['desktop', 'iphone'].map((device) => ({ set_id: sample.location?.split('/').at(-1), device, format: 'html' })),
    ]);
    expect(text).toContain('No sets yet');
    expect(text).not.toContain('role="search"');
    expect(text).toContain('href="/o/demo/new"');
  });
});

/** @returns sets with one picture each, newest first; several were requested in the same microsecond. */
async function seedMany(count: number): Promise<{ setIds: string[]; campaignId: string }> {
  const { setId } = await seedSet(server, { status: 'approved', shots: [SHOT] });
  const { db } = server.store;
  const { campaign_id } = await db
    .selectFrom('screenshot_sets')
    .select('campaign_id')
    .where('id', '=', setId)
    .executeTakeFirstOrThrow();
  await sql`update screenshot_sets set created_at = '2020-01-01' where id = ${setId}`.execute(db);
  for (let i = 1; i < count; i += 1) await addSet(campaign_id, new Date(Date.UTC(2026, 0, 1) + Math.floor(i / 4)));
  const rows = await db
    .selectFrom('screenshot_sets')
    .select('id')
    .where('campaign_id', '=', campaign_id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return { setIds: rows.map(({ id }) => id), campaignId: campaign_id };
}

async function addSet(campaign_id: string, created_at: Date): Promise<string> {
  const id = randomUUID();
  await server.store.db
    .insertInto('screenshot_sets')
    .values({ id, organization_id: server.organizationId, campaign_id, status: 'approved', created_at })
    .execute();
  return id;
}

function linkOf(text: string, rel: 'next' | 'prev'): string | undefined {
  return new RegExp(`<a class="button" rel="${rel}" href="/o/demo([^"]+)"`).exec(text)?.[1]?.replaceAll('&amp;', '&');
}

describe('campaigns', () => {
  it('after signing in, a person sees what waits for her, then each campaign with its cover and its last news', async () => {
    const { db } = server.store;
    const failed = { ...SHOT, status: 'blocked' } as const;
    await seedSet(server, { campaign: 'Inbox', status: 'in_review', shots: [SHOT, SHOT] });
    const ready = await seedSet(server, { campaign: 'Failures', status: 'approved', shots: [SHOT, failed, failed] });
    await seedSet(server, { campaign: 'Fine', status: 'approved', shots: [SHOT] });
    const scheduleId = await seedSchedule(server, { setId: ready.setId, name: 'Each morning', runs: 1 });
    const stopped = { due_at: null, paused_at: new Date(), paused_reason: '10 runs in a row were refused.' };
    await db.updateTable('schedules').set(stopped).where('id', '=', scheduleId).execute();
    const page = await read(server, `${server.url}/o/demo`);
    expect(new URL(page.url).pathname).toBe('/o/demo/campaigns');
    const lines = page.locator('.panel .items > li').allInnerTexts();
    const lineOf = (name: string) => lines.filter((line) => line.includes(name));
    expect(lineOf('Inbox')).toEqual([expect.stringMatching(/To review Inbox.* 0 of 2 reviewed/)]);
    expect(lineOf('Failures')).toEqual([expect.stringMatching(/Failed Failures.* 2 × Blocked by the site/)]);
    expect(lineOf('Each morning')).toEqual([
      expect.stringMatching(/Stopped Each morning.*10 runs in a row were refused/),
    ]);
    expect(page.locator('.panel').textContent()).not.toContain('Fine');
    const row = page.locator('tbody tr').filter({ hasText: 'Inbox' });
    expect(row.locator('img').count()).toBe(1);
    expect(row.textContent()).toMatch(/1 in review.*Requested/s);
    await page.open(`${server.url}/o/demo/campaigns?q=inbox`);
    expect(page.locator('.panel').count()).toBe(0);
  });

  it('the page of a campaign lists sites and people, and a new request knows its ads and sites', async () => {
    const shots = [{ ...SHOT, site: 'https://news.example/sport' }, SHOT];
    const { setId, adIds } = await seedSet(server, { campaign: 'Whole', status: 'in_review', shots });
    const { campaign_id } = await server.store.db
      .selectFrom('screenshot_sets')
      .select('campaign_id')
      .where('id', '=', setId)
      .executeTakeFirstOrThrow();
    const page = await read(server, `${server.url}/o/demo/campaigns/${campaign_id}`);
    expect(page.locator('.part .items').first().textContent()).toMatch(/news\.example.*1 picture.*sport.*1 picture/s);
    await page.proceed(page.locator('main').getByRole('link', { name: 'New request' }));
    expect(page.getByLabel('Campaign').inputValue()).toBe('Whole');
    expect(page.locator('textarea[name="sites"]').inputValue()).toBe(
      'https://news.example/\nhttps://news.example/sport',
    );
    expect(page.locator(`input[name="ad"][value="${adIds[0]}"]`).count()).toBe(1);
  });
});

describe('the form of the filters', () => {
  it('the filters are in the address, and a link clears them', async () => {
    const { setId } = await seedSet(server, { campaign: 'Without scripts', status: 'in_review', shots: [SHOT] });
    const page = await read(server, `${server.url}/o/demo/screenshot_sets`);
    page.getByLabel('Search').fill('without scripts');
    page.getByLabel('Status').selectOption('In review');
    await page.proceed(page.getByRole('button', { name: 'Apply' }));
    expect(new URL(page.url).search).toMatch(/^\?q=without\+scripts&status=in_review&/);
    expect(page.locator('tbody tr').count()).toBe(1);
    expect(page.locator(`#set-${setId} .badge`).textContent()).toBe('In review');
    await page.proceed(page.getByRole('link', { name: 'Clear filters' }));
    expect(page.locator('tbody tr').count()).toBeGreaterThan(1);
  });
});
