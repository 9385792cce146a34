/** The lists can be used by everybody: axe-core finds nothing, and no page scrolls sideways. */
import type { Browser } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeFaults, sidewaysScroll } from '../../support/axe.ts';
import { openBrowser, openPage, signIn } from './browser.ts';
import { type PagesServer, seedPicture, seedSet, startPages } from './pagesServer.ts';

let server: PagesServer;
let browser: Browser;
let pages: readonly string[];
beforeAll(async () => {
  [server, browser] = await Promise.all([startPages(), openBrowser()]);
  pages = await seedPages();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

const STATUSES = ['draft', 'capturing', 'in_review', 'approved', 'failed'] as const;

async function seedPages(): Promise<string[]> {
  const { db } = server.store;
  const site = `https://${'very-long-name-of-a-site'.repeat(2)}.example/`;
  const shots = [
    { site, device: 'desktop' },
    { site, device: 'mobile', status: 'no_slots', reason: 'No slot.' },
    { site, device: 'ipad', status: 'pending' },
  ] as const;
  const campaign = 'A rather long name of a campaign with-a-word-that-is-much-longer-than-a-phone-is-wide-'.repeat(2);
  const seeded = [];
  for (const status of STATUSES) seeded.push(await seedSet(server, { campaign: campaign + status, status, shots }));
  for (let i = 0; i < 22; i += 1) await seedSet(server, { status: 'approved', shots });
  const adId = seeded[0]?.adIds[0] ?? '';
  const preview_token = await seedPicture(db, server.organizationId, '728x90');
  const warnings = JSON.stringify([{ code: 'size_assumed', message: 'The size was assumed.' }]);
  await db
    .updateTable('ads')
    .set({ preview_token, warnings, lookup_key: 'key '.repeat(30) })
    .where('id', '=', adId)
    .execute();
  await db
    .updateTable('ads')
    .set({ status: 'generic_error', reason: 'The zip has no index.html.' })
    .where('id', '=', seeded[1]?.adIds[0] ?? '')
    .execute();
  const row = await db.selectFrom('ads').select('campaign_id').where('id', '=', adId).executeTakeFirstOrThrow();
  const ids = seeded.map(({ setId }) => `set=${setId}`).join('&');
  const lists = [
    'screenshot_sets',
    'screenshot_sets?q=none&from=x',
    'ads',
    'campaigns',
    `campaigns/${row.campaign_id}`,
  ];
  const others = [
    `screenshot_sets/bulk?action=approve&${ids}`,
    'screenshot_sets/bulk?action=retake',
    'nowhere',
    `ads/${adId}`,
  ];
  return ['/', ...[...lists, ...others].map((path) => `/o/demo/${path}`)];
}

const SIZES = [1440, 768, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => [width, scheme] as const),
);

it.each(SIZES)('axe finds nothing on the lists, and none scrolls sideways: %i px, %s', async (width, colorScheme) => {
  const { page } = await openPage(browser, { viewport: { width, height: 900 }, colorScheme });
  await signIn(page, server, `${server.url}/o/demo`);
  await page.context().clearCookies({ name: 'tearsheet_home' });
  for (const path of pages) {
    await page.goto(server.url + path);
    expect(await axeFaults(page), path).toEqual([]);
    expect(await sidewaysScroll(page), path).toBeUndefined();
  }
  await page.context().close();
});
