import type { Device } from '../../domain/devices.ts';
import type { EgressFailure } from '../../egress/errors.ts';
import { shortErrorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import { type BrowserKind, type BrowserProcess, startBrowser } from '../browser/browserProcess.ts';
import { BrowserGoneError } from '../browser/cdp.ts';
import type { Tab } from '../browser/tab.ts';
import { CreativeError } from '../creative/creative.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';
import { ENGLISH, openDeviceTab } from './deviceContext.ts';
import { readGivenPage } from './givenPage.ts';
import { GivenPageError } from './mhtml.ts';
import { isTimeout, pageFault } from './navigation.ts';
import type { ClosedPage, OpenOptions, OpenPage, PageOpener } from './page.ts';
import { PageVisit } from './pageVisit.ts';

/** Nothing listens there. */
const NO_PROXY = 'http://127.0.0.1:9';

/** The browser of pages paints by its own clock. @param languages those of its workers, which no page can give them. */
export function pagesIn(languages: readonly string[] = [ENGLISH]): BrowserKind {
  return { flags: [`--accept-lang=${languages.join()}`] };
}

export interface PageOpenerOptions {
  readonly chromiumPath: string;
  /** The egress proxy. Without it the browser connects directly. */
  readonly proxyUrl?: string | undefined;
  /** Chromium's own sandbox; off by default. */
  readonly sandbox?: boolean;
  /** The languages of the pages; English by default. */
  readonly languages?: readonly string[] | undefined;
  /** Connections that the proxy did not make, oldest first. They explain why an HTTPS site failed. */
  readonly egressFailures?: () => readonly EgressFailure[];
  /** For the navigation until the document has arrived. */
  readonly navigationTimeoutMs?: number | undefined;
  /** For consent, scrolling and waiting for a quiet page together. */
  readonly settleCapMs?: number | undefined;
  readonly log?: Log;
}

/** Starts the browser that opens sites. @throws if it does not start. */
export async function startPageOpener(options: PageOpenerOptions): Promise<PageOpener> {
  return new ChromiumOpener(await startBrowser(options, pagesIn(options.languages)), options);
}

class ChromiumOpener implements PageOpener {
  readonly #browser: BrowserProcess;
  readonly #options: PageOpenerOptions;

  constructor(browser: BrowserProcess, options: PageOpenerOptions) {
    this.#browser = browser;
    this.#options = options;
  }

  get browserVersion(): string {
    return this.#browser.version;
  }

  async open(
    site: string,
    device: Device,
    { signal, otherAds = 'hide', location, exit, access, rules = [], given, mayUseHttp = false }: OpenOptions = {},
  ): Promise<OpenPage | ClosedPage> {
    const { navigationTimeoutMs = 30_000, settleCapMs = 10_000, log } = this.#options;
    const egressFailures = exit ? () => exit.failures : (this.#options.egressFailures ?? (() => []));
    let tab: Tab | undefined;
    let visit: PageVisit | undefined;
    try {
      const page = given && (await readGivenPage(given, { site, screen: device.viewport }));
      // The visit answers all requests of a given page. One that it missed would find no proxy.
      tab = await openDeviceTab(this.#browser, device, { location, proxyUrl: given ? NO_PROXY : exit?.url });
      const options = {
        device,
        otherAds,
        access,
        rules,
        given: page,
        mayUseHttp,
        navigationTimeoutMs,
        settleCapMs,
        egressFailures,
        log,
      };
      visit = new PageVisit(tab, options);
      return await visit.open(site, signal);
    } catch (error) {
      const picture = tab?.isLost === false && this.#browser.isAlive() ? await visit?.pictureOfSite(site) : undefined;
      await tab?.close().catch((failure: unknown) => {
        log?.warn({ error: shortErrorMessage(failure, 300) }, 'A page did not close.');
      });
      const failed = { status: 'generic_error', candidates: [], finalUrl: site, timedOut: isTimeout(error) } as const;
      if (error instanceof GivenPageError || error instanceof CreativeError)
        return { ...failed, reason: error.message };
      if (signal?.aborted) return { ...failed, reason: 'The capture was stopped.' };
      const message = pageFault(error);
      if (error instanceof BrowserGoneError || !this.#browser.isAlive())
        throw new Error(`The browser ended: ${message}`, { cause: error });
      if (tab?.crashed === true) throw new Error(`The page crashed: ${message}`, { cause: error });
      const reason = `The page could not be opened: ${message}.`;
      // The browser failed, not the site, because no request was sent to the site yet.
      if (tab === undefined) throw new Error(reason, { cause: error });
      return { ...failed, reason, picture };
    }
  }

  memoryConsumers(): readonly MemoryConsumer[] {
    const { processGroup } = this.#browser;
    if (!this.#browser.isAlive()) return [];
    return [{ kind: 'page', processGroup, end: () => this.#browser.kill() }];
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}
