import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { errorMessage } from '../../lib/errorMessage.ts';
import { type CdpConnection, connectCdp } from './cdp.ts';
import { disabledFeaturesFlag, networkFlags } from './chromium.ts';

/** The browser did not start. The message ends with the last lines that it printed. */
export class BrowserStartError extends Error {
  override readonly name = 'BrowserStartError';
}

export interface SteppedBrowserOptions {
  readonly chromiumPath: string;
  /** The only way out of the browser, for example `http://127.0.0.1:4000`. */
  readonly proxyUrl: string;
  /** Chromium's own sandbox. Default: off. */
  readonly sandbox?: boolean;
}

/** A browser whose clock and frames are controlled over CDP. */
export interface SteppedBrowser {
  readonly cdp: CdpConnection;
  /** Its profile folder; `close` removes it. */
  readonly profile: string;
  /** Undefined if it was not started. */
  readonly processGroup: number | undefined;
  /** False once it crashed or was closed. */
  isAlive(): boolean;
  /** Ends all its processes and removes its profile. */
  close(): Promise<void>;
}

const STEPPED_FLAGS = [
  '--enable-begin-frame-control',
  '--run-all-compositor-stages-before-draw',
  '--disable-threaded-animation',
  '--disable-threaded-scrolling',
  '--disable-checker-imaging',
  '--disable-image-animation-resync',
  // All frames share one process and so one clock. Each context holds one creative only.
  '--disable-site-isolation-trials',
  '--block-new-web-contents',
];

/** These make it paint like Playwright's browser. */
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

/** @throws BrowserStartError */
export async function startSteppedBrowser(options: SteppedBrowserOptions): Promise<SteppedBrowser> {
  const profile = await createProfile();
  const child = spawn(options.chromiumPath, flagsOf(options, profile), {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // A process group of its own, so that all of it can be killed at once.
    detached: true,
  });
  const ended = whenEnded(child);
  const stderr = collectStderr(child);
  const [input, output] = [child.stdio[3], child.stdio[4]];
  if (!(input instanceof Writable && output instanceof Readable))
    throw new BrowserStartError(`The browser ${options.chromiumPath} could not be started: it has no pipes.`);
  const cdp = connectCdp(input, output);
  void ended.then((reason) => cdp.end(reason));

  const close = async () => {
    cdp.end('The browser was closed');
    killGroup(child);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref())]);
    // Killed processes may write for another moment.
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  };
  try {
    await cdp.root.send('Browser.getVersion', undefined, START_TIMEOUT_MS);
    await endIfPageCrashes(cdp, child);
    return {
      cdp,
      profile,
      processGroup: child.pid,
      isAlive: () => !cdp.ended && isRunning(child),
      close,
    };
  } catch (cause) {
    await close();
    const printed = stderr() || 'nothing';
    throw new BrowserStartError(`The browser ${options.chromiumPath} did not start. It printed: ${printed}`, { cause });
  }
}

/** A crashed page answers no call. A browser shows one creative only, so it ends with its page. */
async function endIfPageCrashes(cdp: CdpConnection, child: ChildProcess): Promise<void> {
  cdp.root.on('Target.targetCrashed', () => {
    cdp.end('A page of the browser crashed');
    killGroup(child);
  });
  await cdp.root.send('Target.setDiscoverTargets', { discover: true });
}

async function createProfile(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'tearsheet-stepped-'));
  } catch (cause) {
    // Node's own error has no stack, so nothing else would say that a browser needed the folder.
    throw new BrowserStartError(`The profile folder of a browser could not be created: ${errorMessage(cause)}`, {
      cause,
    });
  }
}

function flagsOf({ proxyUrl, sandbox = false }: SteppedBrowserOptions, profile: string): string[] {
  return [
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
    ...STEPPED_FLAGS,
    ...PAINT_FLAGS,
    ...QUIET_FLAGS,
    ...networkFlags(proxyUrl),
    disabledFeaturesFlag(['OriginIsolationHeader']),
    // The heap limit ends the renderer of a heap bomb. The seed makes Math.random repeat in every rendering.
    '--js-flags=--max-old-space-size=512,--random-seed=1',
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
