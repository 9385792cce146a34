/** A review in a browser: decisions without a reload, keys, and pins. */
import type { Page } from 'playwright';
import { expect, it } from 'vitest';
import { createKey } from '../../support/keys.ts';
import { required } from '../../support/required.ts';
import { follow, opened, openPage, preparePagesInBrowser, signIn, visit } from './browser.ts';
import { seedSet } from './pagesServer.ts';
import { RequestForm } from './requestForm.ts';

const server = preparePagesInBrowser();

const NEWS = 'https://news.example/front';
const SHOTS = (['desktop', 'mobile', 'ipad'] as const).map((device) => ({ site: NEWS, device }));
const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const pictureAddress = (id: string | undefined) => `${server.url}/o/demo/screenshots/${id}`;
const seedPictures = () => seedSet(server, { status: 'approved', shots: SHOTS });

const focusedField = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('name'));

async function decisions(setId: string): Promise<(string | null)[]> {
  const of = server.store.db.selectFrom('screenshots').select('decision').where('set_id', '=', setId).orderBy('seq');
  return (await of.execute()).map(({ decision }) => decision);
}

it('a decision stays on the page although a read that began before it ends after it', async () => {
  const { setId } = await seedSet(server, { status: 'in_review', shots: [{ site: NEWS, device: 'desktop' }] });
  const { page } = await openPage();
  const [began, decided, readAgain] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  let reads = 0;
  await page.route(setAddress(setId), async (route) => {
    if (route.request().resourceType() !== 'fetch' || route.request().headers()['accept'] !== 'text/html')
      return route.fallback();
    reads += 1;
    if (reads > 1) return readAgain?.resolve();
    const response = await route.fetch();
    began?.resolve();
    await decided?.promise;
    return route.fulfill({ response });
  });
  await signIn(page, server, setAddress(setId));
  await began?.promise;
  await page.getByRole('button', { name: 'Approve news.example, Desktop' }).click();
  await page.locator('.toast').waitFor();
  decided?.resolve();
  await readAgain?.promise;
  expect(await page.locator('.so-far').textContent()).toContain('1 of 1');
});

it('a person decides in the grid in place, and all counts follow, also after Undo', async () => {
  const { setId } = await seedSet(server, { status: 'in_review', shots: SHOTS });
  const { page, faults } = await visit(server, setAddress(setId));
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  const counts = async () => [
    await page.locator('.so-far').textContent(),
    await page.locator('#sections').textContent(),
  ];
  await page.getByRole('button', { name: 'Approve news.example, Android phone' }).click();
  const toast = page.locator('.toast');
  await toast.getByText('1 picture is approved.').waitFor();
  expect(await counts()).toEqual([expect.stringContaining('1 of 3'), expect.stringContaining('To review 2Approved 1')]);
  expect(await page.locator('.shot.approved .badge').allTextContents()).toEqual(['Approved']);
  expect(await page.locator('#finish').textContent()).toContain('2 of them have no decision');
  expect(await page.locator('#share-hint').textContent()).toContain('1 of 3 pictures is approved');
  await toast.getByRole('button', { name: 'Undo' }).click();
  await toast.waitFor({ state: 'detached' });
  expect(await counts()).toEqual([expect.stringContaining('0 of 3'), expect.stringContaining('To review 3Approved 0')]);
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  expect(faults).toEqual([]);
});

it('keys of the page approve, show the slots and open the next picture', async () => {
  const { shotIds } = await seedPictures();
  const { page, faults } = await visit(server, pictureAddress(shotIds[0]));
  await page.keyboard.press('e');
  await page.locator('svg.candidates').waitFor();
  await opened(page, () => page.keyboard.press('a'));
  expect(page.url()).toContain(pictureAddress(shotIds[1]));
  await opened(page, () => page.keyboard.press('ArrowLeft'));
  expect(await page.locator('.picture-head .badge').textContent()).toBe('Approved');
  expect(faults).toEqual([]);
});

it('keys of the page show the picture at its own size, lead to the note, and reject with a reason', async () => {
  const { shotIds } = await seedPictures();
  const { page, faults } = await visit(server, pictureAddress(shotIds[0]));
  const stage = page.locator('.stage');
  await page.keyboard.press('z');
  expect(await stage.getAttribute('class')).toContain('zoomed');
  await page.keyboard.press('z');
  expect(await stage.getAttribute('class')).not.toContain('zoomed');
  await page.keyboard.press('c');
  expect(await focusedField(page)).toBe('comment');
  await page.keyboard.press('Escape');
  await page.keyboard.press('r');
  expect(await focusedField(page)).toBe('comment');
  await page.keyboard.type('Wrong creative');
  await opened(page, () => page.keyboard.press('Enter'));
  expect(page.url()).toContain(`${pictureAddress(shotIds[1])}?done=rejected-1`);
  await page.goto(pictureAddress(shotIds[0]));
  expect(await page.getByLabel('Reason or note').inputValue()).toBe('Wrong creative');
  expect(faults).toEqual([]);
});

it('a reviewer who writes a reason sees the decision of another one at once, and is asked once', async () => {
  const { setId, shotIds } = await seedPictures();
  const viewport = { width: 1280, height: 600 };
  const { page, faults } = await visit(server, pictureAddress(shotIds[0]), { viewport });
  await page.keyboard.press('r');
  await page.keyboard.type('Wrong');
  const column = page.locator('#details');
  await column.evaluate((element) => element.scrollTo(0, 40));
  const place = async () => Math.round((await page.getByLabel('Reason or note').boundingBox())?.y ?? 0);
  const before = await place();
  const key = (await createKey(server.store.db, 'demo', { name: 'Anna' })).api_key;
  const { page: other } = await visit({ ...server, apiKey: key }, pictureAddress(shotIds[0]));
  await opened(other, () => other.keyboard.press('a'));
  const stored = performance.now();
  await page.locator('#verdict').getByText('by Anna').waitFor();
  expect(performance.now() - stored).toBeLessThan(2_000);
  await page.locator('#head .badge.approved').waitFor();
  expect(await focusedField(page)).toBe('comment');
  expect([await column.evaluate((element) => element.scrollTop), await place()]).toEqual([40, before]);
  await page.keyboard.type(' page');
  expect(await page.getByLabel('Reason or note').inputValue()).toBe('Wrong page');
  await opened(page, () => page.keyboard.press('Enter'));
  expect(await page.locator('.shot').textContent()).toContain('Approved by Anna');
  await follow(page.getByRole('button', { name: 'Reject it anyway' }));
  expect(page.url()).toContain(`${pictureAddress(shotIds[1])}?done=rejected-1`);
  expect(await decisions(setId)).toEqual(['rejected', null, null]);
  // Asking answers 409, which Chromium reports.
  expect(faults.filter((fault) => !fault.includes('409'))).toEqual([]);
});

it('a new pin of another reviewer leaves the picture at the size and place that a reviewer looks at', async () => {
  const { shotIds } = await seedPictures();
  const { page } = await visit(server, pictureAddress(shotIds[1]));
  await page.keyboard.press('z');
  const pane = page.locator('.pane');
  await pane.evaluate((element) => element.scrollTo(0, 500));
  const anna = await RequestForm.open(server);
  await anna.postTo(`/o/demo/screenshots/${shotIds[1]}/comments`, { body: 'Cut', pin: '0.5,0.5' });
  await page.locator('.pins a').waitFor();
  expect(await page.locator('.stage').getAttribute('class')).toContain('zoomed');
  expect(await pane.evaluate((element) => element.scrollTop)).toBe(500);
});

it('a click on the picture sets the pin of a new comment', async () => {
  const { shotIds } = await seedPictures();
  const { page, faults } = await visit(server, pictureAddress(shotIds[0]));
  await page.getByRole('button', { name: 'Pin to the picture' }).click();
  const image = page.locator('.stage img');
  const { width, height } = required((await image.boundingBox()) ?? undefined);
  await image.click({ position: { x: width / 4, y: height / 2 } });
  expect(await focusedField(page)).toBe('body');
  await page.keyboard.type('The edge is cut');
  await opened(page, () => page.getByRole('button', { name: 'Comment' }).click());
  const pin = page.locator('.pins circle');
  const [x, y] = await Promise.all(['cx', 'cy'].map(async (name) => Number(await pin.getAttribute(name))));
  expect(x).toBeCloseTo(1440 / 4, -1);
  expect(y).toBeCloseTo(900 / 2, -1);
  expect(faults).toEqual([]);
});

it('a button for a group leaves out what others decided, also if the page shows it already', async () => {
  const { setId, shotIds } = await seedSet(server, { status: 'in_review', shots: SHOTS });
  const { page } = await visit(server, setAddress(setId));
  const anna = await RequestForm.open(server, (await createKey(server.store.db, 'demo')).api_key);
  await anna.postTo(`/o/demo/screenshots/${shotIds[1]}/review`, { decision: 'rejected', comment: 'Wrong logo' });
  await page.locator(`#screenshot-${shotIds[1]} .badge.rejected`).waitFor();
  await opened(page, () => page.getByRole('button', { name: 'Approve all of news.example' }).click());
  expect(await page.locator('.shot').count()).toBe(1);
  expect(await decisions(setId)).toEqual([null, 'rejected', null]);
  await follow(page.getByRole('button', { name: 'Approve the other 2' }));
  expect(page.url()).toContain('done=approved-2');
  expect(await decisions(setId)).toEqual(['approved', 'rejected', 'approved']);
});

it('the buttons for a selection appear with it, and say how many pictures it has', async () => {
  const { setId } = await seedSet(server, { status: 'in_review', shots: SHOTS });
  const { page, faults } = await visit(server, setAddress(setId));
  expect(await page.locator('.selection').isVisible()).toBe(false);
  await page.getByLabel('Select news.example, Android phone').check();
  await page.getByLabel('Select news.example, iPad').check();
  expect(await page.locator('[data-selected]').textContent()).toBe('2 selected:');
  await page.locator('.selection').getByRole('button', { name: 'Reject' }).click();
  await page.locator('.toast').getByText('2 pictures are rejected.').waitFor();
  expect(await decisions(setId)).toEqual([null, 'rejected', 'rejected']);
  await page.getByLabel('Select news.example, Desktop').check();
  await follow(page.locator('.selection').getByRole('button', { name: 'Share' }));
  expect(await page.locator('h1').textContent()).toBe('Share 1 picture');
  expect(faults).toEqual([]);
});
