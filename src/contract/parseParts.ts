/** Parses the parts that both bodies share. Each function adds its faults and continues, so that one response lists all faults. */
import { z } from 'zod';
import type { AdSize, Media, MediaType } from '../domain/ads.ts';
import { campaignName } from '../domain/campaigns.ts';
import type { FieldErrors } from '../domain/failure.ts';
import type { Limits } from '../domain/limits.ts';
import type { Metadata } from '../domain/metadata.ts';
import { DEFAULT_OPTIONS, OTHER_ADS, type ScreenshotOptions } from '../domain/screenshotOptions.ts';
import type { Topic } from '../domain/topics.ts';
import { Faults, isObject, type JsonObject, joinPath, kindOf } from './faults.ts';
import { AdId, CampaignId, CampaignName, LookupKey, NewAd, Subscriber } from './requests.ts';

export const OptionsJson = z.object({
  allow_scaling: z.boolean(),
  slot: z.union([z.object({ selector: z.string() }), z.object({ index: z.number().int().min(1) })]).nullable(),
  other_ads: z.enum(OTHER_ADS),
  full_page: z.boolean(),
  // Absent in rows of earlier releases.
  animation: z.object({ seconds: z.number().int(), fps: z.number().int() }).nullish(),
  location: z.string().nullish(),
  // The names only.
  access: z.object({ cookies: z.array(z.string()), headers: z.array(z.string()) }).nullish(),
});

export type OptionsJson = z.infer<typeof OptionsJson>;

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

/** No valid ad, screenshot object or subscriber has that many values inside it. */
export const MAX_VALUES_OF_PART = 1_000;

const absent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** @returns undefined, after adding the faults, if the value names no campaign. */
export function parseCampaign(value: unknown, faults: Faults): CampaignReference | undefined {
  if (!isObject(value)) {
    faults.add('campaign', absent(value) ? NAME_ONE : `must be an object, but is ${kindOf(value)}.`);
    return undefined;
  }
  if (!absent(value['id'])) {
    const id = faults.read(CampaignId, value['id'], 'campaign.id');
    return id === undefined ? undefined : { id };
  }
  if (absent(value['name'])) {
    faults.add('campaign', NAME_ONE);
    return undefined;
  }
  const name = faults.read(CampaignName, value['name'], 'campaign.name');
  return name === undefined ? undefined : { name: campaignName(name) };
}

const NAME_ONE = 'is required: give campaign.id or campaign.name.';

/** Parses a field that may be absent or null. */
function optional<S extends z.ZodType>(
  faults: Faults,
  { schema, value, path }: { schema: S; value: unknown; path: string },
): z.output<S> | undefined {
  return absent(value) ? undefined : faults.read(schema, value, path);
}

/**
 * Parses the id and lookup key of an ad, and the name and media for a new ad.
 * @param prefix of the paths inside the ad; empty in create-ad, which also ignores `ad.id`.
 */
export function parseAd(ad: JsonObject, prefix: string, faults: Faults): ParsedAd {
  const id =
    prefix === '' ? undefined : optional(faults, { schema: AdId, value: ad['id'], path: joinPath(prefix, 'id') });
  const lookupKey = optional(faults, {
    schema: LookupKey,
    value: ad['lookup_key'],
    path: joinPath(prefix, 'lookup_key'),
  });
  // With an id, even an invalid one, the other fields are ignored.
  const named = prefix !== '' && !absent(ad['id']);
  return { id, lookupKey, ...(named ? { content: undefined, faults: {} } : parseContent(ad, prefix)) };
}

function parseContent(ad: JsonObject, prefix: string): Pick<ParsedAd, 'content' | 'faults'> {
  const faults = new Faults();
  const missing = absent(ad['media']);
  if (missing) faults.add(joinPath(prefix, 'media'), 'is required for a new ad: give media.type and media.content.');
  const parsed = missing ? readWithoutMedia(ad, prefix, faults) : faults.read(NewAd, ad, prefix, MAX_VALUES_OF_PART);
  if (parsed === undefined) return { content: undefined, faults: faults.errors };
  const { type, content } = parsed.media;
  const media = { type, content: contentOf(type, content) };
  const name = parsed.name?.trim() ? parsed.name : undefined;
  return { content: { name, media, size: parsed.size ?? null, metadata: parsed.metadata ?? {} }, faults: {} };
}

function contentOf(type: MediaType, content: string): string {
  if (type === 'html_tag') return content;
  return type === 'upload' ? content.trim().toLowerCase() : content.trim();
}

/** Adds the faults of the other fields, so that one response lists all faults. */
function readWithoutMedia(ad: JsonObject, prefix: string, faults: Faults): undefined {
  faults.read(NewAd.omit({ media: true }), ad, prefix, MAX_VALUES_OF_PART);
}

export function parseSubscribers(value: unknown, limits: Limits, faults: Faults): ParsedSubscriber[] {
  if (absent(value)) return [];
  if (!Array.isArray(value)) {
    faults.add('subscribers', `must be an array, but is ${kindOf(value)}.`);
    return [];
  }
  if (value.length > limits.subscribers) {
    faults.add('subscribers', `must have at most ${limits.subscribers} entries, but has ${value.length}.`);
    return [];
  }
  return value.flatMap((item, index) => {
    const subscriber = faults.read(Subscriber, item, `subscribers.${index}`, MAX_VALUES_OF_PART);
    return subscriber === undefined ? [] : [subscriberOf(subscriber, `subscribers.${index}`)];
  });
}

function subscriberOf({ webhook, s3 }: z.output<typeof Subscriber>, path: string): ParsedSubscriber {
  return {
    path,
    webhook: absent(webhook) ? undefined : { url: webhook.url.trim(), topics: webhook.topics ?? null },
    s3: absent(s3)
      ? undefined
      : {
          bucket: s3.bucket,
          region: s3.region ?? null,
          keyPrefix: s3.key_prefix ?? null,
          connector: s3.connector ?? null,
        },
  };
}

/** The options of a screenshot as JSON: in the database, in the capture protocol and in the provenance record. */
export function optionsToJson(options: ScreenshotOptions): OptionsJson {
  const { allowScaling, slot, otherAds, fullPage, animation, location, access } = options;
  return {
    allow_scaling: allowScaling,
    slot,
    other_ads: otherAds,
    full_page: fullPage,
    animation,
    ...(location !== null && { location }),
    ...(access !== null && { access: { cookies: [...access.cookies], headers: [...access.headers] } }),
  };
}

/** @param json null or undefined stands for the default options. */
export function optionsFromJson(json: OptionsJson | null | undefined): ScreenshotOptions {
  if (json === null || json === undefined) return DEFAULT_OPTIONS;
  return {
    allowScaling: json.allow_scaling,
    slot: json.slot,
    otherAds: json.other_ads,
    fullPage: json.full_page,
    animation: json.animation ?? null,
    location: json.location ?? null,
    access: json.access ?? null,
  };
}
