import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import type { Device } from '../../domain/devices.ts';
import type { EgressFailure } from '../../egress/failures.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import { disabledFeaturesFlag, networkFlags } from '../browser/flags.ts';
import type { Burden } from '../memory/watchdog.ts';
import { openDeviceContext } from './deviceContext.ts';
import { isLate } from './late.ts';
import type { ClosedPage, OpenPage, PageOpener } from './page.ts';
import { guardPlaywrightDispatch } from './playwrightDispatchGuard.ts';
import { Visit, type VisitOptions } from './visit.ts';

export interface PageOpenerOptions {
  readonly chromiumPath: string;
  /** The way out; without one the browser reaches the network itself. */
  readonly proxyUrl?: string;
  /** The browser's own sandbox; off unless given. */
  readonly sandbox?: boolean;
  /** What the proxy did not connect to, oldest first: says why an https site could not be reached. */
  readonly egressFailures?: () => readonly EgressFailure[];
  /** Until a page's document is there. */
  readonly navigationTimeoutMs?: number;
  /** For consent, scrolling and waiting together. */
  readonly settleCapMs?: number;
  readonly log?: Log;
}

/** Starts the browser that opens sites. @throws when it does not start. */
export async function startPageOpener(options: PageOpenerOptions): Promise<PageOpener> {
  const opener = new ChromiumOpener(options);
  await opener.start();
  return opener;
}

class ChromiumOpener implements PageOpener {
  readonly #options: PageOpenerOptions;
  #browser: Promise<Browser> | undefined;
  #closed = false;
  #group: number | undefined;
  browserVersion = '';

  constructor(options: PageOpenerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.browserVersion = (await this.#running()).version();
  }

  async open(
    site: string,
    device: Device,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<OpenPage | ClosedPage> {
    const browser = await this.#running();
    const outcome = await unlessGone(browser, this.#openIn(browser, site, { device, signal }));
    // Then it is no answer of the site, and the page may be opened in another one.
    if (outcome.status === 'generic_error' && !signal?.aborted && (await isGone(browser, outcome.reason)))
      throw new Error(`The browser ended: ${outcome.reason}`);
    return outcome;
  }

  async #openIn(
    browser: Browser,
    site: string,
    { device, signal }: Pick<VisitOptions, 'device'> & { signal: AbortSignal | undefined },
  ): Promise<OpenPage | ClosedPage> {
    let context: BrowserContext | undefined;
    try {
      context = await openDeviceContext(browser, device);
      const page = await context.newPage();
      return await this.#visit(page, site, { device, signal, version: browser.version() });
    } catch (error) {
      await context?.close().catch((failure: unknown) => this.#warn(failure, 'A context did not close.'));
      const reason = signal?.aborted ? 'The capture was stopped.' : `The page could not be opened: ${wordsOf(error)}`;
      return { status: 'generic_error', reason, candidates: [], finalUrl: site, isLate: isLate(error) };
    }
  }

  burdens(): readonly Burden[] {
    const group = this.#group;
    return group === undefined ? [] : [{ of: 'page', group, end: () => process.kill(-group, 'SIGKILL') }];
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#browser)?.close();
  }

  async #visit(
    page: Page,
    site: string,
    about: Pick<VisitOptions, 'device' | 'version'> & { signal: AbortSignal | undefined },
  ) {
    const { navigationTimeoutMs = 30_000, settleCapMs = 10_000, egressFailures = () => [], log } = this.#options;
    const { signal, ...rest } = about;
    const visit = new Visit(page, { ...rest, navigationTimeoutMs, settleCapMs, egressFailures, log });
    return visit.open(site, signal);
  }

  /** The browser, started again where it has ended. */
  #running(): Promise<Browser> {
    if (this.#closed) return Promise.reject(new Error('the page opener is closed'));
    if (this.#browser === undefined) {
      const launched = this.#launch();
      launched.catch(() => {
        this.#browser = undefined;
      });
      this.#browser = launched;
    }
    return this.#browser;
  }

  async #launch(): Promise<Browser> {
    const { chromiumPath, proxyUrl, sandbox = false } = this.#options;
    const args = [disabledFeaturesFlag(), ...(proxyUrl === undefined ? [] : networkFlags(proxyUrl))];
    const browser = await chromium.launch({
      executablePath: chromiumPath,
      chromiumSandbox: sandbox,
      args,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
    guardPlaywrightDispatch(browser, (error) => this.#warn(error, 'A browser ended while a page was prepared.'));
    browser.on('disconnected', () => {
      this.#browser = undefined;
      this.#group = undefined;
    });
    this.#group = await groupOf(browser);
    return browser;
  }

  #warn(error: unknown, message: string): void {
    this.#options.log?.warn({ error: wordsOf(error) }, message);
  }
}

/** Playwright starts it as the leader of a group, and tells nobody its number; the browser does. */
async function groupOf(browser: Browser): Promise<number | undefined> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.find(({ type }) => type === 'browser')?.id;
}

const ENDING_MS = 1_000;

/** What is asked of a browser in the moment in which it ends may never be answered. @throws Error when it has not been. */
async function unlessGone<T>(browser: Browser, work: Promise<T>): Promise<T> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const onGone = () => setTimeout(() => reject(new Error('The browser ended: it left a question open.')), ENDING_MS);
  browser.once('disconnected', onGone);
  try {
    return await Promise.race([work, gone]);
  } finally {
    browser.off('disconnected', onGone);
    // Nobody waits for it any more.
    gone.catch((error: unknown) => void error);
  }
}

/** A browser that ends closes its pages a moment before it is seen to have ended. */
async function isGone(browser: Browser, reason: string): Promise<boolean> {
  if (!browser.isConnected() || !/has been closed/.test(reason)) return !browser.isConnected();
  return new Promise((resolve) => {
    const end = (gone: boolean) => {
      clearTimeout(timer);
      browser.off('disconnected', onGone);
      resolve(gone);
    };
    const onGone = () => end(true);
    const timer = setTimeout(() => end(false), ENDING_MS);
    browser.on('disconnected', onGone);
  });
}

function wordsOf(error: unknown): string {
  return errorMessage(error).split('\n')[0]?.slice(0, 300) ?? '';
}
