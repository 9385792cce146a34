import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { captureGallery } from '../../../examples/gallery/capture.ts';
import { galleryPage } from '../../../examples/gallery/galleryPage.ts';
import { openMaterials } from '../../../examples/gallery/materials.ts';
import { takeWholePages } from '../../../examples/gallery/wholePages.ts';
import { findChromium } from '../../../src/capture/browser/chromium.ts';
import { findDevice } from '../../../src/domain/devices.ts';
import { required } from '../../support/required.ts';
import { TEST_LOG } from '../../support/testLog.ts';

const chromiumPath = findChromium(process.env['CHROMIUM_PATH']);
let out: string;

beforeAll(async () => {
  out = await mkdtemp(path.join(tmpdir(), 'tearsheet-gallery-'));
});

afterAll(() => rm(out, { recursive: true, force: true }));

/** The gallery's page of one fixture creative on two fixture pages. */
async function galleryOfTwo(): Promise<string> {
  const materials = await openMaterials({ creatives: ['fixtures'], pages: ['fixtures'] });
  try {
    const options = {
      chromiumPath,
      devices: [required(findDevice('desktop'))],
      limit: 2,
      out,
      allow: ['127.0.0.0/8'],
      log: TEST_LOG,
      signal: new AbortController().signal,
      progress: () => undefined,
    };
    const creatives = materials.creatives.filter(({ name }) => name === 'jpeg-marlow');
    const pages = materials.pages.filter(({ name }) => name === 'blog' || name === 'noSlots');
    const gallery = await captureGallery({ creatives, pages }, options);
    return galleryPage(gallery, await takeWholePages(gallery.plan, options), 'test');
  } finally {
    await materials.close();
  }
}

test('the gallery has a card for each picture, with boxes or a reason, and keeps marks', async () => {
  const html = await galleryOfTwo();
  const browser = await chromium.launch({ executablePath: chromiumPath, chromiumSandbox: false });
  try {
    const page = await browser.newPage();
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.goto('http://gallery.localhost/');
    expect(await page.locator('.card').count()).toBe(2);
    expect(await page.locator('[data-status=uploaded] .picture rect').count()).toBeGreaterThan(0);
    expect(await page.locator('[data-status=uploaded] .picture .chosen text').count()).toBe(1);
    expect(await page.locator('[data-status=uploaded] .whole rect').count()).toBeGreaterThan(0);
    expect(await page.locator('[data-status=no_slots] .reason').textContent()).toContain('no ad slot');
    await page.keyboard.press('y');
    await page.keyboard.press('n');
    await page.reload();
    expect(await page.locator('output').textContent()).toContain('1 good, 1 returned');
    await page.locator('select[name=status]').selectOption('no_slots');
    expect(await page.locator('.card:visible').count()).toBe(1);
  } finally {
    await browser.close();
  }
});
