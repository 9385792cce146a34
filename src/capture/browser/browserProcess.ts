import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { errorMessage } from '../../lib/errorMessage.ts';
import { type CdpCommands, CdpConnection, type CdpSession } from './cdp.ts';
import { BYPASS_NOTHING, disabledFeaturesFlag, networkFlags } from './chromium.ts';

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
  readonly name: string;
  readonly flags: readonly string[];
  /** Flags of V8. */
  readonly jsFlags?: readonly string[];
}

/** A running browser, controlled over the DevTools protocol. */
export interface BrowserProcess {
  readonly cdp: CdpConnection;
  /** For example `156.0.8078.73`. */
  readonly version: string;
  /** Its profile folder; `close` removes it. */
  readonly profile: string;
  /** Undefined if it was not started. */
  readonly processGroup: number | undefined;
  /** False once it crashed or was closed. */
  isAlive(): boolean;
  /** Ends all its processes at once. */
  kill(): void;
  /** Ends all its processes and removes its profile. */
  close(): Promise<void>;
}

/** All frames of a page share one process, and so one session and one clock. Each context holds one page or creative only. */
const ONE_PROCESS_FLAGS = ['--disable-site-isolation-trials', '--block-new-web-contents'];

/** Pages and creatives are painted alike, on every machine. */
const PAINT_FLAGS = [
  '--hide-scrollbars',
  '--force-color-profile=srgb',
  '--mute-audio',
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
];

const QUIET_FLAGS = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-breakpad',
  '--no-first-run',
  '--metrics-recording-only',
  '--disable-dev-shm-usage',
  '--disable-renderer-backgrounding',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-back-forward-cache',
  '--disable-ipc-flooding-protection',
  '--disable-hang-monitor',
  '--disable-field-trial-config',
];

const START_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 5_000;
const TARGET_TIMEOUT_MS = 20_000;
const DISPOSE_TIMEOUT_MS = 10_000;

/** @throws BrowserStartError */
export async function startBrowser(options: BrowserOptions, kind: BrowserKind): Promise<BrowserProcess> {
  const profile = await createProfile(kind.name);
  const child = spawn(options.chromiumPath, flagsOf(options, kind, profile), {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // A process group of its own, so that all of it can be killed at once.
    detached: true,
  });
  const ended = whenEnded(child);
  const stderr = collectStderr(child);
  const [input, output] = [child.stdio[3], child.stdio[4]];
  if (!(input instanceof Writable && output instanceof Readable))
    throw new BrowserStartError(`The browser ${options.chromiumPath} could not be started: it has no pipes.`);
  const cdp = new CdpConnection(input, output);
  void ended.then((reason) => cdp.end(reason));

  const close = async () => {
    cdp.end('The browser was closed');
    killGroup(child);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref())]);
    // Killed processes may write for another moment.
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  };
  try {
    const { product } = await cdp.root.send('Browser.getVersion', undefined, START_TIMEOUT_MS);
    return {
      cdp,
      version: product.replace(/^.*\//, ''),
      profile,
      processGroup: child.pid,
      isAlive: () => !cdp.ended && isRunning(child),
      kill: () => killGroup(child),
      close,
    };
  } catch (cause) {
    await close();
    const printed = stderr() || 'nothing';
    throw new BrowserStartError(`The browser ${options.chromiumPath} did not start. It printed: ${printed}`, { cause });
  }
}

/** A page in a browser context of its own. */
export interface PageTarget {
  readonly session: CdpSession;
  readonly sessionId: string;
  /** Also the id of the main frame. */
  readonly targetId: string;
  readonly contextId: string;
}

/**
 * Opens a blank page that downloads nothing. If `prepare` fails, the page is closed.
 * @param proxyUrl another way out than that of the browser.
 * @throws CdpError, CdpTimeoutError, BrowserGoneError, the error of `prepare`.
 */
export async function openTarget<T>(
  browser: BrowserProcess,
  window: Partial<CdpCommands['Target.createTarget']['paramsType'][0]>,
  prepare: (target: PageTarget) => Promise<T>,
  proxyUrl?: string,
): Promise<T> {
  const { root } = browser.cdp;
  const { browserContextId } = await root.send('Target.createBrowserContext', {
    disposeOnDetach: true,
    ...(proxyUrl !== undefined && { proxyServer: proxyUrl, proxyBypassList: BYPASS_NOTHING }),
  });
  try {
    const blank = { ...window, url: 'about:blank', browserContextId };
    const { targetId } = await root.send('Target.createTarget', blank, TARGET_TIMEOUT_MS);
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true }, TARGET_TIMEOUT_MS);
    await root.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId });
    const session = browser.cdp.session(sessionId);
    return await prepare({ session, sessionId, targetId, contextId: browserContextId });
  } catch (error) {
    await disposeContext(browser, browserContextId);
    throw error;
  }
}

/** Ends the pages of a browser context without asking their scripts. */
export async function disposeContext({ cdp, isAlive }: BrowserProcess, browserContextId: string): Promise<void> {
  if (isAlive()) await cdp.root.send('Target.disposeBrowserContext', { browserContextId }, DISPOSE_TIMEOUT_MS);
}

async function createProfile(name: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), `tearsheet-${name}-`));
  } catch (cause) {
    // Node's own error has no stack, so nothing else would say that a browser needed the folder.
    throw new BrowserStartError(`The profile folder of a browser could not be created: ${errorMessage(cause)}`, {
      cause,
    });
  }
}

function flagsOf({ proxyUrl, sandbox = false }: BrowserOptions, kind: BrowserKind, profile: string): string[] {
  return [
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    ...kind.flags,
    ...ONE_PROCESS_FLAGS,
    ...PAINT_FLAGS,
    ...QUIET_FLAGS,
    ...(proxyUrl === undefined ? [] : networkFlags(proxyUrl)),
    disabledFeaturesFlag(),
    ...(kind.jsFlags === undefined ? [] : [`--js-flags=${kind.jsFlags.join(',')}`]),
    ...(sandbox ? [] : ['--no-sandbox']),
  ];
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function whenEnded(child: ChildProcess): Promise<string> {
  // After SIGKILL of this process the browser ends by itself, because its pipe closes.
  const killAtExit = () => killGroup(child);
  process.once('exit', killAtExit);
  return new Promise((resolve) => {
    const done = (reason: string) => {
      process.off('exit', killAtExit);
      // Ends the processes that the main process left behind.
      killGroup(child);
      resolve(reason);
    };
    child.once('exit', (code, signal) => done(`The browser ended (${signal ?? `exit code ${code}`})`));
    child.once('error', (error) => done(`The browser could not be started: ${error.message}`));
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** @returns a function that returns the last lines that the browser printed. */
function collectStderr(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-2_000);
  });
  return () => text.trim();
}
