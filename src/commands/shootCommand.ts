/** The command line of `tearsheet shoot`. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ShootAd, ShootOptions } from '../capture/shoot/shoot.ts';
import { Faults } from '../contract/faults.ts';
import { slotChoiceOf } from '../contract/readRequest.ts';
import { slotChoiceObject } from '../contract/requests.ts';
import { readRuleFile } from '../contract/siteRules.ts';
import { AD_SIDE_MAX, type AdSize } from '../domain/ads.ts';
import { ANIMATION_FPS, ANIMATION_SECONDS_MAX } from '../domain/animations.ts';
import { DEVICE_NAMES, type Device, deviceMeant, findDevice } from '../domain/devices.ts';
import { isMarker, MARKER_MAX_SECONDS, markerMs } from '../domain/markers.ts';
import { PLACEMENT_SIZES_MAX } from '../domain/placements.ts';
import {
  DEFAULT_OPTIONS,
  GROUP_ADS_MAX,
  OTHER_ADS,
  type OtherAds,
  PAGE_VIEWS,
  type PageView,
  type SlotChoice,
  slotOfText,
} from '../domain/screenshotOptions.ts';
import { SLOT_FORMATS } from '../domain/slotFormats.ts';
import { siteFault, siteKey } from '../domain/webAddresses.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import type { Log } from '../lib/log.ts';
import { addressRanges, wholeNumber } from './arguments.ts';
import { findLocation } from './shootLocation.ts';

interface ShootFlags {
  readonly ad?: readonly ShootAd[];
  readonly candidates?: readonly AdSize[] | true;
  readonly site: readonly string[];
  readonly device?: readonly Device[];
  readonly marker?: readonly number[];
  readonly out: string;
  readonly allow?: readonly string[];
  readonly adSize?: AdSize;
  readonly allowScaling?: boolean;
  readonly slot?: SlotChoice | null;
  readonly otherAds: OtherAds;
  readonly fullPage?: boolean;
  readonly view: PageView;
  readonly group?: true;
  readonly animate?: number;
  readonly location?: string;
  readonly locations?: string;
  readonly rules?: ShootOptions['rules'];
  readonly json?: boolean;
  readonly chromium?: string;
}

/** Registers `tearsheet shoot`, which sets `process.exitCode`. Invalid options throw a CommanderError. */
export function shootCommand(program: Command): void {
  program
    .command('shoot')
    .description('take placement previews of ads on pages, without a server or a database')
    .option('--ad <file|url|tag>', 'image, video, VAST, HTML5 zip, page or tag (repeatable)', each(ad))
    .requiredOption('--site <url>', 'page on which the ads are placed (repeatable)', each(site))
    .option(
      '--device <name>',
      `one of ${DEVICE_NAMES.join(', ')}, or a size such as 412x915@2.63; default: desktop (repeatable)`,
      each(deviceNamed),
    )
    .option('--marker <seconds>', 'marker of the ad, 0 to 30; default: the default frame (repeatable)', each(marker))
    .option('--ad-size <width>x<height>', 'size of the ads in CSS pixels; overrides what they declare', adSize)
    .option('--allow-scaling', 'scale an ad down if no slot fits its size')
    .option(
      '--slot <choice>',
      `CSS selector of the slot, the number of a candidate in the record, or format: and one of ${SLOT_FORMATS.join(', ')}`,
      slot,
    )
    .addOption(
      new Option('--other-ads <choice>', 'hide: as if no ad was delivered; keep: other ads load')
        .choices(OTHER_ADS)
        .default(DEFAULT_OPTIONS.otherAds),
    )
    .option('--full-page', 'take the whole page instead of the viewport')
    .addOption(
      new Option('--view <choice>', 'slot: the page around the slot; masthead: as much of the page above it as fits')
        .choices(PAGE_VIEWS)
        .default(DEFAULT_OPTIONS.view),
    )
    .option('--group', 'take one picture with all ads, each in a slot of its own')
    .option(
      '--animate <seconds>',
      `also write an animated WebP and GIF of the first seconds of the ads, 1 to ${ANIMATION_SECONDS_MAX}`,
      wholeNumber(1, ANIMATION_SECONDS_MAX, `a whole number of seconds from 1 to ${ANIMATION_SECONDS_MAX}`),
    )
    .option(
      '--candidates [sizes]',
      'show the slots of the pages for ads of these sizes, for example 300x250,728x90, and place nothing; default: the sizes of the ads',
      adSizes,
    )
    .option('--out <dir>', 'folder for pictures and their records', './tearsheet-shots')
    .addOption(
      new Option(
        '--allow <range>',
        'addresses that are allowed although they are not public, such as 127.0.0.1:3000 or 10.0.0.0/8 (repeatable)',
      )
        .env('EGRESS_ALLOW')
        .argParser(addressRanges),
    )
    .option('--location <id>', 'open the pages from this location')
    .option('--locations <file>', 'JSON file with the locations, as the setting LOCATIONS')
    .option('--rules <file>', 'JSON file with site rules, as the service exports them', rulesOf)
    .addOption(new Option('--chromium <path>', 'executable of Chromium').env('CHROMIUM_PATH'))
    .option('--json', 'print a JSON line for each picture, or for each page with --candidates')
    .addHelpText('after', '\nExit code: 0 if all pictures were taken, 3 if some were not, 2 for invalid options.')
    .action(async (flags: ShootFlags, command: Command) => {
      const { ad, candidates, adSize } = flags;
      const knowsSizes = Array.isArray(candidates) || (candidates === true && adSize !== undefined);
      if (ad === undefined && !knowsSizes)
        command.error('error: pass --ad, or --candidates with sizes such as 300x250');
      if (flags.group && ((ad?.length ?? 0) > GROUP_ADS_MAX || (flags.marker?.length ?? 0) > 1))
        command.error(`error: --group takes at most ${GROUP_ADS_MAX} ads and one --marker`);
      process.exitCode = await run(flags);
    });
}

async function run(flags: ShootFlags): Promise<number> {
  const { findChromium } = await import('../capture/browser/chromium.ts');
  const { shoot } = await import('../capture/shoot/shoot.ts');
  const { showCandidates } = await import('../capture/shoot/candidates.ts');
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('The command was interrupted.'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const options = {
      ads: distinct(flags.ad ?? [], ({ given }) => given),
      sites: [...new Set(flags.site)],
      devices: [...new Set(flags.device ?? [deviceNamed('desktop')])],
      markers: flags.marker === undefined ? [null] : [...new Set(flags.marker)],
      out: flags.out,
      allow: flags.allow ?? [],
      adSize: flags.adSize,
      options: {
        ...DEFAULT_OPTIONS,
        allowScaling: flags.allowScaling ?? DEFAULT_OPTIONS.allowScaling,
        slot: flags.slot ?? DEFAULT_OPTIONS.slot,
        otherAds: flags.otherAds,
        fullPage: flags.fullPage ?? DEFAULT_OPTIONS.fullPage,
        view: flags.view,
        animation: flags.animate === undefined ? null : { seconds: flags.animate, fps: ANIMATION_FPS },
        location: flags.location ?? null,
        group: flags.group ? 'all ads' : null,
      },
      located: findLocation(flags),
      rules: flags.rules ?? [],
      json: flags.json ?? false,
      chromiumPath: findChromium(flags.chromium, '--chromium'),
    };
    const io = {
      print: (line: string) => console.log(line),
      printProgress: (line: string) => console.error(line),
      log: WARNINGS_ONLY,
      signal: interrupted.signal,
    };
    const { candidates, adSize } = flags;
    if (candidates === undefined) return await shoot(options, io);
    return await showCandidates({ ...options, sizes: candidates === true ? adSize && [adSize] : candidates }, io);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** The terminal shows progress lines, so only warnings and errors of the log are printed. */
const WARNINGS_ONLY: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_fields, message) => console.error(`warning: ${message}`),
  error: (_fields, message) => console.error(`error: ${message}`),
};

/** Collects the values of a repeatable option. */
function each<T>(parse: (text: string) => T): (text: string, before: readonly T[] | undefined) => readonly T[] {
  return (text, before = []) => [...before, parse(text)];
}

function distinct<T>(all: readonly T[], key: (one: T) => string): T[] {
  return [...new Map(all.map((one) => [key(one), one])).values()];
}

function ad(given: string): ShootAd {
  if (/^\s*</.test(given)) return { given, source: { kind: 'html_tag', content: given } };
  if (/^https?:\/\//i.test(given)) return { given, source: { kind: 'url', content: given } };
  const file = statSync(given, { throwIfNoEntry: false });
  if (file === undefined)
    throw new InvalidArgumentError('It is neither a file, nor an http(s) URL, nor a tag that starts with "<".');
  if (!file.isFile()) throw new InvalidArgumentError('It is not a file.');
  return { given, source: { kind: 'file', name: path.basename(given), bytes: readFileSync(given) } };
}

function adSize(given: string): AdSize {
  const [, width = 0, height = 0] = /^(\d{1,5})x(\d{1,5})$/i.exec(given.trim())?.map(Number) ?? [];
  if (width < 1 || height < 1 || width > AD_SIDE_MAX || height > AD_SIDE_MAX)
    throw new InvalidArgumentError(`It must be a width and a height from 1 to ${AD_SIDE_MAX}, for example 300x250.`);
  return { width, height };
}

function adSizes(given: string): AdSize[] {
  const sizes = distinct(given.split(',').map(adSize), ({ width, height }) => `${width}x${height}`);
  if (sizes.length > PLACEMENT_SIZES_MAX)
    throw new InvalidArgumentError(`There may be at most ${PLACEMENT_SIZES_MAX} sizes.`);
  return sizes;
}

function slot(given: string): SlotChoice | null {
  const faults = new Faults();
  const choice = slotChoiceOf(faults.read(slotChoiceObject, slotOfText(given), ''));
  for (const [name, [fault]] of Object.entries(faults.errors)) throw new InvalidArgumentError(`The ${name} ${fault}`);
  return choice;
}

function site(given: string): string {
  const fault = siteFault(given);
  if (fault !== undefined) throw new InvalidArgumentError(`It ${fault}`);
  return siteKey(given);
}

function deviceNamed(name: string): Device {
  const found = findDevice(name) ?? (/^\d/.test(name) ? deviceMeant(name) : undefined);
  if (found === undefined)
    throw new InvalidArgumentError(
      `It must be one of ${DEVICE_NAMES.join(', ')}, or the width and height of a screen and its pixel ratio, such as 412x915@2.63.`,
    );
  return found;
}

function rulesOf(file: string): NonNullable<ShootOptions['rules']> {
  const faults = new Faults();
  const rules = readRuleFile(jsonOf(file), faults);
  if (rules !== undefined) return rules;
  const lines = Object.entries(faults.errors).flatMap(([at, texts]) => texts.map((text) => `  ${at} ${text}`));
  throw new InvalidArgumentError(`It is no file of site rules.\n${lines.join('\n')}`);
}

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InvalidArgumentError(`It is no file with JSON: ${errorMessage(error)}.`);
  }
}

function marker(given: string): number {
  const seconds = given.trim() === '' ? Number.NaN : Number(given);
  if (!isMarker(seconds))
    throw new InvalidArgumentError(`It must be a number of seconds from 0 to ${MARKER_MAX_SECONDS}.`);
  return markerMs(seconds);
}
