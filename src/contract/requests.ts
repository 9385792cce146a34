/** The bodies of requests as zod schemas. The service parses bodies with them, and the OpenAPI document is generated from them. */
import { z } from 'zod';
import { AD_NAME_MAX, AD_SIDE_MAX, HTML_TAG_MAX_BYTES, LOOKUP_KEY_MAX, MEDIA_TYPES } from '../domain/ads.ts';
import {
  BUCKET_NAME,
  bucketFault,
  DEFAULT_CONNECTOR,
  isConnectorName,
  KEY_PREFIX_MAX_BYTES,
  keyPrefixFault,
} from '../domain/connectors.ts';
import { DEVICE_NAMES } from '../domain/devices.ts';
import { INSTRUCTIONS_MAX, type Limits, MAX_REPETITIONS } from '../domain/limits.ts';
import { isMarker, MARKER_MAX_SECONDS } from '../domain/markers.ts';
import { OTHER_ADS, SELECTOR_MAX, SLOT_INDEX_MAX } from '../domain/screenshotOptions.ts';
import { isUuid, SLUG } from '../domain/slugs.ts';
import { codePoints, isBlank, textFault } from '../domain/text.ts';
import { TOPICS } from '../domain/topics.ts';
import { siteFault, URL_MAX, urlFault } from '../domain/webAddresses.ts';
import { GivenMetadata } from './metadata.ts';
import { anyOf, NOT_BLANK, OURS, oneOf } from './schemaParts.ts';

const figure = (value: number) => value.toLocaleString('en');

/** A string without a fault. */
export const text = (fault: (value: string) => string | undefined = () => undefined) =>
  z.string().superRefine((value, context) => {
    const message = textFault(value) ?? fault(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** @returns why the text is too long, or undefined. */
export function lengthFault(value: string, max: number): string | undefined {
  const length = codePoints(value);
  return length > max ? `must be at most ${figure(max)} characters, but has ${figure(length)}.` : undefined;
}

const WEB_ADDRESS = '^\\s*[hH][tT][tT][pP][sS]?://[^/?#]';

export const webAddress = text(urlFault).meta({
  format: 'uri',
  pattern: WEB_ADDRESS,
  maxLength: URL_MAX,
});

/** A text without control characters, except for white space around it. */
const WITHOUT_CONTROLS = '^\\s*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*\\s*$';

export const CampaignId = text().meta({ format: 'uuid' });
export const CampaignName = text((value) =>
  isBlank(value) ? 'must not be blank: give the name of the campaign.' : undefined,
).meta(NOT_BLANK);

const CampaignReference = z
  .object({
    id: CampaignId.nullish().describe(
      `Identifier of an existing campaign. If the request also has a name, the service ignores the name. ${OURS}`,
    ),
    name: CampaignName.nullish().describe(
      `Find-or-create key. Longer than 250 characters, it is truncated to 250. Trimmed, then compared exactly. ${OURS}`,
    ),
  })
  .meta({
    id: 'CampaignReference',
    description: 'One of `id` and `name` is required.',
    override: anyOf({ id: { type: 'string' }, name: { type: 'string' } }),
  });

export const LookupKey = text((value) =>
  isBlank(value) ? 'must not be blank: omit it if there is none.' : lengthFault(value, LOOKUP_KEY_MAX),
).meta({
  ...NOT_BLANK,
  maxLength: LOOKUP_KEY_MAX,
  description: `Client-chosen key of an ad, unique within its campaign. ${OURS}`,
});

export const AdId = text()
  .meta({ format: 'uuid' })
  .describe('Identifier of an existing ad of the same campaign. With it, the service ignores `lookup_key`.');

export const AdName = text((value) => lengthFault(value, AD_NAME_MAX)).meta({
  maxLength: AD_NAME_MAX,
  description: `Used only when a new ad is created. Without it, the ad is named after its media. ${OURS}`,
});

const MediaReference = z
  .object({
    type: z.enum(MEDIA_TYPES).describe(`\`upload\` is ours. ${OURS}`),
    content: text()
      .meta(NOT_BLANK)
      .describe(
        `For \`url\`: absolute http or https address of a creative (ad tag, image, video, VAST, HTML5 zip), at most ${figure(URL_MAX)} characters, without credentials. For \`html_tag\`: raw HTML, at most ${figure(HTML_TAG_MAX_BYTES)} bytes of UTF-8. For \`upload\`: the id of an upload of the organization.`,
      ),
  })
  .superRefine(({ type, content }, context) => {
    const message = MEDIA_FAULTS[type](content);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['content'], message });
  })
  .meta({
    id: 'Media',
    description: 'The creative. Required for a new ad, ignored for an existing one.',
    override: {
      anyOf: [
        ofType('url', { pattern: WEB_ADDRESS, maxLength: URL_MAX }),
        ofType('html_tag', {}),
        ofType('upload', { format: 'uuid' }),
      ],
    },
  });

function ofType(type: (typeof MEDIA_TYPES)[number], content: object) {
  return { properties: { type: { const: type }, content } };
}

const MEDIA_FAULTS = {
  url: urlFault,
  html_tag: tagFault,
  upload: (content: string) =>
    isUuid(content.trim()) ? undefined : 'must be the id of an upload: the "id" in the response of POST …/uploads.',
} as const;

function tagFault(content: string): string | undefined {
  if (isBlank(content)) return 'must not be blank: give the HTML of the tag.';
  const bytes = Buffer.byteLength(content);
  if (bytes <= HTML_TAG_MAX_BYTES) return undefined;
  return `must be at most ${figure(HTML_TAG_MAX_BYTES)} bytes (1MB) for an html_tag, but is ${figure(bytes)}.`;
}

const adSide = z.number().int().min(1).max(AD_SIDE_MAX);

const adSizeObject = z.object({ width: adSide, height: adSide }).meta({
  id: 'AdSize',
  description: `Size of the creative in CSS pixels. Overrides what the creative declares. Used only when a new ad is created. ${OURS}`,
});

const AdMetadata = GivenMetadata.nullish();

/** The name, media, size and metadata of a new ad. */
export const NewAd = z.object({
  name: AdName.nullish(),
  media: MediaReference,
  size: adSizeObject.nullish(),
  metadata: AdMetadata,
});

const Webhook = z
  .object({
    url: webAddress.describe('Address that receives the events.'),
    topics: z
      .array(z.enum(TOPICS))
      .min(1, 'must name at least one topic, or be left out.')
      .nullish()
      .describe(`Topics to receive; the default is \`ad.uploaded\` and \`screenshot_set.approved\`. ${OURS}`),
  })
  .meta({ id: 'WebhookSubscriber', description: 'An address that receives events.' });

const REGION = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

export const Region = text((value) =>
  REGION.test(value) ? undefined : 'must be the name of a region, for example eu-central-1.',
).meta({ pattern: REGION.source });

export const Bucket = z.object({
  bucket: text(bucketFault).meta({ minLength: 3, maxLength: 63, pattern: BUCKET_NAME.source }),
  region: Region.nullish().describe('Region of the bucket; the default is the region of the connector.'),
  key_prefix: text(keyPrefixFault)
    .meta({ maxLength: KEY_PREFIX_MAX_BYTES, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\\\]*$' })
    .nullish()
    .describe(
      `Prepended to object keys without changes. At most ${KEY_PREFIX_MAX_BYTES} bytes of UTF-8, without control characters, backslashes, and the segments "." and "..".`,
    ),
});

export const ConnectorName = text((value) =>
  isConnectorName(value)
    ? undefined
    : 'must be the name of a connector: at most 63 lower-case letters, digits and hyphens.',
).meta({ pattern: SLUG.source });

const S3Destination = Bucket.extend({
  connector: ConnectorName.nullish().describe(
    `Name of the connector that writes; the default is the one named \`${DEFAULT_CONNECTOR}\`. ${OURS}`,
  ),
}).meta({ id: 'S3Subscriber', description: 'A bucket that receives pictures.' });

export const Subscriber = z
  .object({ webhook: Webhook.nullish(), s3: S3Destination.nullish() })
  .superRefine(({ webhook, s3 }, context) => {
    if ((webhook ?? null) === null && (s3 ?? null) === null) {
      context.addIssue({ code: 'custom', message: 'must have webhook, s3, or both.' });
    }
  })
  .meta({
    id: 'Subscriber',
    description: 'Has `webhook`, `s3`, or both. S3 requires a connector of the organization.',
    override: anyOf({
      webhook: { $ref: '#/components/schemas/WebhookSubscriber' },
      s3: { $ref: '#/components/schemas/S3Subscriber' },
    }),
  });

const marker = z
  .number()
  .refine(isMarker, `must be between 0 and ${MARKER_MAX_SECONDS} seconds inclusive.`)
  .meta({
    minimum: 0,
    maximum: MARKER_MAX_SECONDS,
    description: `Seconds into the creative. Rounded to the millisecond. ${OURS}`,
  });

const slotChoiceObject = z
  .object({
    selector: text((value) =>
      isBlank(value) ? 'must not be blank: give a CSS selector.' : lengthFault(value, SELECTOR_MAX),
    )
      .meta({ ...NOT_BLANK, maxLength: SELECTOR_MAX })
      .nullish()
      .describe('CSS selector of the slot. The first element that matches is used, in any frame of the page.'),
    index: z
      .number()
      .int()
      .min(1)
      .max(SLOT_INDEX_MAX)
      .nullish()
      .describe('Number of a candidate in the provenance record, from 1.'),
  })
  .superRefine(({ selector, index }, context) => {
    if ((selector ?? null) === null && (index ?? null) === null)
      context.addIssue({ code: 'custom', message: 'must have selector or index.' });
    if ((selector ?? null) !== null && (index ?? null) !== null)
      context.addIssue({ code: 'custom', message: 'must have either selector or index, not both.' });
  })
  .meta({
    id: 'SlotChoice',
    override: oneOf({ selector: { type: 'string' }, index: { type: 'integer' } }),
    description: `Chooses the slot instead of the score. Either \`selector\` or \`index\`. ${OURS}`,
  });

/** One screenshot object of a screenshot request. */
export const screenshotObject = ({ frames }: Limits) =>
  z
    .object({
      site: z.object({
        url: text(siteFault)
          .meta({ minLength: 1, pattern: WITHOUT_CONTROLS, maxLength: URL_MAX })
          .describe(`Address of the website. A missing scheme is read as \`https://\`. ${OURS}`),
      }),
      device: z.object({ name: z.enum(DEVICE_NAMES).describe('The device to emulate.') }),
      options: z
        .object({
          ad: z
            .object({
              frames: z
                .array(z.object({ marker }))
                .max(frames, `must have at most ${figure(frames)} frames.`)
                .nullish()
                .describe('Markers of the creative to capture. If empty or absent: the default frame.'),
              allow_scaling: z
                .boolean()
                .nullish()
                .describe(
                  `Whether the ad may be scaled down to fit a slot. By default an ad is shown at its own size or not at all. ${OURS}`,
                ),
            })
            .nullish(),
          slot: slotChoiceObject.nullish(),
          page: z
            .object({
              other_ads: z
                .enum(OTHER_ADS)
                .nullish()
                .describe(
                  `\`hide\` (the default): the page looks as if no ad was delivered. \`keep\`: other ads load. ${OURS}`,
                ),
              full_page: z
                .boolean()
                .nullish()
                .describe(`The picture shows the whole page instead of the viewport of the device. ${OURS}`),
            })
            .nullish(),
        })
        .nullish(),
    })
    .meta({ id: 'ScreenshotObject' });

export const Instructions = text((value) => lengthFault(value, INSTRUCTIONS_MAX)).meta({
  maxLength: INSTRUCTIONS_MAX,
  description: `Free text for reviewers. The event contains it too. ${OURS}`,
});

/** The whole bodies, for the API reference. The service parses them in parts, so that one response lists all faults. */
export const requestBodies = (limits: Limits) => {
  const subscribers = z.array(Subscriber).max(limits.subscribers).nullish();
  const ad = {
    lookup_key: LookupKey.nullish(),
    name: AdName.nullish(),
    media: MediaReference.nullish(),
    size: adSizeObject.nullish(),
    metadata: AdMetadata,
  };
  return {
    CreateAd: z
      .object({ campaign: CampaignReference, ad: z.object(ad).meta({ id: 'CreateAdObject' }), subscribers })
      .meta({ id: 'CreateAd' }),
    CreateScreenshotRequest: z
      .object({
        campaign: CampaignReference,
        screenshot_requests: z
          .array(
            z
              .object({
                ad: z.object({ id: AdId.nullish(), ...ad }).meta({ id: 'ScreenshotRequestAd' }),
                screenshots: z
                  .array(screenshotObject(limits))
                  .min(1)
                  .max(limits.screenshots * MAX_REPETITIONS),
              })
              .meta({ id: 'ScreenshotRequestEntry' }),
          )
          .min(1)
          .max(limits.entries)
          .describe(
            `One entry for each ad. At most ${figure(limits.entries)} entries and ${figure(limits.screenshots)} resulting screenshots, as configured. ${OURS}`,
          ),
        subscribers,
        instructions: Instructions.nullish(),
        metadata: GivenMetadata.nullish(),
      })
      .meta({ id: 'CreateScreenshotRequest' }),
  };
};

/** Body of approve and reject. */
export const ReviewBody = z
  .object({
    notes: text((value) => lengthFault(value, INSTRUCTIONS_MAX))
      .meta({ maxLength: INSTRUCTIONS_MAX })
      .nullish()
      .describe('The reviewer’s text, first part of `review_notes`.'),
  })
  .meta({ id: 'Review' });
