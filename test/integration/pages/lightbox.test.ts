import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { visit } from './browser.ts';
import { type SeededShot, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';

const server = preparePages();

const NEWS = 'https://news.example/front';
const at = (markerMs: number): SeededShot => ({ site: 'https://film.example/', device: 'desktop', markerMs });
const SHOTS: readonly SeededShot[] = [
  { site: NEWS, device: 'desktop' },
  { site: NEWS, device: 'mobile' },
  ...[0, 1500, 3000].map(at),
];

async function openSet(viewport = { width: 1280, height: 900 }) {
  const seeded = await seedSet(server, { status: 'in_review', shots: SHOTS });
  const { page, faults } = await visit(server, `${server.url}/o/demo/screenshot_sets/${seeded.setId}`, { viewport });
  return { ...seeded, page, faults };
}

const title = (page: Page) => page.locator('.lightbox .title').textContent();
const sizeOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).boundingBox();
  return [Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)];
};
/** A dialog reports its end in a task of its own, after it is hidden. Then the script moves the focus. */
const expectFocusIn = (page: Page, id: string | undefined) =>
  eventually(async () =>
    expect(await page.evaluate(() => document.activeElement?.closest('figure')?.id)).toBe(`screenshot-${id}`),
  );
const expectTyping = (page: Page) =>
  eventually(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA'));
const decisionOf = async (id: string | undefined) => {
  const row = server.store.db
    .selectFrom('screenshots')
    .select('decision')
    .where('id', '=', id ?? '');
  return (await row.executeTakeFirstOrThrow()).decision;
};

describe('the lightbox', () => {
  it('arrow keys go through the pictures, and Escape returns to the small picture', async () => {
    const { page, shotIds, faults } = await openSet();
    await page.locator('a[data-picture]').first().focus();
    await page.keyboard.press('Enter');
    expect(await title(page)).toBe('news.example, desktop, Summer sale 300×250 (1 of 5)');
    expect(await page.locator('.lightbox .first img').getAttribute('src')).toMatch(/^\/i\/1440x900-.*\.png$/);
    await page.keyboard.press('ArrowRight');
    expect(await title(page)).toContain('news.example, mobile');
    await page.keyboard.press('Escape');
    expect(await page.locator('.lightbox').isVisible()).toBe(false);
    await expectFocusIn(page, shotIds[1]);
    expect(faults).toEqual([]);
  });

  it('a picture fits the window, and shows its own pixels on request', async () => {
    const { page } = await openSet();
    await page.locator('a[data-picture]').first().click();
    const [width = 0, height = 0] = await sizeOf(page, '.lightbox .first');
    expect(width / height).toBeCloseTo(1.6, 1);
    expect(width).toBeLessThan(1280);
    await page.keyboard.press('z');
    expect(await sizeOf(page, '.lightbox .first')).toEqual([1440, 900]);
    expect(await page.getByRole('button', { name: 'Real pixels' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('two pictures are compared side by side, and as an overlay with a slider', async () => {
    const { page } = await openSet();
    await page.locator('a[data-picture]').first().click();
    await page.keyboard.press('v');
    const left = async (selector: string) => (await page.locator(selector).boundingBox())?.x ?? 0;
    expect(await left('.lightbox .second')).toBeGreaterThan((await left('.lightbox .first')) + 100);
    expect(await page.locator('.lightbox .second img').getAttribute('src')).toContain('1080x2400');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('.lightbox .second img').getAttribute('src')).toContain('1440x900');
    await page.keyboard.press('o');
    expect(await left('.lightbox .second')).toBe(await left('.lightbox .first'));
    await page.getByLabel('Overlay').fill('30');
    expect(await page.locator('.lightbox .second').evaluate((box) => box.style.clipPath)).toBe(
      'inset(0px 0px 0px 30%)',
    );
    await page.keyboard.press('Escape');
  });

  it('a scrubber shows the markers of one placement', async () => {
    const { page } = await openSet();
    await page.locator('a[data-picture]').first().click();
    expect(await page.getByLabel('Marker').isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await page.locator('.film a[data-picture]').first().click();
    await page.getByLabel('Marker').fill('2');
    expect(await page.locator('.lightbox output').textContent()).toBe('3.0 s');
    expect(await title(page)).toContain('3.0 s');
  });

  it('after each review by keyboard, the next picture is shown', async () => {
    const { page, shotIds, faults } = await openSet();
    await page.locator('a[data-picture]').first().click();
    await page.locator('.lightbox .decide').waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('Looks right.');
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.getByText('(2 of 5)').waitFor();
    expect(await decisionOf(shotIds[0])).toBe('approved');
    await page.locator('.lightbox aside:not([aria-busy])').waitFor();
    await page.keyboard.press('r');
    await page.keyboard.press('Enter');
    await page.getByText('(3 of 5)').waitFor();
    expect(await decisionOf(shotIds[1])).toBe('rejected');
    await page.keyboard.press('Escape');
    expect(await page.locator('.shot .decision .state').allTextContents()).toEqual(['approved', 'rejected']);
    await page.reload();
    const first = page.locator(`#screenshot-${shotIds[0]}`);
    expect(await first.locator('.decision').textContent()).toBe('approved Looks right.');
    expect(faults).toEqual([]);
  });

  it('a decision is stored on the picture that is shown, however late its details arrive', async () => {
    const { page, shotIds } = await openSet();
    await page.locator('a[data-picture]').first().click();
    await page.locator('.lightbox .decide').waitFor();
    const gate = Promise.withResolvers<void>();
    await page.route(/\/screenshots\//, async (route) => {
      if (route.request().method() === 'GET') await gate.promise;
      await route.continue();
    });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('a');
    expect(await page.locator('.lightbox .decide').count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('r');
    await page.keyboard.type('au');
    gate.resolve();
    await expectTyping(page);
    await page.keyboard.press('Enter');
    await page.getByText('(4 of 5)').waitFor();
    expect(await Promise.all(shotIds.map(decisionOf))).toEqual([null, null, 'rejected', null, null]);
  });

  it('R asks for a reason, whose letters are no keys', async () => {
    const { page, shotIds } = await openSet();
    await page.locator('a[data-picture]').first().click();
    await page.locator('.lightbox .decide').waitFor();
    await page.keyboard.press('r');
    expect(await decisionOf(shotIds[0])).toBeNull();
    await page.keyboard.type('a rude colour');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.keyboard.press('Enter');
    await page.getByText('(2 of 5)').waitFor();
    expect(await decisionOf(shotIds[0])).toBe('rejected');
    await page.keyboard.press('Escape');
    expect(await page.locator(`#screenshot-${shotIds[0]} .state`).textContent()).toBe('rejected');
    await page.reload();
    expect(await page.locator(`#screenshot-${shotIds[0]} .decision`).textContent()).toBe('rejected a rude colour');
    await page.locator('a[data-picture]').nth(1).focus();
    await page.keyboard.press('r');
    await expectTyping(page);
    expect(await decisionOf(shotIds[1])).toBeNull();
  });

  it('the keys work after a decision by mouse', async () => {
    const { page, shotIds } = await openSet();
    await page.locator('a[data-picture]').first().click();
    await page.locator('.lightbox').getByRole('button', { name: 'Approve A' }).click();
    await page.getByText('(2 of 5)').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('(3 of 5)').waitFor();
    expect(await decisionOf(shotIds[0])).toBe('approved');
  });

  it('a person reviews a picture and the set without opening the lightbox', async () => {
    const { page, shotIds } = await openSet();
    await page.locator('a[data-picture]').first().focus();
    await page.keyboard.press('a');
    await page.locator(`#screenshot-${shotIds[0]} .state.approved`).waitFor();
    await expectFocusIn(page, shotIds[1]);
    await page.keyboard.press('Shift+R');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Reject');
  });

  it('the lightbox shows why the slot was chosen', async () => {
    const { page } = await openSet();
    await page.locator('a[data-picture]').first().click();
    await page.locator('.lightbox .slots').waitFor();
    expect(await page.locator('.lightbox .stage svg').isVisible()).toBe(false);
    await page.keyboard.press('e');
    expect(await page.locator('.lightbox .stage svg').isVisible()).toBe(true);
    expect(await page.locator('.lightbox .stage svg .chosen text').textContent()).toBe('1: 300×250, 92.5');
  });

  it('the lightbox fits a phone', async () => {
    const { page, faults } = await openSet({ width: 390, height: 844 });
    await page.locator('a[data-picture]').first().click();
    await page.locator('.lightbox .decide').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const [width = 0] = await sizeOf(page, '.lightbox .first');
    expect(width).toBeGreaterThan(330);
    expect(width).toBeLessThanOrEqual(390);
    expect(faults).toEqual([]);
  });
});
