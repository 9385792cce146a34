import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { errorMessage } from '../../lib/errorMessage.ts';

/**
 * Features that are off in both browsers. The list starts with Playwright's own, because a second
 * `--disable-features` replaces the first one.
 */
const DISABLED_FEATURES: readonly string[] = [
  // Playwright's.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'Translate',
  // Ours: mDNS names of WebRTC candidates and the search for displays would bypass the proxy.
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
  const found = [playwrightShell(), ...PLACES].find((path) => path !== '' && existsSync(path));
  if (found === undefined) throw new Error(`No Chromium was found. ${installHint(setting)}`);
  return found;
}

function playwrightShell(): string {
  // Playwright is large. `tearsheet dev` uses it only here, and not at all if it gets a path.
  const { chromium }: typeof import('playwright') = createRequire(import.meta.url)('playwright');
  const full = chromium.executablePath();
  return full
    .replace(/chromium-(\d+)/, 'chromium_headless_shell-$1')
    .replace(/chrome-linux(64)?\/chrome$/, 'chrome-headless-shell-linux64/chrome-headless-shell');
}

/**
 * Runs the executable with `--version`, which takes a tenth of the time of a browser start.
 * @returns for example `156.0.8078.73`.
 * @throws Error that tells a slow machine from an executable that is not Chromium.
 */
export async function browserVersion(chromiumPath: string, timeoutMs = TIMEOUT_MS): Promise<string> {
  const printed = await printedVersion(chromiumPath, timeoutMs);
  const [version] = /\d+(\.\d+)+/.exec(printed) ?? [];
  if (version !== undefined) return version;
  throw new Error(
    `${chromiumPath} is not a Chromium: with --version it printed ${JSON.stringify(printed.slice(0, 200))}.`,
  );
}

async function printedVersion(chromiumPath: string, timeoutMs: number): Promise<string> {
  try {
    return (await promisify(execFile)(chromiumPath, ['--version'], { timeout: timeoutMs })).stdout;
  } catch (cause) {
    // Only our timeout makes Node kill the process.
    if (cause instanceof Error && 'killed' in cause && cause.killed === true) {
      throw new Error(
        `${chromiumPath} did not print its version within ${timeoutMs / 1000} s. The machine may be overloaded.`,
        { cause },
      );
    }
    const reason = errorMessage(cause).trim().slice(0, 500);
    throw new Error(`${chromiumPath} could not print its version, so it is not a working Chromium: ${reason}`, {
      cause,
    });
  }
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

/** @returns the flag that switches {@link DISABLED_FEATURES} and `more` off. */
export function disabledFeaturesFlag(more: readonly string[] = []): string {
  return `--disable-features=${[...DISABLED_FEATURES, ...more].join(',')}`;
}

/**
 * Sends all traffic through the proxy, loopback included. QUIC, WebRTC over UDP and DNS queries, which would bypass it, are off.
 * @param proxyUrl for example `http://127.0.0.1:4000`.
 */
export function networkFlags(proxyUrl: string): string[] {
  return [
    `--proxy-server=${proxyUrl}`,
    // Without this flag, loopback bypasses the proxy.
    '--proxy-bypass-list=<-loopback>',
    // The same flag without "force" has no effect.
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    // The proxy resolves names. WebRTC would send DNS queries for its own servers.
    '--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE 127.0.0.1',
  ];
}
