import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import type { Device } from '../../domain/devices.ts';
import type { EgressFailure } from '../../egress/errors.ts';
import { shortErrorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import { disabledFeaturesFlag, networkFlags } from '../browser/chromium.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';
import { openDeviceContext } from './deviceContext.ts';
import { isTimeout } from './navigation.ts';
import type { ClosedPage, OpenOptions, OpenPage, PageOpener } from './page.ts';
import { PageVisit, type PageVisitOptions } from './pageVisit.ts';

/** The private connection inside Playwright. Its server half runs in the same process. */
interface Connection {
  dispatch(message: unknown): void;
}

const guarded = new WeakSet<Connection>();

export interface PageOpenerOptions {
  readonly chromiumPath: string;
  /** The egress proxy. Without it the browser connects directly. */
  readonly proxyUrl?: string;
  /** Chromium's own sandbox; off by default. */
  readonly sandbox?: boolean;
  /** Connections that the proxy did not make, oldest first. They explain why an HTTPS site failed. */
  readonly egressFailures?: () => readonly EgressFailure[];
  /** For the navigation until the document has arrived. */
  readonly navigationTimeoutMs?: number;
  /** For consent, scrolling and waiting for a quiet page together. */
  readonly settleCapMs?: number;
  readonly log?: Log;
}

/** Starts the browser that opens sites. @throws if it does not start. */
export async function startPageOpener(options: PageOpenerOptions): Promise<PageOpener> {
  const opener = new ChromiumOpener(options);
  await opener.start();
  return opener;
}

interface OpenInOptions extends Pick<PageVisitOptions, 'device' | 'otherAds'> {
  readonly signal: AbortSignal | undefined;
  /** Set if the process of the page ends. */
  readonly crash: { happened: boolean };
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
    { signal, otherAds = 'hide' }: OpenOptions = {},
  ): Promise<OpenPage | ClosedPage> {
    const browser = await this.#running();
    const about = { device, otherAds, signal, crash: { happened: false } };
    const outcome = await failIfBrowserEnds(browser, this.#openIn(browser, site, about));
    if (about.crash.happened && outcome.status !== 'ready' && !signal?.aborted)
      throw new Error(`The page crashed: ${outcome.reason}`);
    // The browser failed, not the site, so the caller may open the page in another browser.
    if (outcome.status === 'generic_error' && !signal?.aborted && (await hasEnded(browser, outcome.reason)))
      throw new Error(`The browser ended: ${outcome.reason}`);
    return outcome;
  }

  async #openIn(
    browser: Browser,
    site: string,
    { device, otherAds, signal, crash }: OpenInOptions,
  ): Promise<OpenPage | ClosedPage> {
    let context: BrowserContext | undefined;
    let page: Page | undefined;
    try {
      context = await openDeviceContext(browser, device);
      page = await context.newPage();
      this.#closeIfCrashed(page, crash);
      return await this.#visit(page, site, { device, otherAds, signal, version: browser.version() });
    } catch (error) {
      await context?.close().catch((failure: unknown) => this.#warn(failure, 'A context did not close.'));
      const reason = signal?.aborted
        ? 'The capture was stopped.'
        : `The page could not be opened: ${shortErrorMessage(error, 300)}`;
      // The browser failed, not the site, because nothing asked the site yet.
      if (page === undefined && !signal?.aborted) throw new Error(reason, { cause: error });
      return { status: 'generic_error', reason, candidates: [], finalUrl: site, timedOut: isTimeout(error) };
    }
  }

  memoryConsumers(): readonly MemoryConsumer[] {
    const group = this.#group;
    return group === undefined
      ? []
      : [{ kind: 'page', processGroup: group, end: () => process.kill(-group, 'SIGKILL') }];
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#browser)?.close();
  }

  async #visit(
    page: Page,
    site: string,
    about: Pick<PageVisitOptions, 'device' | 'otherAds' | 'version'> & { signal: AbortSignal | undefined },
  ) {
    const { navigationTimeoutMs = 30_000, settleCapMs = 10_000, egressFailures = () => [], log } = this.#options;
    const { signal, ...rest } = about;
    const visit = new PageVisit(page, { ...rest, navigationTimeoutMs, settleCapMs, egressFailures, log });
    return visit.open(site, signal);
  }

  /** The browser; starts another one if it has ended. */
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
    guardPlaywrightDispatch(browser, (error) =>
      this.#warn(error, 'The browser ended during the preparation of a page.'),
    );
    browser.on('disconnected', () => {
      this.#browser = undefined;
      this.#group = undefined;
    });
    this.#group = await processGroupOf(browser);
    return browser;
  }

  /** Calls to a crashed page would wait for their deadlines. */
  #closeIfCrashed(page: Page, crash: { happened: boolean }): void {
    page.once('crash', () => {
      crash.happened = true;
      page
        .context()
        .close()
        .catch((error: unknown) => this.#warn(error, 'The context of a crashed page did not close.'));
    });
  }

  #warn(error: unknown, message: string): void {
    this.#options.log?.warn({ error: shortErrorMessage(error, 300) }, message);
  }
}

/** Playwright starts the browser as leader of a process group but does not expose the id, so we ask the browser. */
async function processGroupOf(browser: Browser): Promise<number | undefined> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.find(({ type }) => type === 'browser')?.id;
}

/** An answer that a browser sent before its end may still arrive. */
const LAST_ANSWER_MS = 1_000;
/** A busy node reports the end of a browser late. */
const LATE_END_MS = 5_000;

/** A call to a browser that is ending may stay without an answer. @throws Error after {@link LAST_ANSWER_MS} in that case. */
async function failIfBrowserEnds<T>(browser: Browser, work: Promise<T>): Promise<T> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const onGone = () => setTimeout(() => reject(new Error('The browser ended: a call got no answer.')), LAST_ANSWER_MS);
  browser.once('disconnected', onGone);
  try {
    return await Promise.race([work, gone]);
  } finally {
    browser.off('disconnected', onGone);
    // The race is over; this handler only prevents an unhandled rejection.
    gone.catch((error: unknown) => void error);
  }
}

/** A browser that ends closes its pages shortly before its disconnect event, so this waits for that event. */
async function hasEnded(browser: Browser, reason: string): Promise<boolean> {
  if (!browser.isConnected() || !/has been closed/.test(reason)) return !browser.isConnected();
  return new Promise((resolve) => {
    const end = (gone: boolean) => {
      clearTimeout(timer);
      browser.off('disconnected', onGone);
      resolve(gone);
    };
    const onGone = () => end(true);
    const timer = setTimeout(() => end(false), LATE_END_MS);
    browser.on('disconnected', onGone);
  });
}

/**
 * Keeps a browser that ends from ending this process. If it ends while Playwright prepares a context, the server half of
 * Playwright sends messages about a context that its client half has removed. `dispatch` then throws inside `setImmediate`, so
 * no caller can catch the error. The guard reports such an error instead; a call that waits for the message needs a deadline.
 *
 * Reported as https://github.com/microsoft/playwright/issues/9509 (this crash, closed);
 * https://github.com/microsoft/playwright/issues/22210 is a similar crash, still open. A browser of `launchServer` and `connect`
 * does not have the fault, but each picture would go through a WebSocket. If an upgrade of Playwright moves the private connection,
 * `playwrightDispatchGuard.test.ts` fails and `report` gets an error.
 */
export function guardPlaywrightDispatch(browser: Browser, report: (error: Error) => void): void {
  const connection = connectionOf(browser);
  if (connection === undefined) {
    report(new Error('Playwright has no connection that the guard could wrap.'));
    return;
  }
  if (guarded.has(connection)) return;
  guarded.add(connection);
  const dispatch = connection.dispatch.bind(connection);
  connection.dispatch = (message) => {
    try {
      dispatch(message);
    } catch (error) {
      if (!(error instanceof Error) || !isAboutRemovedObject(error)) throw error;
      report(error);
    }
  };
}

function connectionOf(browser: Browser): Connection | undefined {
  const connection: unknown = Reflect.get(browser, '_connection');
  return isConnection(connection) ? connection : undefined;
}

function isConnection(value: unknown): value is Connection {
  return typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function';
}

function isAboutRemovedObject({ message }: Error): boolean {
  return /^(Cannot find parent object|Cannot find object to|Object with guid \S+ was not bound)/.test(message);
}
