/**
 * Follows the links of the pages, so a page that is new is checked as soon as a link leads to it. Checks each kind of page with axe,
 * and walks through it with the Tab key.
 */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright';
import { createProvider } from '../../../src/api/auth/provider.ts';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { invite } from '../../../src/core/people/invitations.ts';
import { addMember } from '../../../src/core/people/members.ts';
import { createSignInLink } from '../../../src/core/people/signInLinks.ts';
import { insertUser } from '../../../src/core/people/users.ts';
import { createSiteRule } from '../../../src/core/siteRules/siteRules.ts';
import { insertEndpoint } from '../../../src/core/webhooks/webhookEndpointQueries.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { axeFaults, sidewaysScroll } from '../../support/axe.ts';
import { openPage, signIn } from './browser.ts';
import { keyboardFaults } from './keyboard.ts';
import { type PagesServer, seedDelivery, seedPicture, seedSet, startPages } from './pagesServer.ts';
import { seedSchedule } from './seedSchedule.ts';

/** How a page is checked. `wide` and `narrow`: with axe, if narrow also with dark colors. `keyboard`: by a walk with Tab. */
export type Look = 'wide' | 'narrow' | 'keyboard';

const LOOKS: readonly Look[] = ['wide', 'narrow', 'keyboard'];

const WIDTHS = [390, 768, 1440];
/** A page of 768 pixels has parts of both layouts. */
export const AXE_WIDTHS = { wide: 1440, narrow: 390 };
/** The kinds of pages with the most components, and the looks of `make test`. */
const RICH: Readonly<Record<string, readonly Look[]>> = {
  '/o/demo/screenshot_sets': LOOKS,
  '/o/demo/screenshot_sets/:id': LOOKS,
  '/o/demo/screenshots/:id': LOOKS,
  '/s/:token': LOOKS,
  // newRequestScript.test.ts looks at the narrow form.
  '/o/demo/new': ['wide', 'keyboard'],
  '/o/demo/schedules/:id': ['wide', 'keyboard'],
  '/o/demo/settings/branding': ['wide', 'keyboard'],
};
/** The same form or question as on the pages of sets, keys and members. */
const REPEATED = /\/(?:ads|campaigns)\/:id\/(?:change|delete)$|\/webhooks\/rotate$/;

/** @param isFirst of its kind. @returns the looks at a page in `make test`. */
export function looksInShort(kind: string, isFirst: boolean): readonly Look[] {
  if (REPEATED.test(kind)) return [];
  return isFirst ? (RICH[kind] ?? ['wide']) : ['wide'];
}

/** @returns the other looks. */
export function looksInLong(kind: string, isFirst: boolean): readonly Look[] {
  return LOOKS.filter((look) => !looksInShort(kind, isFirst).includes(look));
}
const NEWS = 'https://news.example/a/long/address/of/a/page?with=a&query=that-does-not-end-soon';

async function seedEverything(server: PagesServer): Promise<string[]> {
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
  const rule = { host: 'news.example', slots: [{ selector: '#mpu' }], note: 'The best slot' };
  await server.store.db.transaction().execute((tx) => createSiteRule(tx, server.organizationId, rule, OPERATOR));
  const links = await Promise.all([
    shareLink(server, finished.setId, { answers: true, downloads: true }),
    shareLink(server, finished.setId, { password_hash: Buffer.alloc(48) }),
    shareLink(server, finished.setId, { revoked_at: new Date() }),
    shareLink(server, finished.setId, { expires_at: new Date(Date.now() - 60_000) }),
  ]);
  return [...links, `/o/demo/screenshot_sets/${capturing.setId}`];
}

async function shareLink(
  server: PagesServer,
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
async function seedLongTexts(server: PagesServer): Promise<string[]> {
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
  const page_token = await seedPicture(db, server.organizationId, '360x2400');
  const slot = { box: { x: 20, y: 300, width: 320, height: 100 }, size: [320, 100], score: 1, problem: LONG };
  const record = JSON.stringify({ device: 'mobile', candidates: [{ ...slot, element: LONG, reasons: [LONG] }] });
  await db.updateTable('screenshots').set({ page_token, record }).where('status', '=', 'no_slots').execute();
  const [shown = '', failed = ''] = seeded.map(({ adIds }) => adIds[0] ?? '');
  const preview_token = await seedPicture(db, server.organizationId, '728x90');
  const warnings = JSON.stringify([{ code: 'size_assumed', message: 'The size was assumed.' }]);
  const values = { preview_token, warnings, lookup_key: 'key '.repeat(30) };
  await db.updateTable('ads').set(values).where('id', '=', shown).execute();
  const fault = { status: 'generic_error', reason: 'The zip has no index.html.' } as const;
  await db.updateTable('ads').set(fault).where('id', '=', failed).execute();
  return [
    `/o/demo/ads/${shown}`,
    `/o/demo/ads/${failed}`,
    '/o/demo/screenshot_sets?q=none&from=x',
    `/o/demo/new?ad=${shown}&ad=${failed}`,
  ];
}

/** Pages that differ in ids, tokens or their query are of one kind. */
function kindOf({ pathname }: URL): string {
  return pathname
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, ':id')
    .replace(/^\/s\/[^/]+/, '/s/:token')
    .replace(/\/pictures\/[^/]+$/, '/pictures/:token')
    .replace(/(\/deliveries|\/keys)\/[^/]+$/, '$1/:id');
}

const NO_PAGE = /^\/(?:i|assets)\/|\.json$|\/exports?(?:\/[^/]+)?$|\/events$/;

async function linksOf(page: Page, origin: string): Promise<URL[]> {
  const addresses = await page
    .locator('a[href]')
    .evaluateAll((all) => all.map((a) => (a instanceof HTMLAnchorElement ? a.href : '')));
  return addresses
    .map((address) => new URL(address))
    .filter((url) => url.origin === origin && !NO_PAGE.test(url.pathname));
}

/** Only colors change with the scheme. */
async function darkFaults(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const faults = await axeFaults(page, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  return faults.map((fault) => `dark: ${fault}`);
}

/** @returns the faults of the page that is open, with the width or the colors. */
async function faultsOfPage(page: Page, looks: readonly Look[]): Promise<string[]> {
  const faults: string[] = [];
  await page.setViewportSize({ width: AXE_WIDTHS.narrow, height: 900 });
  const folded = await sidewaysScroll(page);
  if (folded !== undefined) faults.push(`folded: ${folded}`);
  // Closed details hide their content from axe.
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    // An open menu and a bar at the bottom cover what is below them: that is no fault of the page.
    for (const over of document.querySelectorAll<HTMLElement>('.menu > ul, .count-bar')) over.style.position = 'static';
  });
  if (looks.includes('keyboard')) faults.push(...(await keyboardFaults(page)));
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await sidewaysScroll(page);
    if (wide !== undefined) faults.push(`${width}: scrolls sideways: ${wide}`);
    const look = width === AXE_WIDTHS.narrow ? 'narrow' : 'wide';
    if (!looks.includes(look) || width !== AXE_WIDTHS[look]) continue;
    faults.push(...(await axeFaults(page)).map((fault) => `${width}: ${fault}`));
    if (look === 'narrow') faults.push(...(await darkFaults(page)));
  }
  return faults;
}

interface Walk {
  readonly origin: string;
  /** Pages that are visited even if another of their kind was. */
  readonly starts: readonly string[];
  readonly looksAt: (kind: string, isFirst: boolean) => readonly Look[];
}

/** Visits the starts, and one page of each other kind that the links lead to. @returns the faults by kind. */
async function crawl(page: Page, { origin, starts, looksAt }: Walk): Promise<Map<string, string[]>> {
  // reference.test.ts checks /docs, which a library draws after the page is loaded.
  const found = new Map<string, string[]>([['/docs', []]]);
  const visited = new Set<string>();
  const waiting = starts.map((path) => new URL(path, origin));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const kind = kindOf(next);
    const path = next.pathname + next.search;
    const isNew = starts.includes(path) ? !visited.has(path) : !found.has(kind);
    if (!isNew) continue;
    visited.add(path);
    await page.goto(next.href);
    waiting.push(...(await linksOf(page, origin)));
    const faults = await faultsOfPage(page, looksAt(kind, !found.has(kind)));
    found.set(kind, [...(found.get(kind) ?? []), ...faults]);
  }
  return found;
}

/** @returns the faults by kind, of all pages that a visitor and a signed-in person can reach. */
export async function faultsOfEveryPage(
  server: PagesServer,
  looksAt: Walk['looksAt'],
): Promise<Readonly<Record<string, string[]>>> {
  const starts = [...(await seedEverything(server)), ...(await seedLongTexts(server))];
  const { page } = await openPage();
  const visitor = ['/', '/o/demo', '/o/demo/billing', '/o/demo/sign-in/none', ...starts.slice(0, 3), '/s/none'];
  const open = await crawl(page, { origin: server.url, starts: visitor, looksAt });
  await signIn(page, server, `${server.url}/o/demo`);
  const member = ['/o/demo', '/o/demo/nothing', ...starts.slice(3)];
  const own = await crawl(page, { origin: server.url, starts: member, looksAt });
  for (const kind of ['/o/demo/screenshot_sets/:id', '/o/demo/ads/:id'])
    if (!own.has(kind)) throw new Error(`No link leads to ${kind}.`);
  return Object.fromEntries([...open, ...own].filter(([, all]) => all.length > 0));
}

/** @returns the faults of the pages with which people sign in. */
export async function faultsOfSignInPages(looks: readonly Look[]): Promise<string[]> {
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
    faults.push(...(await faultsOfPage(page, looks)).map((fault) => `${path}: ${fault}`));
  };
  for (const path of ['/', '/sign-in', '/o/demo', `/invitations/${token}`, '/invitations/none', `/sign-in/${link}`])
    await check(path);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/o\/demo/);
  for (const path of ['/account', '/o/demo/settings/members', `/o/demo/settings/members/${userId}/remove`, '/o/none'])
    await check(path);
  await people.close();
  return faults;
}
