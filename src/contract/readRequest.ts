/**
 * Reads the bodies of requests part by part, by the schemas of the whole bodies. So one answer lists the faults of all parts, and a part
 * without faults is readable beside others. Reading stops as soon as there are more faults than an answer lists.
 */
import type { z } from 'zod';
import type { AdSize, Media, MediaType } from '../domain/ads.ts';
import { ANIMATION_FPS } from '../domain/animations.ts';
import { campaignName } from '../domain/campaigns.ts';
import type { FieldErrors } from '../domain/failure.ts';
import { type Limits, MAX_REPETITIONS } from '../domain/limits.ts';
import { markerMs } from '../domain/markers.ts';
import type { Metadata } from '../domain/metadata.ts';
import { namesOf, type PageAccess } from '../domain/pageAccess.ts';
import type { Priority } from '../domain/priorities.ts';
import { DEFAULT_OPTIONS, type ScreenshotOptions, type SlotChoice } from '../domain/screenshotOptions.ts';
import type { WantedScreenshots } from '../domain/screenshots.ts';
import type { Topic } from '../domain/topics.ts';
import { siteKey } from '../domain/webAddresses.ts';
import { Faults, isAbsent, isObject, type JsonObject, joinPath, shellOf } from './faults.ts';
import { GroupFaults } from './groupFaults.ts';
import {
  type AdBody,
  type CampaignBody,
  createAdBody,
  type EntryBody,
  NewAd,
  type ScreenshotObject,
  type SubscriberBody,
  type SubscribersBody,
  screenshotRequestBody,
  type slotChoiceObject,
} from './requests.ts';

/** The campaign that a request names: an existing one by id, or one to find or create by name. */
export type CampaignReference = { readonly id: string } | { readonly name: string };

/** The content of a new ad; a URL and an id are trimmed. */
export interface NewAdContent {
  readonly name: string | undefined;
  readonly media: Media;
  readonly size: AdSize | null;
  readonly metadata: Metadata;
}

export interface ParsedAd {
  readonly id: string | undefined;
  readonly lookupKey: string | undefined;
  /** Undefined if it is not enough for a new ad. `faults` say why; they apply only if the ad does not exist yet. */
  readonly content: NewAdContent | undefined;
  readonly faults: FieldErrors;
}

export interface ParsedSubscriber {
  /** `subscribers.0` */
  readonly path: string;
  readonly webhook: { readonly url: string; readonly topics: readonly Topic[] | null } | undefined;
  readonly s3:
    | {
        readonly bucket: string;
        readonly region: string | null;
        readonly keyPrefix: string | null;
        /** Null: the default one. */
        readonly connector: string | null;
      }
    | undefined;
}

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
  /** Null: the set is named after its contents. */
  readonly name: string | null;
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
  const { shape } = screenshotRequestBody(limits);
  const readCampaign = campaignReader(shape.campaign);
  const readEntry = entryReader(shape.screenshot_requests.element);
  const readSubscribers = subscribersReader(shape.subscribers);
  const list = shellOf(shape.screenshot_requests);
  return (body) => {
    const faults = new Faults();
    const campaign = readCampaign(body['campaign'], faults);
    const location = faults.read(shape.options, body['options'], 'options')?.page?.location ?? null;
    const left = { screenshots: limits.screenshots * MAX_REPETITIONS };
    const groups = new GroupFaults(faults);
    const entries: ParsedEntry[] = [];
    const given = faults.readItems(list, body['screenshot_requests'], 'screenshot_requests').slice(0, limits.entries);
    for (const [index, entry] of given.entries()) {
      if (faults.isFull) break;
      entries.push(readEntry(entry, { path: `screenshot_requests.${index}`, location, faults, left, groups }));
    }
    if (left.screenshots < 0) noteTooManyScreenshots(limits, faults);
    refuseRepeatedKeys(entries, faults);
    const subscribers = readSubscribers(body['subscribers'], faults);
    const name = faults.read(shape.name, body['name'], 'name')?.trim() ?? null;
    const instructions = faults.read(shape.instructions, body['instructions'], 'instructions') ?? null;
    const metadata = faults.read(shape.metadata, body['metadata'], 'metadata') ?? {};
    const priority = faults.read(shape.priority, body['priority'], 'priority') ?? undefined;
    return { campaign, entries, subscribers, name, instructions, metadata, priority, faults };
  };
}

/** @returns a parser for these limits. It creates its schemas once. */
export function createAdParser(limits: Limits): (body: JsonObject) => ParsedCreateAd {
  const { shape } = createAdBody(limits);
  const readCampaign = campaignReader(shape.campaign);
  const readAd = adReader(shape.ad);
  const readSubscribers = subscribersReader(shape.subscribers);
  return (body) => {
    const faults = new Faults();
    const campaign = readCampaign(body['campaign'], faults);
    // The paths of its faults leave out "ad".
    const ad = readAd(body['ad'], { path: 'ad', prefix: '', faults });
    return { campaign, ad, subscribers: readSubscribers(body['subscribers'], faults), faults };
  };
}

/** @returns a function that adds the faults of a campaign, and returns undefined if it has some. A name beside an id is ignored. */
function campaignReader(schema: CampaignBody) {
  const { id, name } = schema.shape;
  const shell = shellOf(schema);
  return (value: unknown, faults: Faults): CampaignReference | undefined => {
    if (!faults.readShell(shell, value, 'campaign') || !isObject(value)) return undefined;
    if (!isAbsent(value['id'])) {
      const read = faults.read(id.unwrap().unwrap(), value['id'], 'campaign.id');
      return read === undefined ? undefined : { id: read };
    }
    const read = faults.read(name, value['name'], 'campaign.name');
    return isAbsent(read) ? undefined : { name: campaignName(read) };
  };
}

interface AdPlace {
  readonly path: string;
  /** The start of the paths inside the ad; the path of the ad unless given. */
  readonly prefix?: string;
  readonly faults: Faults;
}

/** @returns a function that reads id and lookup key of an ad, and what makes a new ad. */
function adReader(schema: AdBody) {
  const { id: adId, lookup_key } = schema.shape;
  const shell = shellOf(schema);
  return (value: unknown, { path, prefix = path, faults }: AdPlace): ParsedAd | undefined => {
    if (!faults.readShell(shell, value, path) || !isObject(value)) return undefined;
    const id = adId && (faults.read(adId, value['id'], joinPath(prefix, 'id')) ?? undefined);
    const lookupKey = faults.read(lookup_key, value['lookup_key'], joinPath(prefix, 'lookup_key')) ?? undefined;
    // With an id, even an invalid one, the other fields are ignored.
    const isNamed = adId !== undefined && !isAbsent(value['id']);
    return { id, lookupKey, ...(isNamed ? { content: undefined, faults: {} } : readContent(value, prefix)) };
  };
}

function readContent(ad: JsonObject, prefix: string): Pick<ParsedAd, 'content' | 'faults'> {
  const faults = new Faults();
  if (isAbsent(ad['media'])) {
    faults.add(joinPath(prefix, 'media'), 'is required for a new ad: give media.type and media.content.');
    // One answer lists the faults of the other fields too.
    faults.read(NewAdWithoutMedia, ad, prefix);
    return { content: undefined, faults: faults.errors };
  }
  const parsed = faults.read(NewAd, ad, prefix);
  if (parsed === undefined) return { content: undefined, faults: faults.errors };
  const { type, content } = parsed.media;
  const media = { type, content: contentOf(type, content) };
  const name = parsed.name?.trim() ? parsed.name : undefined;
  return { content: { name, media, size: parsed.size ?? null, metadata: parsed.metadata ?? {} }, faults: {} };
}

const NewAdWithoutMedia = NewAd.omit({ media: true });

function contentOf(type: MediaType, content: string): string {
  if (type === 'html_tag') return content;
  return type === 'upload' ? content.trim().toLowerCase() : content.trim();
}

interface EntryPlace {
  readonly path: string;
  /** The location of screenshots that name none. */
  readonly location: string | null;
  readonly faults: Faults;
  /** Counts down over all entries, by one for each marker of each object; the parser ignores objects after the last. */
  readonly left: { screenshots: number };
  readonly groups: GroupFaults;
}

function entryReader(schema: EntryBody) {
  const shell = shellOf(schema);
  const { ad, screenshots, group: groupName } = schema.shape;
  const readAd = adReader(ad);
  const list = shellOf(screenshots);
  return (entry: unknown, { path, location, faults, left, groups }: EntryPlace): ParsedEntry => {
    const adPath = `${path}.ad`;
    if (!faults.readShell(shell, entry, path) || !isObject(entry))
      return { path: adPath, ad: undefined, screenshots: [] };
    const read: ParsedEntry = { path: adPath, ad: readAd(entry['ad'], { path: adPath, faults }), screenshots: [] };
    const group = faults.read(groupName, entry['group'], `${path}.group`)?.trim() ?? null;
    const wanted: WantedScreenshots[] = [];
    const items = faults.readItems(list, entry['screenshots'], `${path}.screenshots`);
    for (const [index, item] of items.entries()) {
      left.screenshots -= countMarkers(item);
      if (faults.isFull || left.screenshots < 0) break;
      const itemPath = `${path}.screenshots.${index}`;
      const parsed = faults.read(screenshots.element, item, itemPath);
      if (parsed === undefined) continue;
      const one = wantedOf(parsed, { location, group, path: itemPath });
      wanted.push(one);
      if (group !== null) groups.addMember({ path: itemPath, ad: read.ad?.id?.toLowerCase() ?? adPath, wanted: one });
    }
    return { ...read, screenshots: wanted };
  };
}

function noteTooManyScreenshots({ screenshots }: Limits, faults: Faults): void {
  const most = (screenshots * MAX_REPETITIONS).toLocaleString('en');
  faults.add(
    'screenshot_requests',
    `must name at most ${most} screenshots in all, with repetitions: send several requests.`,
  );
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

function wantedOf(
  { site, device, options }: ScreenshotObject,
  { path, ...ofEntry }: Pick<ScreenshotOptions, 'location' | 'group'> & { readonly path: string },
): WantedScreenshots {
  const frames = options?.ad?.frames ?? [];
  return {
    path,
    site: { url: site.url, key: siteKey(site.url) },
    device: device.name,
    markers: frames.map(({ marker }) => markerMs(marker)),
    options: optionsOf(options, { ...DEFAULT_OPTIONS, ...ofEntry, givenPage: givenPageOf(site) }),
    access: accessOf(options),
  };
}

/** @returns null if the page is opened at its address. */
export function givenPageOf({ page }: ScreenshotObject['site']): string | null {
  return page?.upload_id.trim().toLowerCase() ?? null;
}

/** @param base the options that count where the request gives none. */
export function optionsOf(
  given: ScreenshotObject['options'],
  base: ScreenshotOptions = DEFAULT_OPTIONS,
): ScreenshotOptions {
  const animation = given?.animation;
  return {
    allowScaling: given?.ad?.allow_scaling ?? base.allowScaling,
    slot: slotChoiceOf(given?.slot) ?? base.slot,
    otherAds: given?.page?.other_ads ?? base.otherAds,
    fullPage: given?.page?.full_page ?? base.fullPage,
    view: given?.page?.view ?? base.view,
    location: given?.page?.location ?? base.location,
    access: namesOf(accessOf(given)) ?? base.access,
    group: base.group,
    givenPage: base.givenPage,
    animation: animation ? { seconds: animation.seconds, fps: animation.fps ?? ANIMATION_FPS } : base.animation,
  };
}

/** @returns null if the request gives no cookies and no headers. */
export function accessOf(given: ScreenshotObject['options']): PageAccess | null {
  const { cookies, headers } = given?.page ?? {};
  const access = { cookies: cookies ?? [], headers: headers ?? [] };
  return access.cookies.length + access.headers.length === 0 ? null : access;
}

/** @returns null if the request chooses no slot. */
export function slotChoiceOf(given: z.output<typeof slotChoiceObject> | null | undefined): SlotChoice | null {
  const { selector, index, format, area } = given ?? {};
  if (typeof selector === 'string') return { selector };
  if (typeof index === 'number') return { index };
  if (area) {
    const { x, y, width, height } = area;
    return { area: { x, y, ...(width && height && { width, height }) } };
  }
  return format ? { format } : null;
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

/** @returns a function that reads the subscribers of a body. A list that is too long has only this fault. */
export function subscribersReader(schema: SubscribersBody) {
  const array = schema.unwrap().unwrap();
  const list = shellOf(array);
  return (value: unknown, faults: Faults): ParsedSubscriber[] => {
    if (isAbsent(value) || !faults.readShell(list, value, 'subscribers') || !Array.isArray(value)) return [];
    return value.flatMap((item, index) => {
      const path = `subscribers.${index}`;
      const subscriber = faults.read(array.element, item, path);
      return subscriber === undefined ? [] : [subscriberOf(subscriber, path)];
    });
  };
}

function subscriberOf({ webhook, s3 }: SubscriberBody, path: string): ParsedSubscriber {
  return {
    path,
    webhook: isAbsent(webhook) ? undefined : { url: webhook.url.trim(), topics: webhook.topics ?? null },
    s3: isAbsent(s3)
      ? undefined
      : {
          bucket: s3.bucket,
          region: s3.region ?? null,
          keyPrefix: s3.key_prefix ?? null,
          connector: s3.connector ?? null,
        },
  };
}
