import type { z } from 'zod';
import { ANIMATION_FPS } from '../domain/animations.ts';
import { type Limits, MAX_REPETITIONS } from '../domain/limits.ts';
import { markerMs } from '../domain/markers.ts';
import type { Metadata } from '../domain/metadata.ts';
import { namesOf, type PageAccess } from '../domain/pageAccess.ts';
import type { Priority } from '../domain/priorities.ts';
import { DEFAULT_OPTIONS, type ScreenshotOptions, type SlotChoice } from '../domain/screenshotOptions.ts';
import type { WantedScreenshots } from '../domain/screenshots.ts';
import { siteKey } from '../domain/webAddresses.ts';
import { Faults, isObject, type JsonObject, kindOf } from './faults.ts';
import { GivenMetadata } from './metadata.ts';
import {
  type CampaignReference,
  MAX_VALUES_OF_PART,
  type ParsedAd,
  type ParsedSubscriber,
  parseAd,
  parseCampaign,
  parseSubscribers,
} from './parseParts.ts';
import { GivenPriority, Instructions, requestOptions, screenshotObject } from './requests.ts';

/** The readable parts of a create-ad body. `faults` apply whatever the database contains. */
export interface ParsedCreateAd {
  readonly campaign: CampaignReference | undefined;
  readonly ad: ParsedAd | undefined;
  readonly subscribers: readonly ParsedSubscriber[];
  readonly faults: Faults;
}

export interface ParsedEntry {
  /** Path of its ad: `screenshot_requests.0.ad`. */
  readonly path: string;
  readonly ad: ParsedAd | undefined;
  readonly screenshots: readonly WantedScreenshots[];
}

/** The readable parts of a screenshot request. `faults` apply whatever the database contains. */
export interface ParsedScreenshotRequest {
  readonly campaign: CampaignReference | undefined;
  readonly entries: readonly ParsedEntry[];
  readonly subscribers: readonly ParsedSubscriber[];
  readonly instructions: string | null;
  /** The pairs of the set. */
  readonly metadata: Metadata;
  /** Undefined: the default of the organization. */
  readonly priority: Priority | undefined;
  readonly faults: Faults;
}

export type ScreenshotRequestParser = (body: JsonObject) => ParsedScreenshotRequest;

/** @returns a parser for these limits. It creates its schemas once. */
export function screenshotRequestParser(limits: Limits): ScreenshotRequestParser {
  const schema = screenshotObject(limits);
  const forAll = requestOptions(limits);
  return (body) => {
    const faults = new Faults();
    const campaign = parseCampaign(body['campaign'], faults);
    const location = faults.read(forAll, body['options'], 'options')?.page?.location ?? null;
    const left = { screenshots: limits.screenshots * MAX_REPETITIONS };
    const entries: ParsedEntry[] = [];
    for (const [index, entry] of entriesOf(body['screenshot_requests'], limits, faults).entries()) {
      if (faults.isFull) break;
      entries.push(parseEntry(entry, { schema, path: `screenshot_requests.${index}`, location, faults, left }));
    }
    if (left.screenshots < 0) noteTooManyScreenshots(limits, faults);
    refuseRepeatedKeys(entries, faults);
    const subscribers = parseSubscribers(body['subscribers'], limits, faults);
    const instructions = faults.read(Instructions.nullish(), body['instructions'], 'instructions') ?? null;
    const metadata = faults.read(GivenMetadata.nullish(), body['metadata'], 'metadata') ?? {};
    const priority = faults.read(GivenPriority.nullish(), body['priority'], 'priority') ?? undefined;
    return { campaign, entries, subscribers, instructions, metadata, priority, faults };
  };
}

function entriesOf(value: unknown, limits: Limits, faults: Faults): unknown[] {
  const path = 'screenshot_requests';
  const list = nonEmptyArray(value, path, faults);
  if (list.length > limits.entries) {
    const [most, given] = [limits.entries, list.length].map((number) => number.toLocaleString('en'));
    faults.add(path, `must have at most ${most} entries, but has ${given}: send several requests.`);
  }
  return list.slice(0, limits.entries);
}

function nonEmptyArray(value: unknown, path: string, faults: Faults): unknown[] {
  if (value === undefined || value === null) faults.add(path, 'is required: an array with at least one entry.');
  else if (!Array.isArray(value)) faults.add(path, `must be an array, but is ${kindOf(value)}.`);
  else if (value.length === 0) faults.add(path, 'must have at least one entry.');
  return Array.isArray(value) ? value : [];
}

interface EntryContext {
  readonly schema: ReturnType<typeof screenshotObject>;
  readonly path: string;
  /** The location of screenshots that name none. */
  readonly location: string | null;
  readonly faults: Faults;
  /** Counts down over all entries, by one for each marker of each object; the parser ignores objects after the last. */
  readonly left: { screenshots: number };
}

function noteTooManyScreenshots({ screenshots }: Limits, faults: Faults): void {
  const most = (screenshots * MAX_REPETITIONS).toLocaleString('en');
  faults.add(
    'screenshot_requests',
    `must name at most ${most} screenshots in all, with repetitions: send several requests.`,
  );
}

function parseEntry(entry: unknown, { schema, path, location, faults, left }: EntryContext): ParsedEntry {
  const adPath = `${path}.ad`;
  if (!isObject(entry)) {
    faults.add(path, `must be an object, but is ${kindOf(entry)}.`);
    return { path: adPath, ad: undefined, screenshots: [] };
  }
  const sent = entry['ad'];
  if (!isObject(sent)) {
    faults.add(adPath, sent === undefined ? 'is required: an object.' : `must be an object, but is ${kindOf(sent)}.`);
  }
  const ad = isObject(sent) ? parseAd(sent, adPath, faults) : undefined;
  const list = nonEmptyArray(entry['screenshots'], `${path}.screenshots`, faults);
  const screenshots: WantedScreenshots[] = [];
  for (const [index, item] of list.entries()) {
    left.screenshots -= countMarkers(item);
    if (faults.isFull || left.screenshots < 0) break;
    const parsed = faults.read(schema, item, `${path}.screenshots.${index}`, MAX_VALUES_OF_PART);
    if (parsed !== undefined) screenshots.push(wanted(parsed, location));
  }
  return { path: adPath, ad, screenshots };
}

/** @returns the number of screenshots that a body names, before anything is checked. */
export function countSent(body: JsonObject): number {
  const entries = body['screenshot_requests'];
  let count = 0;
  for (const entry of Array.isArray(entries) ? entries : []) {
    const list = isObject(entry) ? entry['screenshots'] : undefined;
    for (const item of Array.isArray(list) ? list : []) count += countMarkers(item);
  }
  return count;
}

/** @returns the number of screenshots that an object names, before anything is checked. */
function countMarkers(item: unknown): number {
  const options = isObject(item) ? item['options'] : undefined;
  const ad = isObject(options) ? options['ad'] : undefined;
  const frames = isObject(ad) ? ad['frames'] : undefined;
  return Array.isArray(frames) ? Math.max(1, frames.length) : 1;
}

type ScreenshotObject = z.output<ReturnType<typeof screenshotObject>>;

function wanted({ site, device, options }: ScreenshotObject, location: string | null): WantedScreenshots {
  const frames = options?.ad?.frames ?? [];
  return {
    site: { url: site.url, key: siteKey(site.url) },
    device: device.name,
    markers: frames.map(({ marker }) => markerMs(marker)),
    options: optionsOf(options, { ...DEFAULT_OPTIONS, location }),
    access: accessOf(options),
  };
}

/** @param base the options that count where the request gives none. */
export function optionsOf(
  given: ScreenshotObject['options'],
  base: ScreenshotOptions = DEFAULT_OPTIONS,
): ScreenshotOptions {
  const { selector, index } = given?.slot ?? {};
  const animation = given?.animation;
  return {
    allowScaling: given?.ad?.allow_scaling ?? base.allowScaling,
    slot: slotChoice(selector ?? undefined, index ?? undefined) ?? base.slot,
    otherAds: given?.page?.other_ads ?? base.otherAds,
    fullPage: given?.page?.full_page ?? base.fullPage,
    location: given?.page?.location ?? base.location,
    access: namesOf(accessOf(given)) ?? base.access,
    animation: animation ? { seconds: animation.seconds, fps: animation.fps ?? ANIMATION_FPS } : base.animation,
  };
}

/** @returns null if the request gives no cookies and no headers. */
export function accessOf(given: ScreenshotObject['options']): PageAccess | null {
  const { cookies, headers } = given?.page ?? {};
  const access = { cookies: cookies ?? [], headers: headers ?? [] };
  return access.cookies.length + access.headers.length === 0 ? null : access;
}

function slotChoice(selector: string | undefined, index: number | undefined): SlotChoice | null {
  if (selector !== undefined) return { selector };
  return index === undefined ? null : { index };
}

function refuseRepeatedKeys(entries: readonly ParsedEntry[], faults: Faults): void {
  const first = new Map<string, string>();
  for (const { path, ad } of entries) {
    if (ad?.lookupKey === undefined) continue;
    const earlier = first.get(ad.lookupKey);
    if (earlier === undefined) first.set(ad.lookupKey, path);
    else {
      faults.add(
        `${path}.lookup_key`,
        `repeats that of ${earlier}.lookup_key: each must be unique within a request. List all screenshots of one ad in one entry.`,
      );
    }
  }
}

export function parseCreateAd(body: JsonObject, limits: Limits): ParsedCreateAd {
  const faults = new Faults();
  const campaign = parseCampaign(body['campaign'], faults);
  const sent = body['ad'];
  if (!isObject(sent)) {
    faults.add('ad', sent === undefined ? 'is required: an object.' : `must be an object, but is ${kindOf(sent)}.`);
  }
  const ad = isObject(sent) ? parseAd(sent, '', faults) : undefined;
  return { campaign, ad, subscribers: parseSubscribers(body['subscribers'], limits, faults), faults };
}
