/**
 * Writes a gallery: creatives on pages and devices, in one page for a person to judge. `make gallery` starts it, with its options in
 * the variables CREATIVES, PAGES, DEVICES, LIMIT and OUT.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findChromium } from '../../src/capture/browser/chromium.ts';
import { DEVICE_NAMES, type Device, findDevice } from '../../src/domain/devices.ts';
import { errorMessage } from '../../src/lib/errorMessage.ts';
import type { Log } from '../../src/lib/log.ts';
import { captureGallery } from './capture.ts';
import { galleryPage } from './galleryPage.ts';
import { countOutcomes, readLabels, tallyLines } from './labels.ts';
import { openMaterials } from './materials.ts';
import { takeWholePages } from './wholePages.ts';

const DEFAULTS = {
  CREATIVES: 'fixtures',
  PAGES: 'fixtures',
  DEVICES: 'desktop,mobile',
  LIMIT: '60',
  OUT: 'gallery-output',
};
const MAX_LIMIT = 1_000;
const started = Date.now();

function progress(line: string): void {
  console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
}

const LOG: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_fields, message) => progress(`warning: ${message}`),
  error: (_fields, message) => progress(`error: ${message}`),
};

function variable(name: keyof typeof DEFAULTS): string {
  const given = process.env[name]?.trim() ?? '';
  return given === '' ? DEFAULTS[name] : given;
}

function listOf(name: keyof typeof DEFAULTS): string[] {
  return variable(name)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function deviceNamed(name: string): Device {
  const device = findDevice(name);
  if (device === undefined) throw new Error(`DEVICES names ${name}. It must be a list of ${DEVICE_NAMES.join(', ')}.`);
  return device;
}

function limit(): number {
  const value = Number(variable('LIMIT'));
  if (!Number.isInteger(value) || value < 1 || value > MAX_LIMIT)
    throw new Error(`LIMIT must be a number of pictures from 1 to ${MAX_LIMIT}.`);
  return value;
}

async function main(): Promise<void> {
  const interrupted = new AbortController();
  // The gallery then contains the pictures that exist.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new Error('The gallery was interrupted.')));
  const out = path.resolve(variable('OUT'));
  const options = {
    chromiumPath: findChromium(process.env['CHROMIUM_PATH']),
    devices: listOf('DEVICES').map(deviceNamed),
    limit: limit(),
    out,
    allow: ['127.0.0.0/8'],
    log: LOG,
    signal: interrupted.signal,
    progress,
  };
  const materials = await openMaterials({ creatives: listOf('CREATIVES'), pages: listOf('PAGES') });
  try {
    // Only what an earlier run wrote: OUT may be a folder with other files.
    for (const name of ['pictures', 'thumbnails', 'pages'])
      await rm(path.join(out, name), { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    const gallery = await captureGallery(materials, options);
    progress('taking pictures of the whole pages …');
    const wholePages = await takeWholePages(gallery.plan, options);
    const file = path.join(out, 'index.html');
    const placed = gallery.items.filter(({ status }) => status === 'uploaded').length;
    const title = `${placed} of ${gallery.items.length} with a picture, ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    await writeFile(file, galleryPage(gallery, wholePages, title));
    await writeFile(path.join(out, 'items.json'), `${JSON.stringify(gallery.items, null, 1)}\n`);
    for (const line of tallyLines(countOutcomes(gallery.items, readLabels()))) progress(line);
    progress(`${title}: ${file}`);
  } finally {
    await materials.close();
  }
}

main().catch((error: unknown) => {
  console.error(`gallery: ${errorMessage(error)}`);
  process.exit(1);
});
