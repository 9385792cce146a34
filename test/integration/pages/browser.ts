import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { findChromium } from '../../../src/capture/browser/chromium.ts';
import type { PagesServer } from './pagesServer.ts';

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
}

/** A page in a context of its own, and everything on it that should not have happened. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch((error: unknown) => faults.push(String(error)));
  });
  return { page, faults };
}

/** Opens an address and signs in on the way. */
export async function signIn(page: Page, { apiKey }: PagesServer, address: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  // By then, style sheets and scripts have loaded.
  await page.waitForLoadState('domcontentloaded');
}

/** @returns the elements whose content is wider than they are, or that leave the window at its side. */
export async function cutBoxes(page: Page): Promise<string[]> {
  return page.locator('main *').evaluateAll((elements) =>
    elements
      .filter((element) => {
        const box = element.getBoundingClientRect();
        const isCut =
          element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible';
        return box.width > 0 && (isCut || box.right > document.documentElement.clientWidth + 1 || box.left < -1);
      })
      .map((element) => `${element.tagName} ${element.className}`),
  );
}
