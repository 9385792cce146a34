/** Sizes, places, colors, paper, and the security policy: these need a browser. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { saveBranding } from '../../../src/core/organizations/branding.ts';
import { DEFAULT_BRANDING } from '../../../src/domain/branding.ts';
import { cutBoxes, openPage, preparePagesInBrowser, signIn, visit } from './browser.ts';
import { seedSet } from './pagesServer.ts';

const server = preparePagesInBrowser();

const NEWS = 'https://news.example/front?preview=hush';
const SHOTS = [{ site: NEWS, device: 'desktop' }] as const;
const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;

/** @returns the path of a new link. */
async function linkTo(set_id: string): Promise<string> {
  const row = { id: randomUUID(), organization_id: server.organizationId, set_id, label: 'For Anna' };
  const expires_at = new Date(Date.now() + 3_600_000);
  await server.store.db
    .insertInto('share_links')
    .values({ ...row, expires_at })
    .execute();
  return `/s/${shareToken(server.secret, row.id)}`;
}

it('a picture has its room on the page before it is loaded', async () => {
  const { setId } = await seedSet(server, { status: 'approved', shots: [{ site: NEWS, device: 'desktop' }] });
  const { page } = await openPage();
  await page.route('**/i/**', () => undefined);
  await signIn(page, server, setAddress(setId));
  const box = await page.locator('.shot img').boundingBox();
  expect([box?.width, box?.height].map((side) => Math.round(side ?? 0))).toEqual([320, 200]);
});

it('on a phone, each button at the top of a running set has room for its text', async () => {
  const shots = [{ site: NEWS, device: 'desktop', status: 'pending' }] as const;
  const { setId } = await seedSet(server, { status: 'capturing', shots });
  const { page } = await visit(server, setAddress(setId), { viewport: { width: 390, height: 844 } });
  const buttons = page.locator('#head .actions button');
  expect(await buttons.evaluateAll((all) => all.map((one) => one.scrollWidth > one.clientWidth))).not.toContain(true);
});

it.each([
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
])('the picture and its decision stay in view while a reason is written, on $width x $height', async (viewport) => {
  const { shotIds } = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'mobile' }] });
  const { page } = await visit(server, `${server.url}/o/demo/screenshots/${shotIds[0]}`, { viewport });
  await page.locator('#details').evaluate((column) => column.scrollTo(0, 9_999));
  await page.getByLabel('Reason or note').focus();
  await page.keyboard.type('The edge is cut. '.repeat(9));
  const inView = async (name: string) => {
    const box = await page.locator(name).boundingBox();
    // A phone shows the top of a long picture.
    const end = name.includes('img') && viewport.width < 600 ? 0 : (box?.height ?? 0);
    return box !== null && box.y >= 0 && box.y + end <= viewport.height;
  };
  for (const name of ['.stage img', '[data-key="a"]', '[name="comment"]'])
    expect([name, await inView(name)]).toEqual([name, true]);
  expect(await page.evaluate(() => [scrollY, document.documentElement.scrollWidth])).toEqual([0, viewport.width]);
  expect(await cutBoxes(page)).toEqual([]);
});

it('the writing direction of a name ends with the name', async () => {
  const shots = [{ site: NEWS, device: 'desktop', ad: 'Spring \u202E' }] as const;
  const { shotIds } = await seedSet(server, { shots });
  const { page } = await visit(server, `${server.url}/o/demo/screenshots/${shotIds[0]}`);
  const left = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((each) => each.getBoundingClientRect().x);
  expect(await left('#details dl bdi')).toBeLessThan(await left('#details dl .meta'));
});

it('a browser loads the thumbnails that are as large as the pictures of a set are shown', async () => {
  const shots = (['desktop', 'mobile'] as const).map((device) => ({ site: NEWS, device }));
  const { setId } = await seedSet(server, { status: 'approved', shots });
  const { page, faults } = await visit(server, setAddress(setId));
  await page.evaluate(() =>
    Promise.all([...document.querySelectorAll<HTMLImageElement>('.shot img')].map((image) => image.decode())),
  );
  const files = await page
    .locator('.shot img')
    .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).currentSrc.split('/').at(-1)));
  expect(files).toEqual(['512.webp', '192.webp']);
  expect(faults).toEqual([]);
});

it('the page allows no inline code, no other servers and no embedding in a frame', async () => {
  const { setId } = await seedSet(server, { shots: [{ site: NEWS, device: 'desktop', status: 'pending' }] });
  const { page } = await visit(server, setAddress(setId));
  const response = await page.reload();
  const policy = response?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.body.dataset.injected = "yes"';
    document.body.append(script);
    return document.body.dataset['injected'] ?? 'no';
  });
  expect(ran).toBe('no');
});

it('a message about what was sent leaves by itself', async () => {
  const path = await linkTo((await seedSet(server, { status: 'approved', shots: SHOTS })).setId);
  const { page } = await openPage();
  await page.goto(`${server.url}${path}?notice=answered`);
  const toast = page.getByText('Thank you. Your answer was sent.');
  await toast.evaluate((element) => {
    for (const animation of element.getAnimations()) animation.finish();
  });
  await toast.waitFor({ state: 'hidden' });
});

it('a shared page fits a phone and sends its address to no server', async () => {
  const { setId } = await seedSet(server, {
    status: 'approved',
    campaign: 'A campaign with a rather long name '.repeat(4),
    shots: [0, 1500, 3000].map((markerMs) => ({ site: NEWS, device: 'desktop' as const, markerMs })),
  });
  const path = await linkTo(setId);
  const { page, faults } = await openPage({ viewport: { width: 390, height: 844 } });
  const referers: string[] = [];
  page.on('request', (request) => referers.push(request.headers()['referer'] ?? ''));
  await page.goto(server.url + path);
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  expect(await cutBoxes(page)).toEqual([]);
  expect(referers.filter((referer) => referer.includes('/s/'))).toEqual([]);
  expect(faults).toEqual([]);
});

it('a shared page on paper has no controls and no cut pictures', async () => {
  const at = (markerMs: number) => ({ site: NEWS, device: 'desktop' as const, markerMs });
  const { setId } = await seedSet(server, {
    status: 'approved',
    shots: [at(0), at(1500), at(3000), { site: NEWS, device: 'mobile' }, { site: 'blog.example', device: 'ipad' }],
  });
  const path = await linkTo(setId);
  const { page } = await openPage({ viewport: { width: 794, height: 1123 }, colorScheme: 'dark' });
  await page.goto(server.url + path);
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())));
  expect(await cutBoxes(page)).toEqual([]);
  expect(await page.locator('header.top, .skip, form, button, nav').filter({ visible: true }).count()).toBe(0);
  const breaks = await page
    .locator('figure')
    .evaluateAll((all) => all.map((each) => getComputedStyle(each).breakInside));
  expect(new Set(breaks)).toEqual(new Set(['avoid']));
  expect(await page.locator('h1').evaluate((h1) => getComputedStyle(h1).color)).toBe('rgb(26, 29, 31)');
});

it('the page of a set on paper has no controls and no secret link', async () => {
  const { setId } = await seedSet(server, { status: 'approved', shots: SHOTS });
  await linkTo(setId);
  const { page } = await visit(server, `${server.url}/o/demo/screenshot_sets/${setId}?tab=shared`, {
    viewport: { width: 794, height: 1123 },
  });
  expect(await page.getByLabel('Address of For Anna').isVisible()).toBe(true);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('form, button, input').filter({ visible: true }).count()).toBe(0);
  expect(await cutBoxes(page)).toEqual([]);
});

it('a shared page has the accent color of the organization', async () => {
  const { store, organizationId } = server;
  await saveBranding(store.db, organizationId, { ...DEFAULT_BRANDING, accent_color: '#0a7d5c' });
  const { setId } = await seedSet(server, { status: 'approved', shots: SHOTS });
  const { page } = await openPage();
  await page.goto(server.url + (await linkTo(setId)));
  expect(await page.locator('.top').evaluate((top) => getComputedStyle(top).borderTopColor)).toBe('rgb(10, 125, 92)');
});

it('without scripts, a person sees the slots of a page over its picture, and no button that needs a script', async () => {
  const { shotIds } = await seedSet(server, { status: 'approved', shots: SHOTS });
  const address = `${server.url}/o/demo/screenshots/${shotIds[0]}`;
  const { page } = await visit(server, address, { javaScriptEnabled: false });
  const overlay = page.locator('svg.candidates');
  expect(await overlay.isVisible()).toBe(false);
  await page.locator('label[for="show-slots"]').click();
  await overlay.waitFor();
  expect(await page.getByRole('button', { name: /Actual pixels|Pin to the picture/ }).count()).toBe(0);
});
