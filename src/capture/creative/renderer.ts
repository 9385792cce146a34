import { DEVICES, userAgentOf } from '../../domain/devices.ts';
import type { GuardedFetch, LocalOrigins } from '../../egress/ports.ts';
import { BrowserGoneError, CdpError, CdpTimeoutError, RenderingBlockedError } from '../browser/cdp.ts';
import { browserVersion } from '../browser/chromium.ts';
import { BrowserStartError, type SteppedBrowser, startSteppedBrowser } from '../browser/steppedBrowser.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';
import {
  asFailedCreative,
  CreativeError,
  type CreativeRenderer,
  type CreativeSource,
  type FailedCreative,
  type RenderedCreative,
  type RenderRequest,
} from './creative.ts';
import { CreativeServer } from './creativeServer.ts';
import { fetchContent, prepare } from './prepare.ts';
import { renderPrepared } from './renderPrepared.ts';

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
  /** Browsers that render at the same time. Each starts when it is first needed; still images need none. Default: 2. */
  readonly browsers?: number;
  readonly log?: (message: string, fields?: object) => void;
}

const DEFAULT_DEADLINE_MS = 60_000;
const DEFAULT_NETWORK_BUDGET_MS = 8_000;
/** A creative that ends so many browsers fails. */
const MAX_CRASHES = 3;

/** @throws Error if the executable does not print its version. */
export async function startCreativeRenderer(options: CreativeRendererOptions): Promise<CreativeRenderer> {
  const version = await browserVersion(options.chromiumPath);
  const pool = new BrowserPool(() => startSteppedBrowser(options), options.browsers ?? 2);
  return new PooledRenderer(options, pool, version);
}

class PooledRenderer implements CreativeRenderer {
  readonly #options: CreativeRendererOptions;
  readonly #pool: BrowserPool;
  readonly #userAgent: string;
  /** The reason for each browser that was ended because of its memory. */
  readonly #endReasons = new WeakMap<SteppedBrowser, string>();

  constructor(options: CreativeRendererOptions, pool: BrowserPool, version: string) {
    const [desktop] = DEVICES;
    if (desktop === undefined) throw new Error('The list of devices is empty.');
    this.#options = options;
    this.#pool = pool;
    this.#userAgent = userAgentOf(desktop, version);
  }

  async render(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative> {
    for (let crashes = 1; ; crashes++) {
      try {
        return await this.#renderInTime(source, request);
      } catch (error) {
        // Another creative or the machine may be the cause, so another browser tries again.
        if (!(error instanceof BrowserGoneError)) throw error;
        request.signal?.throwIfAborted();
        if (crashes === MAX_CRASHES) return crashed();
        this.#log('The browser died and was replaced', { reason: error.message, crashes });
      }
    }
  }

  /** @throws BrowserGoneError if the browser ended. The deadline begins again in the next browser. */
  async #renderInTime(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative> {
    const { creativeDeadlineMs = DEFAULT_DEADLINE_MS } = this.#options;
    const deadline = AbortSignal.timeout(creativeDeadlineMs);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    try {
      return await this.#attempt(source, request, signal);
    } catch (error) {
      request.signal?.throwIfAborted();
      // The creative is not at fault, even if the deadline has passed.
      if (error instanceof BrowserStartError || error instanceof BrowserGoneError) throw error;
      if (deadline.aborted) return deadlineExceeded(creativeDeadlineMs);
      return failedCreativeOf(error);
    }
  }

  memoryConsumers(): readonly MemoryConsumer[] {
    return this.#pool.busy().map((browser) => ({
      kind: 'creative',
      processGroup: browser.processGroup,
      end: (reason) => {
        this.#endReasons.set(browser, reason);
        browser.close().catch((error: unknown) => this.#log('A browser could not be closed', { err: error }));
      },
    }));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #attempt(source: CreativeSource, request: RenderRequest, signal: AbortSignal): Promise<RenderedCreative> {
    const { origins, fetch, networkBudgetMs = DEFAULT_NETWORK_BUDGET_MS } = this.#options;
    const userAgent = this.#userAgent;
    const server = new CreativeServer(origins);
    try {
      const tools = { fetch, server, userAgent, size: request.size, signal };
      const prepared = await prepare(source, tools);
      const use = <T>(work: (browser: SteppedBrowser) => Promise<T>) =>
        this.#pool.use((browser) => this.#withEndReason(browser, work), signal);
      return await renderPrepared(prepared, request, {
        use,
        fetchAgain: (url) => fetchContent(url, tools),
        userAgent,
        networkBudgetMs,
        signal,
      });
    } finally {
      server.close();
    }
  }

  async #withEndReason<T>(browser: SteppedBrowser, work: (browser: SteppedBrowser) => Promise<T>): Promise<T> {
    try {
      return await work(browser);
    } catch (error) {
      const reason = this.#endReasons.get(browser);
      throw reason === undefined ? error : new CreativeError('generic_error', reason, { cause: error });
    }
  }

  readonly #log = (message: string, fields?: object): void => this.#options.log?.(message, fields);
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

function crashed(): FailedCreative {
  const reason = `The creative crashed ${MAX_CRASHES} browsers. It may need too much memory.`;
  return { status: 'generic_error', reason };
}

function deadlineExceeded(ms: number): FailedCreative {
  return { status: 'net_read_timeout', reason: `The creative was not rendered within ${Math.round(ms / 1000)} s.` };
}

/** Keeps up to `size` browsers and starts each when it is first needed. A browser renders one creative at a time. */
export class BrowserPool {
  readonly #start: () => Promise<SteppedBrowser>;
  readonly #size: number;
  readonly #idle: SteppedBrowser[] = [];
  readonly #all = new Set<SteppedBrowser>();
  readonly #starting = new Set<Promise<SteppedBrowser>>();
  readonly #working = new Set<SteppedBrowser>();
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #closed = false;

  constructor(start: () => Promise<SteppedBrowser>, size: number) {
    this.#start = start;
    this.#size = size;
  }

  /** Runs `work` with a browser that no other caller uses. Replaces browsers that died. */
  async use<T>(work: (browser: SteppedBrowser) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#closed) throw new Error('The creative renderer is closed.');
    await this.#acquire(signal);
    try {
      return await this.#useBrowser(work);
    } finally {
      this.#taken -= 1;
      this.#wakeNext();
    }
  }

  /** @returns the browsers that are rendering now. */
  busy(): readonly SteppedBrowser[] {
    return [...this.#working];
  }

  /** Ends all browsers. Waits for those that are still starting, so that none is left behind. */
  async close(): Promise<void> {
    this.#closed = true;
    // `use` throws the error of a start that fails.
    const starts = Promise.allSettled(this.#starting);
    await Promise.all([starts, ...[...this.#all].map((browser) => this.#drop(browser))]);
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    while (this.#taken >= this.#size && !signal.aborted) await this.#waitForTurn(signal);
    if (signal.aborted) {
      // A turn that was already passed to this caller goes to the next one.
      this.#wakeNext();
      throw signal.reason;
    }
    this.#taken += 1;
  }

  async #waitForTurn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
  }

  #wakeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }

  async #useBrowser<T>(work: (browser: SteppedBrowser) => Promise<T>): Promise<T> {
    const browser = await this.#takeBrowser();
    this.#working.add(browser);
    try {
      return await work(browser);
    } finally {
      this.#working.delete(browser);
      if (browser.isAlive() && !this.#closed) this.#idle.push(browser);
      else await this.#drop(browser);
    }
  }

  async #takeBrowser(): Promise<SteppedBrowser> {
    for (let browser = this.#idle.pop(); browser; browser = this.#idle.pop()) {
      if (browser.isAlive()) return browser;
      await this.#drop(browser);
    }
    const starting = this.#startBrowser();
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #startBrowser(): Promise<SteppedBrowser> {
    const browser = await this.#start();
    this.#all.add(browser);
    if (!this.#closed) return browser;
    await this.#drop(browser);
    throw new Error('The creative renderer was closed while its browser started.');
  }

  async #drop(browser: SteppedBrowser): Promise<void> {
    this.#all.delete(browser);
    await browser.close();
  }
}
