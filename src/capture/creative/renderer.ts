import { DEVICES, userAgentOf } from '../../domain/devices.ts';
import type { GuardedFetch, LocalOrigins } from '../../egress/ports.ts';
import type { Log } from '../../lib/log.ts';
import { secondsText } from '../../lib/secondsText.ts';
import { type BrowserProcess, BrowserStartError } from '../browser/browserProcess.ts';
import { BrowserGoneError, CdpError, CdpTimeoutError, RenderingBlockedError } from '../browser/cdp.ts';
import { browserVersion } from '../browser/chromium.ts';
import { startSteppedBrowser } from '../browser/steppedBrowser.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';
import {
  asFailedCreative,
  CREATIVE_DEADLINE_MS,
  CreativeError,
  type CreativeRenderer,
  type CreativeSource,
  type FailedCreative,
  type RenderedCreative,
  type RenderRequest,
} from './creative.ts';
import { CreativeServer } from './creativeServer.ts';
import { fetchContent, prepare } from './prepare.ts';
import { type RenderTools, renderPrepared } from './renderPrepared.ts';

export interface CreativeRendererOptions {
  readonly chromiumPath: string;
  /** The egress proxy. All traffic of the browser goes through it. It also serves {@link origins}. */
  readonly proxyUrl: string;
  readonly origins: LocalOrigins;
  /** Chromium's own sandbox. Default: off. */
  readonly sandbox?: boolean;
  readonly fetch: GuardedFetch;
  /** For one creative with all its frames. Default: 60 s. */
  readonly creativeDeadlineMs?: number;
  /** Real time that one creative may wait for its network. Default: 8 s. */
  readonly networkBudgetMs?: number;
  readonly log?: Log;
}

const DEFAULT_NETWORK_BUDGET_MS = 8_000;
/** A creative that ends so many browsers fails. */
const MAX_CRASHES = 3;

/** @throws Error if the executable does not print its version. */
export async function startCreativeRenderer(options: CreativeRendererOptions): Promise<CreativeRenderer> {
  const version = await browserVersion(options.chromiumPath);
  const [desktop] = DEVICES;
  if (desktop === undefined) throw new Error('The list of devices is empty.');
  return new PooledRenderer(options, userAgentOf(desktop, version));
}

class PooledRenderer implements CreativeRenderer {
  readonly #options: CreativeRendererOptions;
  readonly #pool: BrowserPool;
  readonly #userAgent: string;
  /** The reason for each browser that was ended because of its memory. */
  readonly #endReasons = new WeakMap<BrowserProcess, string>();

  constructor(options: CreativeRendererOptions, userAgent: string) {
    this.#options = options;
    this.#pool = new BrowserPool(() => startSteppedBrowser(options));
    this.#userAgent = userAgent;
  }

  async render(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative> {
    for (let crashes = 1; ; crashes++) {
      try {
        return await this.#renderInTime(source, request);
      } catch (error) {
        // Another creative or the machine may be the cause, so another browser tries again.
        if (!(error instanceof BrowserGoneError)) throw error;
        request.signal?.throwIfAborted();
        if (crashes === MAX_CRASHES) {
          const reason = `The creative crashed ${MAX_CRASHES} browsers. It may need too much memory.`;
          return { status: 'generic_error', reason };
        }
        this.#options.log?.info({ reason: error.message, crashes }, 'The browser died and was replaced');
      }
    }
  }

  /** @throws BrowserGoneError if the browser ended. The deadline begins again in the next browser. */
  async #renderInTime(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative> {
    const { creativeDeadlineMs = CREATIVE_DEADLINE_MS } = this.#options;
    const deadline = AbortSignal.timeout(creativeDeadlineMs);
    const endsAt = performance.now() + creativeDeadlineMs;
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    try {
      return await this.#attempt(source, request, { signal, endsAt });
    } catch (error) {
      request.signal?.throwIfAborted();
      // The creative is not at fault, even if the deadline has passed.
      if (error instanceof BrowserStartError || error instanceof BrowserGoneError) throw error;
      if (deadline.aborted) {
        const reason = `The creative was not rendered within ${secondsText(creativeDeadlineMs)}.`;
        return { status: 'net_read_timeout', reason };
      }
      return failedCreativeOf(error);
    }
  }

  memoryConsumers(): readonly MemoryConsumer[] {
    return this.#pool.busy().map((browser) => ({
      kind: 'creative',
      processGroup: browser.processGroup,
      end: (reason) => {
        this.#endReasons.set(browser, reason);
        browser
          .close()
          .catch((error: unknown) => this.#options.log?.warn({ err: error }, 'A browser could not be closed'));
      },
    }));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #attempt(
    source: CreativeSource,
    request: RenderRequest,
    { signal, endsAt }: Pick<RenderTools, 'signal' | 'endsAt'>,
  ): Promise<RenderedCreative> {
    const { origins, fetch, networkBudgetMs = DEFAULT_NETWORK_BUDGET_MS } = this.#options;
    const userAgent = this.#userAgent;
    const server = new CreativeServer(origins);
    try {
      const tools = { fetch, server, userAgent, size: request.size, earlierFormat: request.earlierFormat, signal };
      const prepared = await prepare(source, tools);
      const use = <T>(work: (browser: BrowserProcess) => Promise<T>) =>
        this.#pool.use((browser) => this.#withEndReason(browser, work));
      return await renderPrepared(prepared, request, {
        use,
        fetchAgain: (url) => fetchContent(url, tools),
        userAgent,
        networkBudgetMs,
        endsAt,
        signal,
      });
    } finally {
      server.close();
    }
  }

  async #withEndReason<T>(browser: BrowserProcess, work: (browser: BrowserProcess) => Promise<T>): Promise<T> {
    try {
      return await work(browser);
    } catch (error) {
      const reason = this.#endReasons.get(browser);
      throw reason === undefined ? error : new CreativeError(reason, { cause: error });
    }
  }
}

/** @throws the error itself if the creative is not at fault. */
function failedCreativeOf(error: unknown): FailedCreative {
  const failure = asFailedCreative(error);
  if (failure !== undefined) return failure;
  if (error instanceof RenderingBlockedError) return { status: 'generic_error', reason: error.message };
  if (error instanceof CdpTimeoutError)
    return {
      status: 'generic_error',
      reason: 'The browser stopped answering. The creative may draw or compute too much.',
    };
  if (error instanceof CdpError)
    return { status: 'generic_error', reason: `The browser reported an error for the creative: ${error.message}.` };
  throw error;
}

/** Starts a browser when no other one is idle. The callers limit how many creatives are rendered at once, each in a browser of its own. */
export class BrowserPool {
  readonly #start: () => Promise<BrowserProcess>;
  readonly #idle: BrowserProcess[] = [];
  readonly #starting = new Set<Promise<BrowserProcess>>();
  readonly #working = new Set<BrowserProcess>();
  #closed = false;

  constructor(start: () => Promise<BrowserProcess>) {
    this.#start = start;
  }

  /** Runs `work` with a browser that no other caller uses. Replaces browsers that died. */
  async use<T>(work: (browser: BrowserProcess) => Promise<T>): Promise<T> {
    const browser = await this.#takeBrowser();
    this.#working.add(browser);
    try {
      return await work(browser);
    } finally {
      this.#working.delete(browser);
      if (browser.isAlive() && !this.#closed) this.#idle.push(browser);
      else await browser.close();
    }
  }

  /** @returns the browsers that are rendering now. */
  busy(): readonly BrowserProcess[] {
    return [...this.#working];
  }

  /** Ends all browsers. Waits for those that are still starting, so that none is left behind. */
  async close(): Promise<void> {
    this.#closed = true;
    // `use` throws the error of a start that fails.
    const starting = [...this.#starting].map((start) => start.catch(() => undefined));
    const all = [...starting, ...this.#idle, ...this.#working];
    await Promise.all(all.map(async (browser) => (await browser)?.close()));
  }

  async #takeBrowser(): Promise<BrowserProcess> {
    for (let browser = this.#idle.pop(); browser; browser = this.#idle.pop()) {
      if (browser.isAlive()) return browser;
      await browser.close();
    }
    if (this.#closed) throw new Error('The creative renderer is closed.');
    const starting = this.#start();
    this.#starting.add(starting);
    const browser = await starting.finally(() => this.#starting.delete(starting));
    if (this.#closed) throw new Error('The creative renderer was closed while its browser started.');
    return browser;
  }
}
