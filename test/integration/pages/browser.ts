import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright';
import { afterAll, expect } from 'vitest';
import { findChromium } from '../../../src/capture/browser/chromium.ts';
import type { PagesOptions } from '../../../src/pages/pages.ts';
import { eventually } from '../../support/eventually.ts';
import type { PagesServer } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { sessionOf } from './reading.ts';

let browser: Promise<Browser> | undefined;

export async function closeBrowser(): Promise<void> {
  const started = browser;
  browser = undefined;
  await (await started)?.close();
}

/** As {@link preparePages}, for a file whose tests start the browser. Few files do: most pages are read without one, see reading.ts. */
export function preparePagesInBrowser(more: Partial<PagesOptions> = {}): PagesServer {
  const server = preparePages(more);
  afterAll(closeBrowser);
  return server;
}

/** A page in a context of its own, and everything on it that should not have happened. The first one starts the browser. */
export async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  browser ??= chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium ends requests when any network interface of the machine appears or disappears.
    if (message.text().includes('net::ERR_NETWORK_CHANGED')) return;
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch((error: unknown) => faults.push(String(error)));
  });
  return { page, faults };
}

/** Opens an address of an organization in a context of its own, signed in. */
export async function visit(
  server: Pick<PagesServer, 'url' | 'apiKey'>,
  address: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const opened = await openPage(options);
  await signIn(opened.page, server, address);
  return opened;
}

/** Signs in as the form does, without showing it, and opens an address of an organization. */
export async function signIn(page: Page, server: Pick<PagesServer, 'url' | 'apiKey'>, address: string): Promise<void> {
  const { hostname } = new URL(server.url);
  await page.context().addCookies([{ ...(await sessionOf(server, address)), domain: hostname }]);
  await opened(page, () => page.goto(address, { waitUntil: 'commit' }));
  await page.locator('summary[aria-label="Account"]').waitFor();
}

/** Clicks a link or a button that opens a page, and waits until that page is complete and its scripts have run. */
export function follow(link: Locator): Promise<void> {
  return opened(link.page(), () => link.click());
}

/** Does what opens a page, and waits until that page is complete and its scripts have run. */
export async function opened(page: Page, action: () => Promise<unknown>): Promise<void> {
  const parsed = page.waitForEvent('domcontentloaded');
  await Promise.all([parsed, action()]);
  // A page without scripts does not wait for its style sheets.
  await eventually(async () => expect(await unstyled(page)).toEqual([]));
}

/** @returns the style sheets of the page that have not loaded yet. */
function unstyled(page: Page): Promise<string[]> {
  return page
    .locator('link[rel=stylesheet]')
    .evaluateAll((links) => links.flatMap((link) => ('sheet' in link && link.sheet !== null ? [] : link.outerHTML)));
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
