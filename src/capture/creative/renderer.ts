import { DEVICES, userAgentOf } from '../../domain/devices.ts';
import type { GuardedFetch, LocalOrigins } from '../../egress/ports.ts';
import { browserVersion } from '../browser/browserVersion.ts';
import { BrowserGoneError, CdpError, CdpTimeoutError } from '../browser/cdp.ts';
import { RenderingBlockedError } from '../browser/renderingBlocked.ts';
import { BrowserStartError, type SteppedBrowser, startSteppedBrowser } from '../browser/steppedBrowser.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';
import { BrowserPool } from './browserPool.ts';
import type { CreativeRenderer, CreativeSource, FailedCreative, RenderedCreative, RenderRequest } from './creative.ts';
import { asFailedCreative, CreativeError } from './creativeError.ts';
import { CreativeServer } from './creativeServer.ts';
import { fetchContent, prepare } from './prepare.ts';
import { renderPrepared } from './renderPrepared.ts';

export interface CreativeRendererOptions {
  readonly chromiumPath: string;
  /** The egress proxy: the only way out of the browser, and where {@link origins} are answered. */
  readonly proxyUrl: string;
  readonly origins: LocalOrigins;
  /** The browsers' own sandbox; off unless given. */
  readonly sandbox?: boolean;
  readonly fetch: GuardedFetch;
  /** For one creative, in all; default 60 s. */
  readonly creativeDeadlineMs?: number;
  /** Real time that a creative may wait for its network, in all; default 8 s. */
  readonly networkBudgetMs?: number;
  /** Browsers that render side by side, default 2; each is started when it is first needed, which no still image does. */
  readonly browsers?: number;
  readonly log?: (message: string, fields?: object) => void;
}

const DEFAULT_DEADLINE_MS = 60_000;
const DEFAULT_NETWORK_BUDGET_MS = 8_000;

/** @throws Error where there is no browser that could be started. */
export async function startCreativeRenderer(options: CreativeRendererOptions): Promise<CreativeRenderer> {
  const version = await browserVersion(options.chromiumPath);
  const pool = new BrowserPool(() => startSteppedBrowser(options), options.browsers ?? 2);
  return new PooledRenderer(options, pool, version);
}

class PooledRenderer implements CreativeRenderer {
  readonly #options: CreativeRendererOptions;
  readonly #pool: BrowserPool;
  readonly #userAgent: string;
  /** What its work is told, of browsers that were ended for their memory. */
  readonly #tooHeavy = new WeakMap<SteppedBrowser, string>();

  constructor(options: CreativeRendererOptions, pool: BrowserPool, version: string) {
    const [desktop] = DEVICES;
    if (desktop === undefined) throw new Error('There are no devices.');
    this.#options = options;
    this.#pool = pool;
    this.#userAgent = userAgentOf(desktop, version);
  }

  async render(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative> {
    const { creativeDeadlineMs = DEFAULT_DEADLINE_MS } = this.#options;
    const deadline = AbortSignal.timeout(creativeDeadlineMs);
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    try {
      return await onceAgain(() => this.#attempt(source, request, signal), this.#log);
    } catch (error) {
      request.signal?.throwIfAborted();
      // No fault of the creative's, however long it took.
      if (error instanceof BrowserStartError) throw error;
      if (deadline.aborted) return tooSlow(creativeDeadlineMs);
      return explained(error);
    }
  }

  memoryConsumers(): readonly MemoryConsumer[] {
    return this.#pool.busy().map((browser) => ({
      kind: 'creative',
      processGroup: browser.processGroup,
      end: (words) => {
        this.#tooHeavy.set(browser, words);
        browser.close().catch((error: unknown) => this.#log('A browser did not end', { err: error }));
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
      const tools = { fetch, server, userAgent, signal };
      const scene = await prepare(source, tools);
      const use = <T>(work: (browser: SteppedBrowser) => Promise<T>) =>
        this.#pool.use((browser) => this.#orTooHeavy(browser, work), signal);
      return await renderPrepared(scene, request, {
        use,
        load: (url) => fetchContent(url, tools),
        userAgent,
        networkBudgetMs,
        signal,
      });
    } finally {
      server.close();
    }
  }

  async #orTooHeavy<T>(browser: SteppedBrowser, work: (browser: SteppedBrowser) => Promise<T>): Promise<T> {
    try {
      return await work(browser);
    } catch (error) {
      const words = this.#tooHeavy.get(browser);
      throw words === undefined ? error : new CreativeError('generic_error', words, { cause: error });
    }
  }

  readonly #log = (message: string, fields?: object): void => this.#options.log?.(message, fields);
}

/** A browser that died, perhaps of another creative, gives a second chance. */
async function onceAgain<T>(work: () => Promise<T>, log: (message: string, fields?: object) => void): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BrowserGoneError)) throw error;
    log('The browser died and was replaced', { reason: error.message });
    return work();
  }
}

function explained(error: unknown): FailedCreative {
  const failure = asFailedCreative(error);
  if (failure !== undefined) return failure;
  if (error instanceof RenderingBlockedError) return { status: 'generic_error', reason: error.message };
  if (error instanceof BrowserGoneError)
    return { status: 'generic_error', reason: 'The creative ended the browser twice.' };
  if (error instanceof CdpTimeoutError)
    return {
      status: 'generic_error',
      reason: 'The creative draws or computes so much that the browser stopped answering.',
    };
  if (error instanceof CdpError)
    return { status: 'generic_error', reason: `The creative upset the browser: ${error.message}.` };
  throw error;
}

function tooSlow(ms: number): FailedCreative {
  return { status: 'net_read_timeout', reason: `The creative was not finished within ${Math.round(ms / 1000)} s.` };
}
