/** The browsers of a capture, and their one way out. Each part is started when it is first needed. */

import type { Device } from '../../domain/devices.ts';
import { createGuardedFetch } from '../../egress/fetch.ts';
import { createGuard } from '../../egress/guard.ts';
import type { GuardedFetch } from '../../egress/ports.ts';
import { type EgressProxy, startEgressProxy } from '../../egress/proxy.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import { decideSandbox, type SandboxMode } from '../browser/sandbox.ts';
import { BrowserStartError } from '../browser/steppedBrowser.ts';
import type {
  CreativeRenderer,
  CreativeSource,
  FailedCreative,
  RenderedCreative,
  RenderRequest,
} from '../creative/creative.ts';
import { startCreativeRenderer } from '../creative/renderer.ts';
import { type MemoryConsumer, startMemoryWatchdog, type Watchdog } from '../memory/watchdog.ts';
import type { ClosedPage, OpenPage, PageOpener } from '../page/page.ts';
import { startPageOpener } from '../page/pageOpener.ts';

/** A browser could not be started; `message` says which part, and why. */
export class EngineStartError extends Error {
  override readonly name = 'EngineStartError';
}

/** What a capture does with browsers. */
export interface Engine {
  /** As {@link CreativeRenderer.render}. @throws EngineStartError */
  render(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative>;
  /** As {@link PageOpener.open}. @throws EngineStartError; anything else means that its browser is gone. */
  open(site: string, device: Device, options?: { readonly signal?: AbortSignal }): Promise<OpenPage | ClosedPage>;
  /** Ends the browser of the pages, which broke; the next page gets a fresh one. Never throws. */
  restartPageBrowser(): Promise<void>;
  /** Why the browser of the pages was ended last, where it was ended for its memory. */
  readonly memoryEndReason: string | undefined;
  /** Of the pages' browser; undefined until there is one. */
  readonly browserVersion: string | undefined;
  /** Never throws: what does not end in time is left to die with the process. */
  close(): Promise<void>;
}

export interface EngineSettings {
  /** How long a site may take to answer. */
  readonly navigationTimeoutMs?: number;
  /** How long a page that has answered may take to come to rest. */
  readonly settleCapMs?: number;
  /** For one creative, all markers and ratios together. */
  readonly creativeDeadlineMs?: number;
}

export interface EngineOptions {
  readonly chromiumPath: string;
  /** CIDR ranges that may be reached although they are not public. */
  readonly allow: readonly string[];
  /** Chromium's own; as far as it can be had unless given. */
  readonly sandbox?: SandboxMode;
  readonly settings?: EngineSettings;
  readonly log: Log;
  /** Where the container's control group tells its memory. */
  readonly cgroupFolder?: string;
}

/** What each part is started with. */
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
  startPages(options: PartOptions): Promise<PageOpener>;
}

const CLOSE_MS = 5_000;
const RENDERER = 'renderer of creatives';

/** @throws Error when `allow` cannot be read, the proxy finds no port, or a required sandbox cannot be had. */
export async function startEngine(options: EngineOptions, parts: EngineParts = REAL_PARTS): Promise<Engine> {
  const { chromiumPath, allow, settings = {}, log, cgroupFolder } = options;
  const guard = createGuard({ allow });
  const sandbox = await decideSandbox(options.sandbox ?? 'auto');
  const proxy = await startEgressProxy({ guard, log });
  const timeoutMs = settings.navigationTimeoutMs;
  const fetch = createGuardedFetch({ guard, ...(timeoutMs !== undefined && { timeoutMs }) });
  return new LazyEngine({ chromiumPath, proxy, fetch, sandbox, settings, log }, { parts, cgroupFolder });
}

class LazyEngine implements Engine {
  readonly #options: PartOptions;
  readonly #renderer: LazyPart<CreativeRenderer>;
  readonly #pages: LazyPart<PageOpener>;
  readonly #watchdog: Watchdog;
  #browserVersion: string | undefined;
  memoryEndReason: string | undefined;

  constructor(options: PartOptions, { parts, cgroupFolder }: { parts: EngineParts; cgroupFolder: string | undefined }) {
    this.#options = options;
    this.#renderer = new LazyPart(RENDERER, () => parts.startRenderer(options));
    this.#pages = new LazyPart('browser of pages', () => parts.startPages(options));
    this.#watchdog = startMemoryWatchdog({ consumers: () => this.#burdens(), log: options.log, cgroupFolder });
  }

  get browserVersion(): string | undefined {
    return this.#browserVersion;
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

  async open(site: string, device: Device, options: { readonly signal?: AbortSignal } = {}) {
    const pages = await this.#pages.get();
    this.memoryEndReason = undefined;
    this.#browserVersion = pages.browserVersion;
    return pages.open(site, device, options);
  }

  restartPageBrowser(): Promise<void> {
    return this.#pages.close(this.#options.log);
  }

  async close(): Promise<void> {
    const { log, proxy } = this.#options;
    this.#watchdog.close();
    await Promise.all([this.#renderer.close(log), this.#pages.close(log)]);
    await closeInTime(proxy, 'egress proxy', log);
  }

  #burdens(): MemoryConsumer[] {
    const pages = (this.#pages.running?.memoryConsumers() ?? []).map((burden) => ({
      ...burden,
      end: (words: string) => {
        this.memoryEndReason = words;
        burden.end(words);
      },
    }));
    return [...(this.#renderer.running?.memoryConsumers() ?? []), ...pages];
  }
}

function notStarted(part: string, cause: unknown): EngineStartError {
  const reason = errorMessage(cause);
  return new EngineStartError(`The ${part} could not be started: ${reason}`, { cause });
}

/** Started once, by whoever needs it first; after it was closed, again. */
class LazyPart<T extends { close(): Promise<void> }> {
  readonly #name: string;
  readonly #start: () => Promise<T>;
  #starting: Promise<T> | undefined;
  /** Once it has started, until it is closed. */
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

async function closeInTime(part: { close(): Promise<void> }, name: string, log: Log): Promise<void> {
  try {
    await withDeadline(CLOSE_MS, part.close());
  } catch (error) {
    log.warn({ err: error }, `the ${name} did not end cleanly`);
  }
}

const REAL_PARTS: EngineParts = {
  startRenderer: ({ chromiumPath, proxy, fetch, sandbox, settings, log }) =>
    startCreativeRenderer({
      chromiumPath,
      proxyUrl: proxy.url,
      origins: proxy.origins,
      sandbox,
      fetch,
      log: (message, fields = {}) => log.info(fields, message),
      ...(settings.creativeDeadlineMs !== undefined && { creativeDeadlineMs: settings.creativeDeadlineMs }),
    }),
  startPages: ({ chromiumPath, proxy, sandbox, settings, log }) =>
    startPageOpener({
      chromiumPath,
      proxyUrl: proxy.url,
      sandbox,
      egressFailures: () => proxy.failures,
      log,
      ...(settings.navigationTimeoutMs !== undefined && { navigationTimeoutMs: settings.navigationTimeoutMs }),
      ...(settings.settleCapMs !== undefined && { settleCapMs: settings.settleCapMs }),
    }),
};
