/**
 * Follows the links of the pages. Walks through each kind of page with the Tab key, and checks it with axe at three widths, light and
 * dark. So a page that is new is checked as soon as a link leads to it.
 */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright';
import { expect, it } from 'vitest';
import { createProvider } from '../../../src/api/auth/provider.ts';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { invite } from '../../../src/core/people/invitations.ts';
import { addMember } from '../../../src/core/people/members.ts';
import { createSignInLink } from '../../../src/core/people/signInLinks.ts';
import { insertUser } from '../../../src/core/people/users.ts';
import { insertEndpoint } from '../../../src/core/webhooks/webhookEndpointQueries.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { axeFaults, sidewaysScroll } from '../../support/axe.ts';
import { openPage, signIn } from './browser.ts';
import { keyboardFaults } from './keyboard.ts';
import { seedDelivery, seedPicture, seedSet, startPages } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { seedSchedule } from './seedSchedule.ts';

const server = preparePages();

const WIDTHS = [1440, 768, 390];
/** The layouts of a wide and of a narrow screen; a page of 768 pixels has parts of both. */
const CHECKED = [1440, 390];
const NEWS = 'https://news.example/a/long/address/of/a/page?with=a&query=that-does-not-end-soon';

async function seedEverything(): Promise<string[]> {
  const finished = await seedSet(server, {
    status: 'in_review',
    instructions: 'Show the ad above the fold.',
    shots: [
      { site: NEWS, device: 'desktop' },
      { site: NEWS, device: 'mobile', markerMs: 0 },
      { site: NEWS, device: 'mobile', markerMs: 2_500 },
      { site: 'https://blog.example/', device: 'ipad', ad: 'Überlange Anzeige mit 300×250 Pixeln und einem Namen' },
      { site: 'https://blog.example/', device: 'desktop', status: 'no_slots', reason: 'No slot takes 300×250.' },
      { site: 'https://shop.example/', device: 'desktop', status: 'blocked', reason: 'The site showed a challenge.' },
    ],
  });
  const capturing = await seedSet(server, {
    status: 'capturing',
    shots: [
      { site: NEWS, device: 'desktop' },
      { site: 'https://blog.example/', device: 'desktop', status: 'pending' },
    ],
  });
  await seedSchedule(server, { setId: finished.setId });
  const failed = { status: 'retries_exhausted', error: '500 Internal Server Error' } as const;
  await seedDelivery(server, { setId: finished.setId, target: 'https://hook.example/tearsheet', ...failed });
  await seedDelivery(server, { setId: finished.setId, target: 'https://hook.example/tearsheet', status: 'delivered' });
  const fields = {
    url: 'https://hook.example/a/long/path',
    topics: null,
    description: 'Reports',
    headers: {},
    disabled: false,
  };
  await insertEndpoint(server.store.db, server.organizationId, fields);
  const links = await Promise.all([
    shareLink(finished.setId, { answers: true, downloads: true }),
    shareLink(finished.setId, { password_hash: Buffer.alloc(48) }),
    shareLink(finished.setId, { revoked_at: new Date() }),
    shareLink(finished.setId, { expires_at: new Date(Date.now() - 60_000) }),
  ]);
  return [...links, `/o/demo/screenshot_sets/${capturing.setId}`];
}

async function shareLink(
  setId: string,
  given: { revoked_at?: Date; expires_at?: Date; answers?: boolean; downloads?: boolean; password_hash?: Buffer },
): Promise<string> {
  const id = randomUUID();
  const owner = { id, organization_id: server.organizationId, set_id: setId, label: 'For Anna' };
  const times = { expires_at: new Date(Date.now() + 3_600_000), revoked_at: null, ...given };
  await server.store.db
    .insertInto('share_links')
    .values({ ...owner, ...times })
    .execute();
  return `/s/${shareToken(server.secret, id)}`;
}

const WORD = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';
const LONG = `A rather long name of a campaign with-a-word-that-is-much-longer-than-a-phone-is-wide- ${WORD} `;

/** Objects with long texts and with faults. @returns pages that no link leads to. */
async function seedLongTexts(): Promise<string[]> {
  const { db } = server.store;
  const site = `https://${'very-long-name-of-a-site'.repeat(2)}.example/`;
  const shots = [
    { site, device: 'desktop' },
    { site, device: 'mobile', status: 'no_slots', reason: 'No slot.' },
    { site, device: 'ipad', status: 'pending' },
  ] as const;
  const seeded = [];
  for (const status of ['draft', 'approved', 'failed'] as const)
    seeded.push(await seedSet(server, { campaign: LONG + status, instructions: LONG.repeat(3), status, shots }));
  const [shown = '', failed = ''] = seeded.map(({ adIds }) => adIds[0] ?? '');
  const preview_token = await seedPicture(db, server.organizationId, '728x90');
  const warnings = JSON.stringify([{ code: 'size_assumed', message: 'The size was assumed.' }]);
  const values = { preview_token, warnings, lookup_key: 'key '.repeat(30) };
  await db.updateTable('ads').set(values).where('id', '=', shown).execute();
  const fault = { status: 'generic_error', reason: 'The zip has no index.html.' } as const;
  await db.updateTable('ads').set(fault).where('id', '=', failed).execute();
  const ids = seeded.map(({ setId }) => `set=${setId}`).join('&');
  return [
    `/o/demo/ads/${shown}`,
    `/o/demo/ads/${failed}`,
    '/o/demo/screenshot_sets?q=none&from=x',
    `/o/demo/screenshot_sets/bulk?action=approve&${ids}`,
    '/o/demo/screenshot_sets/bulk?action=retake',
    `/o/demo/new?ad=${shown}&ad=${failed}`,
  ];
}

/** Pages that differ in ids, tokens or their query are of one kind. */
function kindOf({ pathname }: URL): string {
  return pathname
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, ':id')
    .replace(/^\/s\/[^/]+/, '/s/:token')
    .replace(/(\/deliveries|\/keys)\/[^/]+$/, '$1/:id');
}

const NO_PAGE = /^\/(?:i|assets)\/|\.json$|\/exports?(?:\/[^/]+)?$|\/events$/;

async function linksOf(page: Page): Promise<URL[]> {
  const addresses = await page
    .locator('a[href]')
    .evaluateAll((all) => all.map((a) => (a instanceof HTMLAnchorElement ? a.href : '')));
  return addresses
    .map((address) => new URL(address))
    .filter(({ origin, pathname }) => origin === server.url && !NO_PAGE.test(pathname));
}

/** @returns the faults of the page that is open, with the width and the colors. */
async function faultsOfPage(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 390, height: 900 });
  const folded = await sidewaysScroll(page);
  // Closed details hide their content from axe.
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    // An open menu and a bar at the bottom cover what is below them: that is no fault of the page.
    for (const over of document.querySelectorAll<HTMLElement>('.menu > ul, .count-bar')) over.style.position = 'static';
  });
  const faults = [...(await keyboardFaults(page)), ...(folded === undefined ? [] : [`folded: ${folded}`])];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await sidewaysScroll(page);
    if (wide !== undefined) faults.push(`${width}: scrolls sideways: ${wide}`);
    if (CHECKED.includes(width)) faults.push(...(await axeFaults(page)).map((fault) => `${width}: ${fault}`));
  }
  // Only colors change with the scheme.
  await page.emulateMedia({ colorScheme: 'dark' });
  faults.push(...(await axeFaults(page, ['color-contrast'])).map((fault) => `dark: ${fault}`));
  await page.emulateMedia({ colorScheme: 'light' });
  return faults;
}

/** Visits one page of each kind that the links lead to, but those that are known. @returns the faults by kind. */
async function crawl(
  page: Page,
  starts: readonly string[],
  known: readonly string[] = [],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>(known.map((kind) => [kind, []]));
  const visited = new Set<string>();
  const waiting = starts.map((path) => new URL(path, server.url));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const kind = kindOf(next);
    const path = next.pathname + next.search;
    const isNew = starts.includes(path) ? !visited.has(path) : !found.has(kind);
    if (!isNew) continue;
    visited.add(path);
    await page.goto(next.href);
    waiting.push(...(await linksOf(page)));
    const faults = await faultsOfPage(page);
    found.set(kind, [...(found.get(kind) ?? []), ...faults]);
  }
  return found;
}

it('axe finds nothing on any page that a person can reach, Tab reaches every control, and no page scrolls sideways', {
  timeout: 1_200_000,
}, async () => {
  const starts = [...(await seedEverything()), ...(await seedLongTexts())];
  const { page } = await openPage();
  const visitor = ['/', '/o/demo', '/o/demo/billing', '/o/demo/sign-in/none', ...starts.slice(0, 3), '/s/none'];
  // reference.test.ts checks /docs, which a library draws after the page is loaded.
  const open = await crawl(page, visitor, ['/docs']);
  await signIn(page, server, `${server.url}/o/demo`);
  const own = await crawl(page, ['/o/demo', '/o/demo/nothing', ...starts.slice(3)], ['/docs']);
  const faults = [...open, ...own].filter(([, all]) => all.length > 0);
  expect(Object.fromEntries(faults)).toEqual({});
  const kinds = [...own.keys()];
  for (const kind of ['/o/demo/screenshot_sets/:id', '/o/demo/ads/:id'])
    expect([...kinds, ...open.keys()]).toContain(kind);
});

it('the pages with which people sign in have no such fault', { timeout: 300_000 }, async () => {
  const provider = createProvider({
    issuer: 'https://login.example',
    clientId: 'tearsheet',
    clientSecret: 'secret',
    scopes: 'openid',
    groupsClaim: 'groups',
    tenants: [],
    redirectUrl: 'https://shots.example/sign-in/callback',
  });
  const people = await startPages({ provider, mailer: { send: async () => undefined, verify: async () => undefined } });
  const { db } = people.store;
  const [organizationId, email] = [people.organizationId, `${'a-long-name-of-a-person-'.repeat(2)}@agency.example`];
  const userId = await insertUser(db, { email: 'sam@example.com', name: 'Sam Sample' });
  const token = await db.transaction().execute(async (tx) => {
    await addMember(tx, { organizationId, userId, role: 'owner' }, OPERATOR);
    return (await invite(tx, { organizationId, email, role: 'reviewer', mailed: true }, OPERATOR)).token;
  });
  const link = await createSignInLink(db, { userId, browser: undefined, next: '' });
  const { page } = await openPage();
  const faults: string[] = [];
  const check = async (path: string) => {
    await page.goto(people.url + path);
    faults.push(...(await faultsOfPage(page)).map((fault) => `${path}: ${fault}`));
  };
  for (const path of ['/', '/sign-in', '/o/demo', `/invitations/${token}`, '/invitations/none', `/sign-in/${link}`])
    await check(path);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/o\/demo/);
  for (const path of ['/account', '/o/demo/settings/members', `/o/demo/settings/members/${userId}/remove`, '/o/none'])
    await check(path);
  await people.close();
  expect(faults).toEqual([]);
});
