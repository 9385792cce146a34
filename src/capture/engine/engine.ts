/** The browsers of a capture and their egress proxy. Each part starts when it is first needed. */

import type { Device } from '../../domain/devices.ts';
import { createGuardedFetch } from '../../egress/fetch.ts';
import { type Connector, createGuard } from '../../egress/guard.ts';
import type { GuardedFetch } from '../../egress/ports.ts';
import { type EgressProxy, startEgressProxy } from '../../egress/proxy.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import { BrowserStartError } from '../browser/browserProcess.ts';
import { decideSandbox, type SandboxMode } from '../browser/chromium.ts';
import type {
  CreativeRenderer,
  CreativeSource,
  FailedCreative,
  RenderedCreative,
  RenderRequest,
} from '../creative/creative.ts';
import { startCreativeRenderer } from '../creative/renderer.ts';
import { type MemoryConsumer, watchMemory } from '../memory/watchdog.ts';
import { ENGLISH } from '../page/deviceContext.ts';
import type { ClosedPage, OpenOptions, OpenPage, PageOpener } from '../page/page.ts';
import { startPageOpener } from '../page/pageOpener.ts';
import { Exits } from './exits.ts';

/** A browser could not be started. `message` says which one, and why. */
export class EngineStartError extends Error {}

/** Renders creatives and opens pages. */
export interface Engine {
  /** As {@link CreativeRenderer.render}. @throws EngineStartError */
  render(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative>;
  /** As {@link PageOpener.open}. @throws EngineStartError. Any other error means that the browser is gone. */
  open(site: string, device: Device, options?: OpenOptions): Promise<OpenPage | ClosedPage>;
  /** Ends the browsers of the pages; the next page starts a new one. Never throws. */
  restartPageBrowser(): Promise<void>;
  /** Why the browser of the pages was ended last, if the reason was its memory. */
  readonly memoryEndReason: string | undefined;
  /** The version of the pages' browser; undefined before it has started. */
  readonly browserVersion: string | undefined;
  /** Never throws. A part that does not close in time ends with the process. */
  close(): Promise<void>;
}

export interface EngineSettings {
  /** How long a site may take to answer. */
  readonly navigationTimeoutMs?: number;
  /** How long a page may take to settle after it has answered. */
  readonly settleCapMs?: number;
  /** For one creative with all its frames. */
  readonly creativeDeadlineMs?: number;
}

export interface EngineOptions {
  readonly chromiumPath: string;
  /** Ranges that are allowed although they are not public. */
  readonly allow: readonly string[];
  /** How the person who reads a refusal allows an address. */
  readonly allowWith?: 'flag' | 'setting' | undefined;
  /** Chromium's own sandbox. Default: `auto`. */
  readonly sandbox?: SandboxMode;
  readonly settings?: EngineSettings;
  /** @returns the way out to a location, by its id. Without it, all pages are opened directly. */
  readonly connectorOf?: ((location: string) => Connector) | undefined;
  readonly log: Log;
  /** The folder of the container's control group, with its memory figures. */
  readonly cgroupFolder?: string;
}

/** The options of each part. */
export interface PartOptions {
  readonly chromiumPath: string;
  readonly proxy: EgressProxy;
  readonly fetch: GuardedFetch;
  readonly sandbox: boolean;
  readonly settings: EngineSettings;
  readonly log: Log;
}

export interface EngineParts {
  startRenderer(options: PartOptions): Promise<CreativeRenderer>;
  /** @param languages those of the pages. */
  startPages(options: PartOptions, languages: readonly string[]): Promise<PageOpener>;
}

const CLOSE_MS = 5_000;
const RENDERER = 'creative renderer';

/** @throws Error if `allow` is invalid, the proxy finds no port, or a required sandbox is not available. */
export async function startEngine(options: EngineOptions, parts: EngineParts = REAL_PARTS): Promise<Engine> {
  const { chromiumPath, allow, settings = {}, connectorOf, log, cgroupFolder } = options;
  const guard = createGuard({ allow, allowWith: options.allowWith });
  const sandbox = await decideSandbox(options.sandbox ?? 'auto');
  const proxy = await startEgressProxy({ guard, log });
  const timeoutMs = settings.navigationTimeoutMs;
  const fetch = createGuardedFetch({ guard, ...(timeoutMs !== undefined && { timeoutMs }) });
  const exits = connectorOf && new Exits(connectorOf, log);
  return new LazyEngine({ chromiumPath, proxy, fetch, sandbox, settings, log }, parts, { exits, cgroupFolder });
}

class LazyEngine implements Engine {
  readonly #options: PartOptions;
  readonly #renderer: LazyPart<CreativeRenderer>;
  readonly #parts: EngineParts;
  /** By the languages of the pages, which are those of a browser. */
  readonly #pages = new Map<string, PageBrowser>();
  readonly #exits: Exits | undefined;
  readonly #closing = new AbortController();
  browserVersion: string | undefined;
  memoryEndReason: string | undefined;

  constructor(
    options: PartOptions,
    parts: EngineParts,
    { exits, cgroupFolder }: { exits: Exits | undefined; cgroupFolder: string | undefined },
  ) {
    this.#options = options;
    this.#exits = exits;
    this.#renderer = new LazyPart(RENDERER, () => parts.startRenderer(options));
    this.#parts = parts;
    void watchMemory(
      { consumers: () => this.#memoryConsumers(), log: options.log, cgroupFolder },
      this.#closing.signal,
    );
  }

  async render(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative> {
    const renderer = await this.#renderer.get();
    try {
      return await renderer.render(source, request);
    } catch (error) {
      if (!(error instanceof BrowserStartError)) throw error;
      throw notStarted(RENDERER, error);
    }
  }

  open(site: string, device: Device, options: OpenOptions = {}): Promise<OpenPage | ClosedPage> {
    const browser = this.#browserFor(options.location?.languages ?? [ENGLISH]);
    return browser.use(async () => {
      if (browser.running === undefined) await this.#closeIdleBrowsers();
      const pages = await browser.get();
      this.memoryEndReason = undefined;
      this.browserVersion = pages.browserVersion;
      const { location } = options;
      if (location === undefined) return pages.open(site, device, options);
      if (this.#exits === undefined) throw new Error('unreachable: this engine opens no pages at locations');
      const exit = await this.#exits.get(location.id);
      const { url, failures } = exit.proxy;
      const [page, exitAddress] = await Promise.all([
        pages.open(site, device, { ...options, exit: { url, failures } }),
        this.#exits.addressOf(exit, location),
      ]);
      return { ...page, exitAddress };
    });
  }

  async restartPageBrowser(): Promise<void> {
    await Promise.all([...this.#pages.values()].map((pages) => pages.close(this.#options.log)));
  }

  #browserFor(languages: readonly string[]): PageBrowser {
    const key = languages.join();
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const browser = new PageBrowser('browser for pages', () => this.#parts.startPages(this.#options, languages));
    this.#pages.set(key, browser);
    return browser;
  }

  /** Sets of many locations would leave as many browsers behind. The one without a location stays, because most pages need it. */
  async #closeIdleBrowsers(): Promise<void> {
    const idle = [...this.#pages].filter(([languages, { isIdle }]) => isIdle && languages !== ENGLISH);
    await Promise.all(idle.map(([, browser]) => browser.close(this.#options.log)));
  }

  async close(): Promise<void> {
    const { log, proxy } = this.#options;
    this.#closing.abort();
    await Promise.all([this.#renderer.close(log), this.restartPageBrowser()]);
    await closeInTime(proxy, 'egress proxy', log);
    if (this.#exits) await closeInTime(this.#exits, 'egress proxies of locations', log);
  }

  #memoryConsumers(): MemoryConsumer[] {
    const running = [...this.#pages.values()].flatMap((pages) => pages.running?.memoryConsumers() ?? []);
    const pages = running.map((consumer) => ({
      ...consumer,
      end: (reason: string) => {
        this.memoryEndReason = reason;
        consumer.end(reason);
      },
    }));
    return [...(this.#renderer.running?.memoryConsumers() ?? []), ...pages];
  }
}

function notStarted(part: string, cause: unknown): EngineStartError {
  const reason = errorMessage(cause);
  return new EngineStartError(`The ${part} could not be started: ${reason}`, { cause });
}

/** A part that starts at its first use. After `close` it can start again. */
class LazyPart<T extends { close(): Promise<void> }> {
  readonly #name: string;
  readonly #start: () => Promise<T>;
  #starting: Promise<T> | undefined;
  /** The part, while it runs. */
  running: T | undefined;

  constructor(name: string, start: () => Promise<T>) {
    this.#name = name;
    this.#start = start;
  }

  get(): Promise<T> {
    this.#starting ??= this.#begin();
    return this.#starting;
  }

  async #begin(): Promise<T> {
    try {
      this.running = await this.#start();
      return this.running;
    } catch (cause) {
      this.#starting = undefined;
      throw notStarted(this.#name, cause);
    }
  }

  async close(log: Log): Promise<void> {
    const starting = this.#starting;
    this.#starting = undefined;
    const part = await starting?.catch(() => undefined);
    this.running = undefined;
    if (part !== undefined) await closeInTime(part, this.#name, log);
  }
}

/** The browser of the pages with certain languages. */
class PageBrowser extends LazyPart<PageOpener> {
  readonly #users = new Set<symbol>();

  get isIdle(): boolean {
    return this.#users.size === 0;
  }

  /** Counts the page that `open` opens as a user until it is closed. */
  async use(open: () => Promise<OpenPage | ClosedPage>): Promise<OpenPage | ClosedPage> {
    const user = Symbol();
    const leave = () => void this.#users.delete(user);
    this.#users.add(user);
    let page: OpenPage | ClosedPage | undefined;
    try {
      page = await open();
    } finally {
      if (page?.status !== 'ready') leave();
    }
    return page.status === 'ready' ? { ...page, close: () => page.close().finally(leave) } : page;
  }
}

async function closeInTime(part: { close(): Promise<void> }, name: string, log: Log): Promise<void> {
  try {
    await withDeadline(CLOSE_MS, part.close());
  } catch (error) {
    log.warn({ err: error }, `the ${name} could not be closed`);
  }
}

const REAL_PARTS: EngineParts = {
  startRenderer: ({ proxy, settings, ...options }) =>
    startCreativeRenderer({ ...options, ...settings, proxyUrl: proxy.url, origins: proxy.origins }),
  startPages: ({ proxy, settings, ...options }, languages) =>
    startPageOpener({
      ...options,
      ...settings,
      languages,
      proxyUrl: proxy.url,
      egressFailures: () => proxy.failures,
    }),
};
