/** The bodies of requests as zod schemas. The service parses bodies with them, and the OpenAPI document is generated from them. */
import { z } from 'zod';
import { AD_NAME_MAX, AD_SIDE_MAX, HTML_TAG_MAX_BYTES, LOOKUP_KEY_MAX, MEDIA_TYPES } from '../domain/ads.ts';
import {
  ANIMATION_FPS,
  ANIMATION_FPS_MAX,
  ANIMATION_FRAMES_MAX,
  ANIMATION_SECONDS_MAX,
  hasFewFrames,
} from '../domain/animations.ts';
import {
  BUCKET_NAME,
  bucketFault,
  DEFAULT_CONNECTOR,
  isConnectorName,
  KEY_PREFIX_MAX_BYTES,
  keyPrefixFault,
} from '../domain/connectors.ts';
import {
  completeOwnDevice,
  DEVICE_NAMES,
  type DeviceName,
  OWN_DEVICE,
  ownDeviceFaults,
  ownDeviceName,
  rangeFault,
  TOUCH_BELOW,
  userAgentFault,
} from '../domain/devices.ts';
import { INSTRUCTIONS_MAX, type Limits, MAX_REPETITIONS } from '../domain/limits.ts';
import { isMarker, MARKER_MAX_SECONDS } from '../domain/markers.ts';
import {
  ACCESS_LIMITS,
  accessFault,
  COOKIE_VALUE,
  cookieNameFault,
  cookieValueFault,
  HEADER_VALUE,
  headerNameFault,
  headerValueFault,
  TOKEN,
} from '../domain/pageAccess.ts';
import { PRIORITIES } from '../domain/priorities.ts';
import {
  AREA_MAX,
  GROUP_ADS_MAX,
  GROUP_NAME_MAX,
  OTHER_ADS,
  PAGE_VIEWS,
  SELECTOR_MAX,
  SLOT_INDEX,
} from '../domain/screenshotOptions.ts';
import { SET_NAME_MAX } from '../domain/setNames.ts';
import { SLOT_FORMATS } from '../domain/slotFormats.ts';
import { isUuid, SLUG } from '../domain/slugs.ts';
import { isBlank } from '../domain/text.ts';
import { TOPICS } from '../domain/topics.ts';
import { siteFault, URL_MAX, urlFault } from '../domain/webAddresses.ts';
import { isAbsent, kindOf } from './faults.ts';
import { GivenMetadata } from './metadata.ts';
import { anyOf, NOT_BLANK, OURS, oneOf } from './schemaParts.ts';
import { figure, lengthFault, nameUpTo, text, textUpTo, WEB_ADDRESS, webAddress } from './textFields.ts';

/** A text without control characters, except for white space around it. */
const WITHOUT_CONTROLS = '^\\s*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*\\s*$';

const CampaignId = text().meta({ format: 'uuid' });
export const CampaignName = text((value) =>
  isBlank(value) ? 'must not be blank: give the name of the campaign.' : undefined,
).meta(NOT_BLANK);

const NAME_ONE = 'is required: give campaign.id or campaign.name.';

const CampaignReference = z
  .object(
    {
      id: CampaignId.nullish().describe(
        `Identifier of an existing campaign. If the request also has a name, the service ignores the name. ${OURS}`,
      ),
      name: CampaignName.nullish().describe(
        `Find-or-create key. Longer than 250 characters, it is truncated to 250. Trimmed, then compared exactly. ${OURS}`,
      ),
    },
    { error: ({ input }) => (isAbsent(input) ? NAME_ONE : undefined) },
  )
  .refine(({ id, name }) => !isAbsent(id) || !isAbsent(name), NAME_ONE)
  .meta({
    id: 'CampaignReference',
    description: 'One of `id` and `name` is required.',
    override: anyOf({ id: { type: 'string' }, name: { type: 'string' } }),
  });

const LookupKey = textUpTo(LOOKUP_KEY_MAX, 'must not be blank: omit it if there is none.').describe(
  `Client-chosen key of an ad, unique within its campaign. ${OURS}`,
);

export const AdId = text()
  .meta({ format: 'uuid' })
  .describe('Identifier of an existing ad of the same campaign. With it, the service ignores `lookup_key`.');

export const AdName = textUpTo(AD_NAME_MAX).describe(
  `Used only when a new ad is created. Without it, the ad is named after its media. ${OURS}`,
);

const MediaReference = z
  .object({
    type: z.enum(MEDIA_TYPES).describe('`upload` is a Tearsheet extension.'),
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

const UPLOAD_ID_FAULT = 'must be the id of an upload: the "id" in the response of POST …/uploads.';
const MEDIA_FAULTS = {
  url: urlFault,
  html_tag: tagFault,
  upload: (content: string) => (isUuid(content.trim()) ? undefined : UPLOAD_ID_FAULT),
} as const;

function tagFault(content: string): string | undefined {
  if (isBlank(content)) return 'must not be blank: give the HTML of the tag.';
  const bytes = Buffer.byteLength(content);
  if (bytes <= HTML_TAG_MAX_BYTES) return undefined;
  return `must be at most ${figure(HTML_TAG_MAX_BYTES)} bytes (1MB) for an html_tag, but is ${figure(bytes)}.`;
}

const adSide = z
  .number()
  .int()
  .min(1, 'must be at least 1: give the size of the ad in CSS pixels, or omit `size`.')
  .max(AD_SIDE_MAX, `must be at most ${figure(AD_SIDE_MAX)} CSS pixels.`);

/** CSS pixels. */
export const adSize = z.object({ width: adSide, height: adSide });

const adSizeObject = adSize.meta({
  id: 'AdSize',
  description: `Size of the creative in CSS pixels. Overrides what the creative declares. Used only when a new ad is created. ${OURS}`,
});

/** The name, media, size and metadata of a new ad. */
export const NewAd = z.object({
  name: AdName.nullish(),
  media: MediaReference,
  size: adSizeObject.nullish(),
  metadata: GivenMetadata.nullish(),
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
  .refine(({ webhook, s3 }) => !isAbsent(webhook) || !isAbsent(s3), 'must have webhook, s3, or both.')
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

const areaEdge = z.number().int().min(0).max(AREA_MAX);
const areaObject = z
  .object({ x: areaEdge, y: areaEdge, width: adSide.nullish(), height: adSide.nullish() })
  .refine(
    ({ width, height }) => isAbsent(width) === isAbsent(height),
    'must have both width and height, or neither: then it is as large as the ad.',
  )
  .meta({
    id: 'SlotArea',
    description: `A part of the page, CSS pixels from its top left corner; as large as the ad unless it has a size. ${OURS}`,
  });

export const slotChoiceObject = z
  .object({
    selector: textUpTo(SELECTOR_MAX, 'must not be blank: give a CSS selector.')
      .nullish()
      .describe('CSS selector of the slot. The first element that matches is used, in any frame of the page.'),
    index: z
      .number()
      .int()
      .min(SLOT_INDEX.min, rangeFault(SLOT_INDEX))
      .max(SLOT_INDEX.max, rangeFault(SLOT_INDEX))
      .nullish()
      .describe('Number of a candidate in the provenance record, from 1.'),
    format: z
      .enum(SLOT_FORMATS)
      .nullish()
      .describe(
        'Only slots of this format are considered, and the best of them is used. If the page shows no `anchor` or `interstitial`, Tearsheet draws one, with the warning `slot_drawn`.',
      ),
    area: areaObject.nullish().describe('The ad is shown over this part of the page, whatever is there.'),
  })
  .superRefine((choices, context) => {
    const given = Object.values(choices).filter((choice) => !isAbsent(choice));
    if (given.length === 0) context.addIssue({ code: 'custom', message: 'must have selector, index, format or area.' });
    if (given.length > 1)
      context.addIssue({ code: 'custom', message: 'must have only one of selector, index, format and area.' });
  })
  .meta({
    id: 'SlotChoice',
    override: oneOf({
      selector: { type: 'string' },
      index: { type: 'integer' },
      format: { type: 'string' },
      area: { $ref: '#/components/schemas/SlotArea' },
    }),
    description: `Chooses the slot instead of the score, or the format of the slot. One of \`selector\`, \`index\`, \`format\` and \`area\`. ${OURS}`,
  });

const animationObject = z
  .object({
    seconds: z
      .number()
      .int()
      .min(1)
      .max(ANIMATION_SECONDS_MAX)
      .describe('The animation shows the first seconds of the ad.'),
    fps: z
      .number()
      .int()
      .min(1)
      .max(ANIMATION_FPS_MAX)
      .nullish()
      .describe(`Frames for each second; the default is ${ANIMATION_FPS}.`),
  })

  .refine(
    ({ seconds, fps }) => hasFewFrames({ seconds, fps: fps ?? ANIMATION_FPS }),
    `must have at most ${ANIMATION_FRAMES_MAX} frames: seconds × fps.`,
  )
  .meta({
    id: 'AnimationOptions',
    description: `Makes an animated WebP and GIF beside the picture. At most ${ANIMATION_FRAMES_MAX} frames. ${OURS}`,
  });

/** The page of a placement, a template or a site list. */
export const site = z.object({
  url: text(siteFault)
    .meta({ minLength: 1, pattern: WITHOUT_CONTROLS, maxLength: URL_MAX })
    .describe(
      `Address of the website. A missing scheme is read as \`https://\`. If the site refuses https, it is opened by http, with the warning \`http_used\`. ${OURS}`,
    ),
});

/** The page of a screenshot. */
const siteOrFile = site.extend({
  page: z
    .object({
      upload_id: text((value) => (isUuid(value.trim()) ? undefined : UPLOAD_ID_FAULT))
        .meta({ format: 'uuid' })
        .describe(
          'The id of an upload: a screenshot of the page (PNG, JPEG, WebP), or the saved page (MHTML, HTML, or a zip of HTML with its files).',
        ),
    })
    .nullish()
    .describe(
      `A file that is shown as the page, for a site that blocks every visit. \`url\` stays the address of the site. Only the parts of the file load. A screenshot has no slots: \`options.slot\` must have an \`area\`. ${OURS}`,
    ),
});

const deviceName = z.enum(DEVICE_NAMES);
const within = (schema: z.ZodNumber, { min, max }: { readonly min: number; readonly max: number }) =>
  schema.min(min, rangeFault({ min, max })).max(max, rangeFault({ min, max })).nullish();

/** A named device, or a custom one, whose name encodes all its properties. */
export const device = z
  .object({
    name: z
      .unknown()
      .optional()
      .meta({
        override: { type: ['string', 'null'] },
        description: 'The device to emulate. Ignored if there are `width` and `height`.',
      }),
    width: within(z.number().int(), OWN_DEVICE.width).describe(
      `Width of the screen of a custom device, CSS pixels. ${OURS}`,
    ),
    height: within(z.number().int(), OWN_DEVICE.height).describe(`As \`width\`. ${OURS}`),
    ratio: within(z.number(), OWN_DEVICE.ratio).describe(
      `Device pixels per CSS pixel; 1 unless given. Rounded to a hundredth. A screen has at most ${figure(OWN_DEVICE.pixels)} device pixels. ${OURS}`,
    ),
    touch: z
      .boolean()
      .nullish()
      .describe(
        `Whether it has a touch screen, so that pages show their mobile layout. Unless given: if it is less than ${figure(TOUCH_BELOW)} wide. ${OURS}`,
      ),
    user_agent: text(userAgentFault)
      .meta({ minLength: 1, maxLength: OWN_DEVICE.userAgent, pattern: '^ *[!-~][ -~]*$' })
      .nullish()
      .describe(`Unless given: that of Chrome on such a device. ${OURS}`),
  })
  .transform(({ name, width, height, ratio, touch, user_agent }, context): { name: DeviceName } => {
    if (typeof width === 'number' && typeof height === 'number') {
      if (typeof (name ?? '') !== 'string')
        context.addIssue({ code: 'custom', message: 'must be a string, or absent.', path: ['name'] });
      const size = { width, height, ratio: ratio ?? undefined };
      const own = completeOwnDevice({ ...size, touch: touch ?? undefined, userAgent: user_agent ?? undefined });
      for (const [field, message] of Object.entries(ownDeviceFaults(own)))
        context.addIssue({ code: 'custom', message, path: [field] });
      return { name: ownDeviceName(own) };
    }
    const isPartial = typeof width === 'number' || typeof height === 'number';
    const named = deviceName.safeParse(name);
    if (isPartial)
      context.addIssue({
        code: 'custom',
        message: 'is required with the other side of the screen.',
        path: [typeof width === 'number' ? 'height' : 'width'],
      });
    else if (!named.success)
      context.addIssue({ code: 'invalid_value', values: [...DEVICE_NAMES], input: name, path: ['name'] });
    return { name: named.data ?? 'desktop' };
  })
  .meta({
    id: 'Device',
    description: 'A device of the list by `name`, or a custom one by `width` and `height`.',
    override: {
      anyOf: [
        {
          required: ['name'],
          properties: { name: { enum: [...DEVICE_NAMES] }, width: { type: 'null' }, height: { type: 'null' } },
        },
        { required: ['width', 'height'], properties: { width: { type: 'integer' }, height: { type: 'integer' } } },
      ],
    },
  });

type Check = (text: string) => string | undefined;

/** A name with its value. The values are secrets, so no message repeats them. */
const namedValue = (nameFault: Check, valueFault: Check, valuePattern: RegExp) =>
  z.object({
    name: text((given) => nameFault(given) ?? lengthFault(given, ACCESS_LIMITS.name)).meta({
      minLength: 1,
      maxLength: ACCESS_LIMITS.name,
      pattern: TOKEN.source,
    }),
    value: text((given) => valueFault(given) ?? lengthFault(given, ACCESS_LIMITS.value)).meta({
      maxLength: ACCESS_LIMITS.value,
      pattern: valuePattern.source,
      writeOnly: true,
    }),
  });

export const Cookie = namedValue(cookieNameFault, cookieValueFault, COOKIE_VALUE);
export const Header = namedValue(headerNameFault, headerValueFault, HEADER_VALUE);

export const upTo = <S extends z.ZodType>(most: number, item: S) =>
  z.array(item).max(most, `must have at most ${most} entries.`);

const SECRET = 'The values are stored encrypted, removed with the set and never returned.';

/** The id of a location that the operator offers. */
const locationId = (known: readonly string[] = []) =>
  text((given) => {
    if (known.includes(given)) return undefined;
    return known.length === 0
      ? 'is not available: the operator of this installation offers no locations.'
      : `must be one of these locations: ${known.join(', ')}.`;
  })
    .meta({ pattern: SLUG.source })
    .nullish()
    .describe(
      `The id of a location: the page is opened from its country. Without it, the page is opened directly. ${OURS}`,
    );

/** One screenshot object of a screenshot request. */
export const screenshotObject = ({ frames, locations }: Limits) =>
  z
    .object({
      site: siteOrFile,
      device,
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
          animation: animationObject.nullish(),
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
              view: z
                .enum(PAGE_VIEWS)
                .nullish()
                .describe(
                  `\`slot\` (the default): the page around the slot. \`masthead\`: as much as fits of the page above the slot, so that the head of the site is in the picture. ${OURS}`,
                ),
              location: locationId(locations),
              cookies: upTo(ACCESS_LIMITS.cookies, Cookie)
                .nullish()
                .describe(`Cookies for the host of the site, for example of a signed-in reader. ${SECRET} ${OURS}`),
              headers: upTo(ACCESS_LIMITS.headers, Header)
                .nullish()
                .describe(`Headers for requests to the origin of the site, and to no other. ${SECRET} ${OURS}`),
            })
            .superRefine(({ cookies, headers }, context) => {
              const message = accessFault({ cookies: cookies ?? [], headers: headers ?? [] });
              if (message !== undefined) context.addIssue({ code: 'custom', message });
            })
            .nullish(),
        })
        .nullish(),
    })
    .meta({ id: 'ScreenshotObject' });

/** Options of all screenshots of a request that have no other. */
const requestOptions = ({ locations }: Limits) =>
  z
    .object({ page: z.object({ location: locationId(locations) }).nullish() })
    .nullish()
    .describe(`For all screenshots of the request that name no location. ${OURS}`);

export const SetName = nameUpTo(SET_NAME_MAX, 'must not be blank: send null to remove it.');

export const Instructions = textUpTo(INSTRUCTIONS_MAX).describe(
  `Free text for reviewers. The event contains it too. ${OURS}`,
);

const GivenPriority = z
  .enum(PRIORITIES)
  .describe(
    `How urgent the set is; unless given, the default of the organization. Sets of higher priority start first, but none waits forever. ${OURS}`,
  );

const notAnObject = ({ input }: { readonly input?: unknown }) => `must be an object, but is ${kindOf(input)}.`;

/** The message for a list that is missing. */
const atLeastOne = ({ input }: { readonly input?: unknown }) =>
  isAbsent(input) ? 'is required: an array with at least one entry.' : undefined;

export const subscribersOf = ({ subscribers }: Limits) =>
  z
    .array(Subscriber)
    .max(subscribers, {
      error: ({ input }) => `must have at most ${subscribers} entries, but has ${lengthOf(input)}.`,
    })
    .nullish();

const lengthOf = (list: unknown) => (Array.isArray(list) ? list.length : 0);

export const GroupName = textUpTo(
  GROUP_NAME_MAX,
  'must not be blank: omit it if the ad has a picture of its own.',
).meta({
  example: 'Takeover',
  description: `Entries with the same group have one picture for each site and device: it shows all their ads, each in a slot of its own. A picture shows at most ${GROUP_ADS_MAX} ads, and an entry has at most one frame. ${OURS}`,
});

const adFields = { lookup_key: LookupKey.nullish(), ...NewAd.shape, media: MediaReference.nullish() };
const missingAd = ({ input }: { readonly input?: unknown }) =>
  input === undefined ? undefined : notAnObject({ input });

const entryOf = (limits: Limits) =>
  z
    .object(
      {
        ad: z.object({ id: AdId.nullish(), ...adFields }, { error: missingAd }).meta({ id: 'ScreenshotRequestAd' }),
        screenshots: z
          .array(screenshotObject(limits), { error: atLeastOne })
          .min(1, 'must have at least one entry.')
          // The reader counts the screenshots of all entries together.
          .meta({ maxItems: limits.screenshots * MAX_REPETITIONS }),
        group: GroupName.nullish(),
      },
      { error: notAnObject },
    )
    .meta({ id: 'ScreenshotRequestEntry' });

/** The body of create-ad. `readRequest.ts` reads it part by part. */
export const createAdBody = (limits: Limits) =>
  z
    .object({
      campaign: CampaignReference,
      ad: z.object(adFields, { error: missingAd }).meta({ id: 'CreateAdObject' }),
      subscribers: subscribersOf(limits),
    })
    .meta({ id: 'CreateAd' });

/** The body of a screenshot request. `readRequest.ts` reads it part by part. */
export const screenshotRequestBody = (limits: Limits) =>
  z
    .object({
      campaign: CampaignReference,
      screenshot_requests: z
        .array(entryOf(limits), { error: atLeastOne })
        .min(1, 'must have at least one entry.')
        .max(limits.entries, {
          error: ({ input }) =>
            `must have at most ${figure(limits.entries)} entries, but has ${figure(lengthOf(input))}: send several requests.`,
        })
        .describe(
          `One entry for each ad. At most ${figure(limits.entries)} entries and ${figure(limits.screenshots)} resulting screenshots, as configured. ${OURS}`,
        ),
      options: requestOptions(limits),
      subscribers: subscribersOf(limits),
      name: SetName.nullish().describe(
        `The name of the set for people. Without it, the set is named after its contents. ${OURS}`,
      ),
      instructions: Instructions.nullish(),
      metadata: GivenMetadata.nullish(),
      priority: GivenPriority.nullish(),
    })
    .meta({ id: 'CreateScreenshotRequest' });

export type CampaignBody = typeof CampaignReference;
export type EntryBody = ReturnType<typeof entryOf>;
export type AdBody = z.ZodObject<typeof adFields & { readonly id?: z.ZodOptional<z.ZodNullable<typeof AdId>> }>;
export type SubscribersBody = ReturnType<typeof subscribersOf>;
export type SubscriberBody = z.output<typeof Subscriber>;
export type ScreenshotObject = z.output<ReturnType<typeof screenshotObject>>;

/** Body of approve and reject. */
export const ReviewBody = z
  .object({
    notes: textUpTo(INSTRUCTIONS_MAX).nullish().describe('The reviewer’s text, first part of `review_notes`.'),
  })
  .meta({ id: 'Review' });
