import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorMessage } from '../../lib/errorMessage.ts';
import { secondsText } from '../../lib/secondsText.ts';

/** Features that are off in all browsers. Chromium takes only the last list, so this one contains Playwright's. */
const DISABLED_FEATURES: readonly string[] = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  // Besides Playwright's.
  'Translate',
  // A page could request a process of its own, but all frames share one.
  'OriginIsolationHeader',
  // mDNS names of WebRTC candidates and the search for displays would bypass the proxy.
  'WebRtcHideLocalIpsWithMdns',
  'DialMediaRouteProvider',
];

/**
 * Chromium's own sandbox around each of its renderers. The container or gVisor around the capture is separate.
 * `auto`: use it if the system allows it. `required`: start no browser without it.
 */
export type SandboxMode = 'auto' | 'required' | 'off';

/** Creates the namespaces that the sandbox needs, in the same way. */
const PROBE = ['--user', '--map-root-user', '--pid', '--net', '--fork', 'true'];
const PROBE_MS = 5_000;

const TIMEOUT_MS = 20_000;

/** @param setting the flag or environment variable that names the executable. */
function installHint(setting: string): string {
  return `Install it (Debian: apt-get install chromium-headless-shell, elsewhere: npx playwright install --only-shell chromium), or name its executable with ${setting}.`;
}

// Debian's /usr/bin/chromium-headless-shell is a script that does not exec: killing it orphans the browser.
const PLACES = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/chromium',
  '/usr/lib64/chromium-browser/headless_shell',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

/**
 * @returns the path of the browser: the given one, else Playwright's headless shell, else Debian's, else any other.
 * @throws Error if there is none, which says what to do.
 */
export function findChromium(given?: string, setting: '--chromium' | 'CHROMIUM_PATH' = 'CHROMIUM_PATH'): string {
  if (given !== undefined && given !== '') {
    if (!existsSync(given)) throw new Error(`There is no Chromium at ${given} (${setting}). ${installHint(setting)}`);
    return given;
  }
  const found = [playwrightShell(), ...PLACES].find((place) => place !== '' && existsSync(place));
  if (found === undefined) throw new Error(`No Chromium was found. ${installHint(setting)}`);
  return found;
}

/** The newest headless shell that `npx playwright install` has put into the cache of this user; empty if there is none. */
function playwrightShell(): string {
  const cache = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
  const folder = path.join(homedir(), cache, 'ms-playwright');
  if (!existsSync(folder)) return '';
  const shells = globSync('chromium_headless_shell-*/chrome-headless-shell-*/chrome-headless-shell', { cwd: folder });
  const revision = (shell: string) => Number(/-(\d+)\//.exec(shell)?.[1]);
  const [newest] = shells.toSorted((one, two) => revision(two) - revision(one));
  return newest === undefined ? '' : path.join(folder, newest);
}

/**
 * Runs the executable with `--version`, which takes a tenth of the time of a browser start.
 * @returns for example `156.0.8078.73`.
 * @throws Error that distinguishes a slow machine from an executable that is not Chromium.
 */
export async function browserVersion(chromiumPath: string, timeoutMs = TIMEOUT_MS): Promise<string> {
  let printed: string;
  try {
    printed = (await promisify(execFile)(chromiumPath, ['--version'], { timeout: timeoutMs })).stdout;
  } catch (cause) {
    // Only our timeout makes Node kill the process.
    const isLate = cause instanceof Error && 'killed' in cause && cause.killed === true;
    const message = isLate
      ? `did not print its version within ${secondsText(timeoutMs)}. The machine may be overloaded.`
      : `could not print its version, so it is not a working Chromium: ${errorMessage(cause).trim().slice(0, 500)}`;
    throw new Error(`${chromiumPath} ${message}`, { cause });
  }
  const [version] = /\d+(\.\d+)+/.exec(printed) ?? [];
  if (version !== undefined) return version;
  const start = JSON.stringify(printed.slice(0, 200));
  throw new Error(`${chromiumPath} is not a Chromium: with --version it printed ${start}.`);
}

/** @returns whether browsers start with the sandbox. @throws Error if it is required but not available. */
export async function decideSandbox(
  mode: SandboxMode,
  probe: () => Promise<boolean> = isSandboxAvailable,
): Promise<boolean> {
  if (mode === 'off') return false;
  const possible = await probe();
  if (possible || mode === 'auto') return possible;
  throw new Error(
    'CHROMIUM_SANDBOX requires Chromium’s sandbox, but it is not available. It needs a user other than root, and a kernel and seccomp profile that allow user namespaces.',
  );
}

async function isSandboxAvailable(): Promise<boolean> {
  if (process.getuid?.() === 0) return false;
  if (process.platform !== 'linux') return true;
  try {
    await promisify(execFile)('unshare', PROBE, { timeout: PROBE_MS });
    return true;
  } catch (error) {
    // Without the program unshare nothing is known. A browser that needs the sandbox reports its absence.
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

/** @returns the flag that switches {@link DISABLED_FEATURES} off. */
export function disabledFeaturesFlag(): string {
  return `--disable-features=${DISABLED_FEATURES.join(',')}`;
}

/** Beside the proxy: QUIC, WebRTC over UDP and DNS queries, which would bypass it, are off. */
export function networkFlags(): string[] {
  return [
    // The same flag without "force" has no effect.
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    // The proxy resolves names. WebRTC would send DNS queries for its own servers.
    '--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE 127.0.0.1',
  ];
}
