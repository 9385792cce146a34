/** The objects in responses and events as zod schemas. The OpenAPI document is generated from them. */
import { z } from 'zod';
import { AD_CATEGORIES, MEDIA_TYPES } from '../domain/ads.ts';
import { ownDeviceOf } from '../domain/devices.ts';
import { ERROR_CODES } from '../domain/failure.ts';
import { PRIORITIES } from '../domain/priorities.ts';
import { DECISIONS } from '../domain/reviews.ts';
import { AD_STATUSES, SCREENSHOT_STATUSES, SET_STATUSES } from '../domain/states.ts';
import { CHANNELS, EVENT_TOPICS, type EventTopic } from '../domain/topics.ts';
import { UPLOAD_FORMATS } from '../domain/uploads.ts';
import { WARNING_CODES } from '../domain/warnings.ts';
import { metadata } from './metadata.ts';
import { OURS } from './schemaParts.ts';
import { PlacementCandidate } from './slotCandidates.ts';

export const time = z.iso.datetime({ offset: true }).meta({
  description: `ISO 8601 with milliseconds and an offset. ${OURS}`,
  example: '2026-11-21T09:30:00.000+00:00',
});
export const uuid = z.uuid();
const address = z.url();

export const KeyReference = z
  .object({ key_id: z.string().describe('Id of the API key, the eight characters in its middle.'), name: z.string() })
  .meta({ id: 'KeyReference', description: `The API key that was used. ${OURS}` });

export const UserReference = z
  .object({ user_id: uuid, name: z.string() })
  .meta({ id: 'UserReference', description: `The person who did it. ${OURS}` });

const ReviewRecord = z
  .object({
    decision: z.enum(DECISIONS),
    comment: z.string().nullable(),
    by: KeyReference.nullable(),
    by_user: UserReference.nullable().describe('Null unless a person who signed in without a key decided.'),
    at: time,
  })
  .meta({ id: 'ReviewRecord', description: `The last decision of a reviewer. ${OURS}` });

const history = (what: string) => ({
  retake_of: uuid.nullable().describe(`The ${what} that this one takes again. ${OURS}`),
  retaken_by: uuid.nullable().describe(`The newest ${what} that takes this one again. ${OURS}`),
  review: ReviewRecord.nullable().describe(`Null if no reviewer has reviewed the ${what}. ${OURS}`),
});

const adFields = {
  type: z.literal('ad'),
  id: uuid.describe('UUID of the ad.'),
  name: z.string().describe('Name of the ad.'),
  lookup_key: z.string().nullable().describe(`Lookup key of the ad; null if it has none. ${OURS}`),
  status: z
    .enum(AD_STATUSES)
    .describe(
      '`pending`: preview capture in progress. `uploaded`: captured. `not_found`: the media could not be found. `net_read_timeout`: network timeout during capture. `generic_error`: any other error. A terminal status never changes.',
    ),
  category: z.enum(AD_CATEGORIES).nullable().describe('Null until captured, then `display` or `video`.'),
  kind: z.enum(MEDIA_TYPES).describe('The type of the media. `upload` is a Tearsheet extension.'),
  campaign_id: uuid.describe('UUID of the campaign.'),
  created_at: time,
  html_url: address.describe('Results page of the ad.'),
  metadata,
};

const warnings = z
  .array(
    z
      .object({
        code: z.enum(WARNING_CODES).describe('New codes may be added.'),
        message: z.string().describe('A sentence for the reader of the picture.'),
      })
      .meta({ id: 'Warning' }),
  )
  .describe(`Facts that the reader of the picture should know. Empty if there are none. ${OURS}`);

/** The response of create-ad, and the ad inside a screenshot. */
export const AdSummary = z
  .object(adFields)
  .meta({ id: 'AdSummary', description: 'An ad as in the response of create-ad.' });

export const AdRecord = z
  .object({
    ...adFields,
    preview_image_url: address
      .nullable()
      .describe(`URL of the ad preview. It needs no key and cannot be guessed. Null until the preview exists. ${OURS}`),
    width: z
      .number()
      .int()
      .nullable()
      .optional()
      .describe(`CSS pixels. Null while \`pending\`, absent if it is unknown. ${OURS}`),
    height: z.number().int().nullable().optional().describe(`As \`width\`. ${OURS}`),
    warnings,
    reason: z.string().optional().describe(`Why the ad failed, as a sentence. Only on failed ads. ${OURS}`),
  })
  .meta({
    id: 'Ad',
    description: 'An ad with its preview: the response of reading one, and `data.object` of its events.',
  });

/** The device of a record. */
export const DeviceRecord = z
  .object({
    name: z
      .string()
      .describe(
        `As in the request. The name of a custom device encodes all its properties, for example \`Own device 412 x 915, 2.63x, touch\`. ${OURS}`,
      ),
    width: z.number().int().optional().describe(`Only for a custom device, like the other fields. ${OURS}`),
    height: z.number().int().optional(),
    ratio: z.number().optional(),
    touch: z.boolean().optional(),
    user_agent: z.string().optional().describe('If the request gave one.'),
  })
  .meta({ id: 'DeviceRecord', description: 'The emulated device.' });
export type DeviceRecord = z.infer<typeof DeviceRecord>;

/** @param name as the database stores it. */
export function deviceRecord(name: string): DeviceRecord {
  const own = ownDeviceOf(name);
  if (own === undefined) return { name };
  const { width, height, ratio, touch, userAgent } = own;
  return { name, width, height, ratio, touch, ...(userAgent !== undefined && { user_agent: userAgent }) };
}
const Animation = z
  .object({
    webp_url: address.describe('The animated WebP, with at most two pixels per CSS pixel.'),
    gif_url: address.describe('The animated GIF, with one pixel per CSS pixel.'),
    seconds: z.number().int(),
    fps: z.number().int().describe('Frames per second. Equal frames are stored once, with a longer time.'),
    bytes: z.object({ webp: z.number().int(), gif: z.number().int() }),
  })
  .meta({
    id: 'Animation',
    description: `The picture in which the ad moves. Null unless the request asked for it and the ad moves. ${OURS}`,
  });

const screenshotFields = {
  id: uuid,
  status: z
    .enum(SCREENSHOT_STATUSES)
    .describe(
      `\`pending\`, \`uploaded\`, \`ad_not_captured\`, \`net_read_timeout\`, \`no_slots\` (the page has no slot for the ad), and, as Tearsheet extensions: \`not_found\`, \`blocked\` (a challenge or refusal), \`generic_error\`, \`canceled\`.`,
    ),
  site: z.object({ url: z.string().describe(`As in the request. ${OURS}`) }),
  device: DeviceRecord,
  frame: z.object({ marker: z.number().nullable().describe(`Seconds; null for the default frame. ${OURS}`) }),
  image_url: address
    .nullable()
    .describe('URL of the picture (PNG). It needs no key and cannot be guessed. Null until the picture exists.'),
  width: z.number().int().nullable().describe('Device pixels.'),
  height: z.number().int().nullable().describe('Device pixels.'),
  animation: Animation.nullable(),
  captured_at: time.nullable(),
  warnings,
  ad: AdSummary,
  group: z
    .string()
    .optional()
    .describe(
      `Screenshots of the same group, site and device have the same picture, which shows all their ads. As in the request; only on screenshots of a group. ${OURS}`,
    ),
  ...history('screenshot'),
  reason: z
    .string()
    .optional()
    .describe(`Why the screenshot failed, as a sentence. Only on failed screenshots. ${OURS}`),
  page_image_url: address
    .nullable()
    .optional()
    .describe(
      `URL of the page as it was seen, without the ad (PNG, 256 colors). It has one pixel for each CSS pixel, from the top left corner, and at most 3,000 × 8,000 of them. Null if there is no such picture, for example because no page was opened or the ad was not captured. Only on failed screenshots. ${OURS}`,
    ),
};

export const ScreenshotRecord = z
  .object(screenshotFields)
  .meta({ id: 'Screenshot', description: 'One placement preview: an ad on a site, on a device, at a marker.' });

/** The response of reading one screenshot. */
export const ScreenshotDetailRecord = z
  .object({
    type: z.literal('screenshot'),
    ...screenshotFields,
    screenshot_set_id: uuid,
    approved_at: time.nullable().describe('When its set was approved; null if it is not.'),
    candidates: z
      .array(PlacementCandidate)
      .optional()
      .describe(
        `The 20 best slots of the page, and why each cannot hold the ad. Their places are those in \`page_image_url\`. \`options.slot.index\` of a retake counts them from 1. Only on failed screenshots. ${OURS}`,
      ),
  })
  .meta({ id: 'ScreenshotDetail', description: `A screenshot with its set, in every status. ${OURS}` });

const Creative = z.object({ type: z.enum(MEDIA_TYPES), content: z.string() });

export const ApprovedScreenshot = z
  .object({
    type: z.literal('screenshot'),
    ...screenshotFields,
    ad: AdSummary.extend({ creative: Creative.optional().describe('The media; with `include=ad.creative`.') }),
    screenshot_set_id: uuid,
    approved_at: time,
  })
  .meta({ id: 'ApprovedScreenshot', description: `A screenshot of an approved set. ${OURS}` });

const setFields = {
  type: z.literal('screenshot_set'),
  id: uuid.describe('UUID of the set.'),
  status: z
    .enum(SET_STATUSES)
    .describe(
      '`draft` when created. The others are Tearsheet extensions: `capturing`, `in_review` (where the organization reviews by hand), `approved`, `rejected`, `failed` (no screenshot succeeded), `canceled`.',
    ),
  campaign_id: uuid.describe('UUID of the campaign.'),
  created_at: time,
  html_url: address.describe('Results page of the set.'),
  metadata,
  priority: z.enum(PRIORITIES).describe(`As given in the request, else the default of the organization then. ${OURS}`),
};

/** The response of a screenshot request. */
export const ScreenshotSetSummary = z
  .object(setFields)
  .meta({ id: 'ScreenshotSetSummary', description: 'A screenshot set as in the response of a screenshot request.' });

const reviewed = {
  name: z.string().nullable().describe(`The custom name of the set; null if it has none. ${OURS}`),
  schedule_id: uuid
    .nullable()
    .describe(`The schedule that requested the set, which may have been deleted since. Null for other sets. ${OURS}`),
  instructions: z.string().nullable().describe(`As given in the request. ${OURS}`),
  review_notes: z
    .string()
    .nullable()
    .describe(`The reviewer’s text, then the service’s line about failed screenshots. ${OURS}`),
  ...history('set'),
};

export const ScreenshotSetRecord = z
  .object({ ...setFields, ...reviewed, screenshots: z.array(ScreenshotRecord) })
  .meta({
    id: 'ScreenshotSet',
    description: 'A set with its screenshots: the response of reading one, and `data.object` of its events.',
  });

export const ListedSet = z
  .object({
    ...setFields,
    ...reviewed,
    counts: z
      .object({
        total: z.number().int(),
        uploaded: z.number().int(),
        pending: z.number().int(),
        failed: z.number().int(),
        canceled: z.number().int(),
      })
      .describe('Number of its screenshots by status.'),
  })
  .meta({ id: 'ListedScreenshotSet', description: `A set in a list, without its screenshots. ${OURS}` });

export const CampaignRecord = z
  .object({ type: z.literal('campaign'), id: uuid, name: z.string(), created_at: time })
  .meta({ id: 'Campaign', description: `A campaign. ${OURS}` });

export const UploadRecord = z
  .object({
    type: z.literal('upload'),
    id: uuid.describe('The `media.content` of an ad with `media.type` `upload`.'),
    name: z.string().describe('Name of the file, without folders. It may contain the size of the creative.'),
    format: z
      .enum(UPLOAD_FORMATS)
      .describe(
        'The format that the first bytes show. The capture detects it from all bytes. `mhtml` is a saved page, which is no creative.',
      ),
    content_type: z.string().describe('Media type by the content of the file.'),
    bytes: z.number().int(),
    sha256: z.string().describe('SHA-256 of the bytes, in hexadecimal.'),
    created_at: time,
    expires_at: time.nullable().describe('The upload is removed after this time. Null if an ad or a picture uses it.'),
  })
  .meta({ id: 'Upload', description: `A file of a creative that a client stored. ${OURS}` });

export const DeliveryAttempt = z
  .object({
    attempt: z.number().int(),
    started_at: time,
    duration_ms: z.number().int(),
    status_code: z.number().int().nullable(),
    outcome: z.string(),
    error: z.string().nullable(),
    response_snippet: z.string().nullable().describe('The start of the response to a webhook, at most 1 KB.'),
  })
  .meta({ id: 'DeliveryAttempt', description: `One attempt to deliver an event. ${OURS}` });

export const DeliveryRecord = z
  .object({
    type: z.literal('delivery'),
    id: uuid,
    event_id: z.string().describe('`evt_<uuid>`, the id of the envelope.'),
    topic: z.enum(EVENT_TOPICS),
    channel: z.enum(CHANNELS).describe('`email` and `chat`: a notice of a member or of a chat.'),
    target: z
      .string()
      .describe('The URL of the webhook, or `s3://bucket/prefix`. For a notice, the name of the member or chat.'),
    webhook_endpoint_id: uuid
      .nullable()
      .describe('The webhook endpoint, or null for a subscriber of a request and for a notice.'),
    status: z
      .enum(['pending', 'delivered', 'retries_exhausted', 'gone', 'refused'])
      .describe(
        '`gone`: the receiver answered 410, or its webhook endpoint was disabled or deleted, or the member left. `refused`: the address is not allowed, or the mail server refused the mail. The service retries neither.',
      ),
    reason: z.string().nullable().describe('Why the delivery ended without another attempt.'),
    attempts: z.number().int(),
    next_attempt_at: time.nullable(),
    created_at: time,
    finished_at: time.nullable(),
    ad_id: uuid.nullable(),
    screenshot_set_id: uuid.nullable(),
    log: z.array(DeliveryAttempt),
  })
  .meta({
    id: 'Delivery',
    description: `One event for one subscriber, with all delivery attempts. ${OURS}`,
  });

export const DeliveryDetailRecord = DeliveryRecord.extend({
  payload: z.record(z.string(), z.unknown()).describe('The event, as sent to the subscriber.'),
}).meta({ id: 'DeliveryDetail', description: `A delivery with the event that it carries. ${OURS}` });

export const envelope = <T extends z.ZodType>(object: T, topics: readonly [EventTopic, ...EventTopic[]]) =>
  z.object({
    id: z.string().regex(/^evt_/).describe('The same for every attempt and replay.'),
    type: z.literal('event'),
    created_at: time,
    topic: z.enum(topics),
    data: z.object({ object }),
  });

export const AdEvent = envelope(AdRecord, ['ad.uploaded', 'ad.failed']).meta({
  id: 'AdEvent',
  description: '`ad.uploaded`, and, as a Tearsheet extension, `ad.failed`.',
});
export const ScreenshotSetEvent = envelope(ScreenshotSetRecord, [
  'screenshot_set.approved',
  'screenshot_set.failed',
  'screenshot_set.rejected',
  'screenshot_set.reopened',
  'screenshot_set.progress',
]).meta({
  id: 'ScreenshotSetEvent',
  description:
    '`screenshot_set.approved`, and, as Tearsheet extensions, `screenshot_set.failed`, `screenshot_set.rejected`, `screenshot_set.reopened`, `screenshot_set.progress`.',
});

export const FailureRecord = z
  .object({
    status: z.literal('failure'),
    code: z.string().meta({
      example: 'invalid',
      description: `The kind of the failure, for programs: one of ${Object.keys(ERROR_CODES)
        .map((code) => `\`${code}\``)
        .join(', ')}. New codes may be added. ${OURS}`,
    }),
    request_id: z
      .string()
      .describe(`The value of the response header \`X-Request-Id\`. The log contains this id. ${OURS}`),
    errors: z
      .record(z.string(), z.array(z.string()))
      .meta({ example: { 'media.content': ['must be at most 1,048,576 bytes, but is 1,048,577.'] } }),
  })
  .meta({ id: 'Failure', description: `Every 4xx and 5xx: messages by the path of the field. ${OURS}` });

const TOTAL = z
  .number()
  .int()
  .describe(
    'Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.',
  );

/** One list page. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), page: z.number().int(), per_page: z.number().int(), total: TOTAL });

export type KeyReference = z.infer<typeof KeyReference>;
export type UserReference = z.infer<typeof UserReference>;
export type ReviewRecord = z.infer<typeof ReviewRecord>;
export type AdSummary = z.infer<typeof AdSummary>;
export type AdRecord = z.infer<typeof AdRecord>;
export type ScreenshotRecord = z.infer<typeof ScreenshotRecord>;
export type ScreenshotDetailRecord = z.infer<typeof ScreenshotDetailRecord>;
export type ApprovedScreenshot = z.infer<typeof ApprovedScreenshot>;
export type ScreenshotSetSummary = z.infer<typeof ScreenshotSetSummary>;
export type ScreenshotSetRecord = z.infer<typeof ScreenshotSetRecord>;
export type ListedSet = z.infer<typeof ListedSet>;
export type CampaignRecord = z.infer<typeof CampaignRecord>;
export type UploadRecord = z.infer<typeof UploadRecord>;
export type DeliveryDetailRecord = z.infer<typeof DeliveryDetailRecord>;
export type DeliveryRecord = z.infer<typeof DeliveryRecord>;
export type AdEvent = z.infer<typeof AdEvent>;
export type ScreenshotSetEvent = z.infer<typeof ScreenshotSetEvent>;
export type FailureRecord = z.infer<typeof FailureRecord>;

export function keyReference(id: string | null, name: string | null): KeyReference | null {
  return id === null ? null : { key_id: id, name: name ?? '' };
}

export function userReference(id: string | null, name: string | null): UserReference | null {
  return id === null ? null : { user_id: id, name: name ?? '' };
}
