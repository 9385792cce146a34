import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page, Response } from 'playwright';
import { describe, expect, it } from 'vitest';
import { drawThumbnail } from '../../../src/api/thumbnails/drawThumbnail.ts';
import { QUALITY } from '../../../src/api/thumbnails/thumbnails.ts';
import { openPage, preparePagesInBrowser, signIn, visit } from './browser.ts';
import { type Seeded, seedSet } from './pagesServer.ts';

const server = preparePagesInBrowser();

const setAddress = (id: string) => `${server.url}/o/demo/screenshot_sets/${id}`;
const PICTURE_OF_A_PAGE = readFileSync(path.join(import.meta.dirname, '../../../docs/images/news-desktop.png'));

const drawn = new Map<number, Promise<Buffer>>();

function thumbnailOf(width: number): Promise<Buffer> {
  const part = { width: 1100, height: 688, top: 0 };
  const file = drawn.get(width) ?? drawThumbnail({ png: PICTURE_OF_A_PAGE, width, part, quality: QUALITY.small });
  drawn.set(width, file);
  return file;
}

/** Loads a page with all its thumbnails, which show a picture of a real page. @returns the bytes of all its files. */
async function weigh(page: Page, address: string): Promise<{ bytes: number; pictures: number }> {
  await page.route('**/i/*/*.webp', async (route) => {
    const width = Number(/(\d+)\.webp$/.exec(route.request().url())?.[1]);
    const body = await thumbnailOf(width);
    const headers = { 'content-length': String(body.length) };
    await route.fulfill({ body, contentType: 'image/webp', headers });
  });
  const weights = new Map<string, number>();
  const note = (response: Response) =>
    void weights.set(response.url(), Number(response.headers()['content-length'] ?? 0));
  // The page before may be reading its changes.
  await page.goto('about:blank');
  page.on('response', note);
  await page.goto(address);
  await page.evaluate(() => {
    for (const image of document.images) image.loading = 'eager';
    return Promise.all([...document.images].map((image) => image.decode()));
  });
  page.off('response', note);
  await page.unroute('**/i/*/*.webp');
  const pictures = [...weights.keys()].filter((url) => url.endsWith('.webp')).length;
  const bytes = [...weights.values()].reduce((sum, weight) => sum + weight);
  return { bytes, pictures };
}

const shots = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ site: `https://news-${i}.example/`, device: 'desktop' as const }));

/** The sum of all layout shifts of the page so far. */
function layoutShift(page: Page): Promise<number> {
  return page.evaluate(() => {
    const shifts = new PerformanceObserver(() => undefined);
    shifts.observe({ type: 'layout-shift', buffered: true });
    return shifts.takeRecords().reduce((sum, entry) => sum + ('value' in entry ? Number(entry.value) : 0), 0);
  });
}

/** A set of 60 pictures, and after it a page of the list. */
async function seedSets(): Promise<Seeded> {
  const large = await seedSet(server, { status: 'approved', shots: shots(60) });
  for (let i = 0; i < 25; i += 1) await seedSet(server, { status: 'approved', shots: shots(4) });
  return large;
}

describe('the weight of the pages', () => {
  // Screens with fewer pixels load smaller files.
  it('on a screen with twice the pixels, a set of 60 pictures weighs less than 1 MB, and a list of 25 sets less than 500 KB', async () => {
    const { setId } = await seedSets();
    const { page } = await visit(server, `${server.url}/o/demo/help`, { deviceScaleFactor: 2 });
    const set = await weigh(page, setAddress(setId));
    const list = await weigh(page, `${server.url}/o/demo/screenshot_sets`);
    expect(set.pictures).toBe(60);
    expect(set.bytes).toBeGreaterThan(300_000);
    expect(set.bytes).toBeLessThan(1_000_000);
    expect(list.pictures).toBe(75);
    expect(list.bytes).toBeGreaterThan(100_000);
    expect(list.bytes).toBeLessThan(500_000);
  });

  it.each([
    [1440, 'whole-1440.webp'],
    [390, 'whole-720.webp'],
  ])(
    'a page of one picture on a screen of %i pixels loads %s, and the original for real pixels',
    async (width, file) => {
      const { shotIds } = await seedSet(server, { status: 'approved', shots: shots(1) });
      const address = `${server.url}/o/demo/screenshots/${shotIds[0]}`;
      const { page } = await openPage({ viewport: { width, height: 800 } });
      const loaded: string[] = [];
      page.on('request', (request) => void loaded.push(request.url().replace(/.*\/i\/[^/.]+\/?/, '')));
      await signIn(page, server, address);
      await page.waitForLoadState('networkidle');
      expect(loaded.filter((name) => /^(whole.*|\.png)$/.test(name))).toEqual([file]);
      await page.locator('[data-zoom]').click();
      await page.waitForLoadState('networkidle');
      expect(loaded.at(-1)).toBe('.png');
      expect(await page.locator('.stage img').evaluate((image) => image.getBoundingClientRect().width)).toBe(1440);
    },
  );

  it('a set of 60 pictures moves nothing while its pictures arrive, and loads those below the screen later', async () => {
    const { setId } = await seedSet(server, { status: 'approved', shots: shots(60) });
    const { page } = await openPage();
    const asked = new Set<string>();
    page.on('request', (request) => request.url().endsWith('.webp') && asked.add(request.url()));
    await signIn(page, server, setAddress(setId));
    await page.waitForLoadState('networkidle');
    expect(asked.size).toBeLessThan(60);
    await page.mouse.wheel(0, 20_000);
    await page
      .locator('.shot img')
      .last()
      .evaluate((image) => (image as HTMLImageElement).decode());
    expect(await layoutShift(page)).toBeLessThan(0.05);
  });
});
