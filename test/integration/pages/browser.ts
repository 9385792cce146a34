import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright';
import { expect } from 'vitest';
import { findChromium } from '../../../src/capture/browser/chromium.ts';
import { eventually } from '../../support/eventually.ts';
import type { PagesServer } from './pagesServer.ts';

let browser: Promise<Browser> | undefined;
let reader: Promise<Page> | undefined;
/** The address of the HTML that {@link reader} shows, and the cookie of its session. */
let shown = { address: '', cookie: '' };

export async function closeBrowser(): Promise<void> {
  const started = browser;
  [browser, reader] = [undefined, undefined];
  await (await started)?.close();
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

/**
 * Opens the HTML of an address of an organization, without its scripts, styles and images, which takes a tenth of the time of
 * {@link visit}. The next call replaces the page. For tests of what a page says, and of its forms with {@link proceed}.
 */
export async function read(server: Pick<PagesServer, 'url' | 'apiKey'>, address: string): Promise<Page> {
  reader ??= openReader();
  const { pathname, search } = new URL(address);
  const { name, value } = await cookieOf(server, address);
  shown = { address: '', cookie: `${name}=${value}` };
  expect((await showHtml(`${server.url}${pathname}${search}`)).status).toBe(200);
  return reader;
}

/**
 * Follows a link on the page of {@link read}, or sends the form of a button as a browser without scripts does.
 * @returns the address and the status of the answer, which the page shows.
 */
export async function proceed(control: Locator): Promise<{ url: string; status: number }> {
  const { address, isPost, fields } = await control.evaluate(requestOf);
  const url = new URL(address, shown.address);
  const body = new URLSearchParams(fields);
  if (!isPost && fields.length > 0) url.search = String(body);
  return showHtml(url.href, isPost ? { method: 'POST', body } : {});
}

/** Runs in the browser. @returns what a browser asks for when a person clicks the link or the button. */
function requestOf(control: Element): { address: string; isPost: boolean; fields: string[][] } {
  if (!control.checkVisibility()) throw new Error('The control is hidden.');
  if (control instanceof HTMLAnchorElement)
    return { address: control.getAttribute('href') ?? '', isPost: false, fields: [] };
  if (!(control instanceof HTMLButtonElement) || control.form === null || control.disabled)
    throw new Error('The control sends no form.');
  const { form } = control;
  if (!form.noValidate && !control.formNoValidate && !form.checkValidity()) throw new Error('A field is not valid.');
  return {
    address: control.getAttribute('formaction') ?? form.getAttribute('action') ?? '',
    isPost: (control.getAttribute('formmethod') ?? form.getAttribute('method')) === 'post',
    fields: [...new FormData(form, control)].map(([name, value]) => [name, String(value).replace(/\r?\n/g, '\r\n')]),
  };
}

async function showHtml(address: string, init: RequestInit = {}): Promise<{ url: string; status: number }> {
  const headers = { cookie: shown.cookie, ...(shown.address !== '' && { referer: shown.address }) };
  const response = await fetch(address, { ...init, headers });
  const { url, status } = response;
  await (await reader)?.setContent(await response.text());
  shown = { ...shown, address: url };
  return { url, status };
}

async function openReader(): Promise<Page> {
  const { page } = await openPage({ javaScriptEnabled: false });
  await page.route('**/*', (route) => route.abort());
  return page;
}

/** Signs in as the form does, without showing it, and opens an address of an organization. */
export async function signIn(page: Page, server: Pick<PagesServer, 'url' | 'apiKey'>, address: string): Promise<void> {
  const { hostname } = new URL(server.url);
  await page.context().addCookies([{ ...(await cookieOf(server, address)), domain: hostname }]);
  await opened(page, () => page.goto(address, { waitUntil: 'commit' }));
  await page.locator('summary[aria-label="Account"]').waitFor();
}

async function cookieOf(server: Pick<PagesServer, 'url' | 'apiKey'>, address: string) {
  const path = /^\/o\/[^/]+/.exec(new URL(address).pathname)?.[0] ?? '';
  const response = await fetch(`${server.url}${path}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ key: server.apiKey, next: path }),
    redirect: 'manual',
  });
  const cookie = response.headers.getSetCookie().find((one) => one.startsWith('tearsheet_session='));
  return { name: 'tearsheet_session', value: /=([^;]+)/.exec(cookie ?? '')?.[1] ?? '', path };
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
