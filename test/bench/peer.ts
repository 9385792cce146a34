/** The peer: capture-website from npm, used as its documentation describes, with one call for each picture. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Device } from '../../src/domain/devices.ts';
import type { BenchAd } from './ads.ts';
import { CHROMIUM } from './machine.ts';
import { type RawPageOptions, SANDBOX } from './rawCapture.ts';
import { showInSlot } from './showInSlot.ts';

export interface Peer {
  readonly version: string;
  capture(ad: BenchAd): Promise<Buffer>;
}

/** The part of its API that the benchmark uses. */
interface CaptureWebsite {
  buffer(url: string, options: object): Promise<Uint8Array>;
}

/** The part of Puppeteer's page that the benchmark uses. */
interface PeerPage {
  evaluate(work: typeof showInSlot, argument: readonly [string, string]): Promise<void>;
}

const FOLDER = new URL('./peer/', import.meta.url);
const PACKAGE = new URL('node_modules/capture-website/', FOLDER);
const INSTALL_MS = 300_000;

/** Installs it if it is missing, from its lockfile and without running its scripts. */
export async function preparePeer({ url, device, slot }: RawPageOptions): Promise<Peer> {
  const wanted = await versionIn(new URL('package.json', FOLDER), 'dependencies');
  if ((await versionIn(new URL('package.json', PACKAGE), 'version')) !== wanted) await install();
  const { default: website } = (await import(new URL('index.js', PACKAGE).href)) as { default: CaptureWebsite };
  const options = optionsFor(device);
  return {
    version: wanted ?? '',
    async capture({ source }) {
      const beforeScreenshot = (page: PeerPage) => page.evaluate(showInSlot, [slot, source]);
      return Buffer.from(await website.buffer(url, { ...options, beforeScreenshot }));
    },
  };
}

/** Its defaults, except for its ad blocker and for options that make its picture equal to ours. */
function optionsFor({ viewport, ratio }: Device): object {
  return {
    ...viewport,
    scaleFactor: ratio,
    blockAds: false,
    launchOptions: { headless: true, executablePath: CHROMIUM, args: SANDBOX },
  };
}

async function install(): Promise<void> {
  const options = { cwd: fileURLToPath(FOLDER), timeout: INSTALL_MS };
  await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
}

async function versionIn(file: URL, field: 'version' | 'dependencies'): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  const manifest = JSON.parse(text) as { version?: string; dependencies?: Record<string, string> };
  return field === 'version' ? manifest.version : manifest.dependencies?.['capture-website'];
}
