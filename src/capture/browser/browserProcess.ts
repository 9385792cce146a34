import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext, BrowserContextOptions, LaunchOptions, Page } from 'playwright-core';
import { withDeadline } from '../../lib/deadline.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { BrowserGoneError, CdpSession } from './cdp.ts';
import { disabledFeaturesFlag, networkFlags } from './chromium.ts';

/** The browser did not start. The message ends with the last lines that it printed. */
export class BrowserStartError extends Error {}

export interface BrowserOptions {
  readonly chromiumPath: string;
  /** The only way out of the browser, for example `http://127.0.0.1:4000`. Without it the browser connects directly. */
  readonly proxyUrl?: string | undefined;
  /** Chromium's own sandbox. Default: off. */
  readonly sandbox?: boolean;
}

/** The flags of one kind of browser, besides those of all. */
export interface BrowserKind {
  readonly flags: readonly string[];
  /** Flags of V8. */
  readonly jsFlags?: readonly string[];
}

/** A blank page in a browser context of its own. */
export interface BrowserPage {
  readonly page: Page;
  readonly session: CdpSession;
  /** The id of the main frame. */
  readonly frameId: string;
  /** Ends the page without asking its scripts. */
  close(): Promise<void>;
}

/** A running browser. */
export interface BrowserProcess {
  /** For example `156.0.8078.73`. */
  readonly version: string;
  readonly processGroup: number;
  /** False once it crashed or was closed. */
  isAlive(): boolean;
  /**
   * Opens a page, and passes it on to `prepare`. If that fails, the page is closed.
   * @throws CdpError, CdpTimeoutError, DeadlineError, BrowserGoneError, the error of `prepare`.
   */
  openPage<T>(options: BrowserContextOptions, prepare: (page: BrowserPage) => Promise<T>): Promise<T>;
  /** Ends all its processes at once. */
  kill(): void;
  /** Ends all its processes and removes its profile. */
  close(): Promise<void>;
}

/** All frames of a page share one process, and so one session and one clock. Each context holds one page or creative only. */
const ONE_PROCESS_FLAGS = ['--disable-site-isolation-trials', '--block-new-web-contents'];

const START_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 5_000;
const OPEN_TIMEOUT_MS = 20_000;
const DISPOSE_TIMEOUT_MS = 10_000;
const FORGET_MS = 500;

/** @throws BrowserStartError */
export async function startBrowser(options: BrowserOptions, kind: BrowserKind): Promise<BrowserProcess> {
  // It takes 0.3 s and 75 MB, which a capture of still images does without.
  const { chromium } = await import('playwright-core');
  let browser: Browser | undefined;
  try {
    browser = await chromium.launch(launchOptions(options, kind));
    return new PlaywrightBrowser(browser, await withDeadline(START_TIMEOUT_MS, processGroupOf(browser)));
  } catch (cause) {
    await withDeadline(CLOSE_TIMEOUT_MS, Promise.resolve(browser?.close())).catch((error: unknown) => void error);
    throw new BrowserStartError(`The browser ${options.chromiumPath} did not start. ${whyNotStarted(cause)}`, {
      cause,
    });
  }
}

function launchOptions({ chromiumPath, proxyUrl, sandbox = false }: BrowserOptions, kind: BrowserKind): LaunchOptions {
  return {
    executablePath: chromiumPath,
    chromiumSandbox: sandbox,
    timeout: START_TIMEOUT_MS,
    // The process ends by its own rules, and its browsers end with it.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    ...(proxyUrl !== undefined && { proxy: { server: proxyUrl } }),
    args: [
      ...kind.flags,
      ...ONE_PROCESS_FLAGS,
      ...(proxyUrl === undefined ? [] : networkFlags()),
      disabledFeaturesFlag(),
      ...(kind.jsFlags === undefined ? [] : [`--js-flags=${kind.jsFlags.join(',')}`]),
    ],
  };
}

/** The lines that the browser printed, each of which the error of Playwright may contain twice. */
function whyNotStarted(cause: unknown): string {
  const message = errorMessage(cause);
  const printed = new Set([...message.matchAll(/\[pid=\d+\]\[err\] (.*)/g)].map(([, line]) => line));
  if (printed.size > 0 || message.includes('[pid='))
    return `It printed: ${[...printed].join('\n').slice(-2_000) || 'nothing'}`;
  return message.replace(/^browserType\.launch: /, '');
}

/** Playwright makes each browser the leader of a process group, and does not expose its id. */
async function processGroupOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const pid = processInfo.find(({ type }) => type === 'browser')?.id;
  if (pid === undefined) throw new Error('It does not report its process id.');
  if (process.platform !== 'linux') return pid;
  // The executable may be a script that starts the browser, perhaps where other processes have these ids.
  const { group } = await readProcess(pid);
  const { parent } = await readProcess(group);
  if (parent !== process.pid) throw new Error('Its process was not found.');
  return group;
}

async function readProcess(pid: number): Promise<{ parent: number; group: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name of a process in parentheses may contain any character.
  const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(parent), group: Number(group) };
}

/** Playwright keeps the last 200 console messages and errors of a page, of any size, which nobody reads. A page could fill the memory. */
function forgetTexts(page: Page): void {
  const forget = () => {
    // Both calls fail once the page is closed.
    for (const call of [page.clearConsoleMessages(), page.clearPageErrors()])
      call.catch((error: unknown) => void error);
  };
  const timer = setInterval(forget, FORGET_MS);
  timer.unref();
  page.once('close', () => clearInterval(timer));
}

class PlaywrightBrowser implements BrowserProcess {
  readonly version: string;
  readonly processGroup: number;
  readonly #browser: Browser;
  #ended: string | undefined;
  #isConnected = true;

  constructor(browser: Browser, processGroup: number) {
    this.#browser = browser;
    this.version = browser.version();
    this.processGroup = processGroup;
    const disconnect = () => {
      // The main process may leave others behind. Later, another process may have its id.
      this.#end('The browser is gone');
      this.#isConnected = false;
    };
    browser.on('disconnected', disconnect);
    if (!browser.isConnected()) disconnect();
  }

  isAlive(): boolean {
    return this.#ended === undefined;
  }

  async openPage<T>(options: BrowserContextOptions, prepare: (page: BrowserPage) => Promise<T>): Promise<T> {
    const context = await this.#answered(this.#browser.newContext({ ...options, acceptDownloads: false }));
    const close = () => this.#dispose(context);
    try {
      const page = await this.#answered(context.newPage());
      forgetTexts(page);
      const session = new CdpSession(await this.#answered(context.newCDPSession(page)), () => this.#whyGone());
      const { frameTree } = await session.send('Page.getFrameTree', undefined, OPEN_TIMEOUT_MS);
      return await prepare({ page, session, frameId: frameTree.frame.id, close });
    } catch (error) {
      // The first error says why. Callers replace a browser that no longer answers.
      await close().catch((later: unknown) => void later);
      throw error;
    }
  }

  kill(): void {
    this.#end('The browser was killed');
  }

  async close(): Promise<void> {
    this.#end('The browser was closed');
    // Playwright removes the profile when all processes have ended.
    await withDeadline(CLOSE_TIMEOUT_MS, this.#browser.close()).catch((error: unknown) => void error);
  }

  async #dispose(context: BrowserContext): Promise<void> {
    if (!this.isAlive()) return;
    try {
      await this.#answered(context.close(), DISPOSE_TIMEOUT_MS);
    } catch (error) {
      if (this.isAlive()) throw error;
    }
  }

  /** Some calls are never answered if the browser ends. @throws BrowserGoneError, DeadlineError. */
  async #answered<T>(call: Promise<T>, ms = OPEN_TIMEOUT_MS): Promise<T> {
    const gone = Promise.withResolvers<never>();
    const end = () => gone.reject(this.#whyGone());
    this.#browser.once('disconnected', end);
    try {
      return await withDeadline(ms, Promise.race([call, gone.promise]));
    } catch (error) {
      throw this.#whyGone() ?? error;
    } finally {
      this.#browser.off('disconnected', end);
    }
  }

  #whyGone(): BrowserGoneError | undefined {
    return this.#ended === undefined ? undefined : new BrowserGoneError(this.#ended);
  }

  #end(reason: string): void {
    this.#ended ??= reason;
    if (!this.#isConnected) return;
    try {
      process.kill(-this.processGroup, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
