/**
 * The messages between a capture program and the internal API. JSON over HTTP under `/internal/v2/jobs/{job}`, with
 * `Authorization: Bearer <token>`. On one machine the token is for the job; in a cluster it is the pod's own and valid for its index only.
 * Every write names the attempt. 409 `{"error":"superseded"}` means that the program must exit, because a newer attempt exists or the job is
 * settled or canceled. Other errors are `{"error","message"}` with 401 (invalid token), 403 (another job, index or pod), 404, or 422 (the
 * content is invalid, do not repeat it). The program may repeat a call after a 5xx or a broken connection.
 *
 * The path names the version of the protocol. The API serves one version. It answers a call in another version with 404
 * `{"error":"unsupported_version"}` and a message that names both versions. It answers an unknown call with 404 and {@link NO_SUCH_CALL}.
 * The program repeats the call in both cases, because another replica may already run the release that knows the call.
 */
import { z } from 'zod';
import { AD_CATEGORIES, MEDIA_TYPES } from '../domain/ads.ts';
import { ANIMATION_FORMATS, ANIMATION_FRAMES_MAX } from '../domain/animations.ts';
import { IMAGE_RATIO_MAX, PLACEMENT_SIZES_MAX } from '../domain/placements.ts';
import { cutCodePoints } from '../domain/text.ts';
import { GIVEN_PAGE_FORMATS } from '../domain/uploads.ts';
import { WARNING_CODES } from '../domain/warnings.ts';
import { CreativeFacts } from './creativeFacts.ts';
import { WantedLocation } from './locations.ts';
import { AppliedSiteRule } from './siteRules.ts';
import { OptionsJson } from './storedOptions.ts';

const uuid = z.uuid();
const markerMs = z.number().int().min(0).max(30_000).nullable();
const ratio = z.number().positive();
/** Within the range of an integer column. */
const count = z.number().int().min(1).max(2_147_483_647);
/** The maximum side of a picture in a browser. */
const side = z.number().int().min(1).max(65_535);
/** Text that may come from a page and be very long. */
const words = z.string().transform((text) => cutCodePoints(text, 4_000));
/** Within the range of an integer column. */
const int32 = z.number().int().max(2_147_483_647);
/** No capture takes a day. One infinite value would make the sum of a metric infinite. */
const seconds = z.number().min(0).max(86_400);
/** The value is later used in headers. */
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The API's answer to a call that it does not know. Programs recognize the text, so it must not change. */
export const NO_SUCH_CALL = 'There is no such call in the capture protocol.';

/** POST …/indexes/{index}/attempts: the first call of a pod. `pod` is the uid of the pod. */
export const OpenAttempt = z.object({
  pod: z.string().min(1).max(128),
  /** The program can take small sets after this index. */
  hosts: z.boolean().default(false),
});

/** `options`: null stands for the default options. */
export const WantedScreenshot = z.object({
  id: uuid,
  ad_id: uuid,
  marker_ms: markerMs,
  options: OptionsJson.nullish(),
});

/** More would make a record unreadable. */
const MAX_WARNINGS = 100;

/** Absent in the first release of this protocol version; an older program sends none. */
const warnings = z
  // A newer program may know more codes.
  .array(z.object({ code: z.enum(WARNING_CODES).catch('other'), message: words }))
  .max(1_000)
  .default([])
  .transform((all) => all.slice(0, MAX_WARNINGS));

/**
 * The picture of a page without an ad, and its slots for ads of these sizes. It is reported like a screenshot, with a {@link SlotsRecord} as
 * its record.
 */
const WantedPlacement = z.object({
  id: uuid,
  sizes: z
    .array(z.object({ width: side, height: side }))
    .min(1)
    .max(PLACEMENT_SIZES_MAX),
  /** Absent in older answers. */
  image_ratio: z.number().min(1).max(IMAGE_RATIO_MAX).default(1),
});

const NamedValues = z.array(z.object({ name: z.string(), value: z.string() }));

/** One page load: a site on a device, with the same options of the page, and its missing screenshots. */
export const WantedPage = z.object({
  site_url: z.string(),
  /** The client gave no scheme, so the page may be opened by http if https is refused. Absent in older answers. */
  may_use_http: z.boolean().default(false),
  /** A name that `findDevice` knows. */
  device: z.string(),
  screenshots: z.array(WantedScreenshot),
  placement: WantedPlacement.nullish(),
  /** The program opens the page through the gateway (egress/gateway.ts). */
  location: WantedLocation.nullish(),
  /** Secrets: only the origin of the site may get them. */
  access: z.object({ cookies: NamedValues, headers: NamedValues }).nullish(),
  /** The site rules of the page, the most specific first, with their secrets. */
  rules: z.array(AppliedSiteRule).nullish(),
  /** The file that is shown as the page, instead of opening the site. The URL is signed for this file and expires after the capture. */
  given: z.object({ format: z.enum(GIVEN_PAGE_FORMATS), sha256, bytes: count, url: z.url() }).nullish(),
});

export const Attempt = z.object({
  attempt: z.number().int().min(1),
  /** The index has no open work: the program exits with 0. */
  done: z.boolean(),
  /** ISO 8601. The program exits at this time. */
  deadline_at: z.string(),
  pages: z.array(WantedPage),
  /** The program renews its lease (POST …/hosting), and takes small sets (POST …/small-set) when its index is finished. */
  hosting: z.boolean().default(false),
  /** The program may upload pictures of pages on which screenshots failed. Absent in the first release of this protocol version. */
  page_pictures: z.boolean().default(false),
});

/**
 * POST …/indexes/{index}/small-set: takes the next small set of the same organization. Its job has one index, and the program calls for it with
 * its own token. Null: the program ends.
 */
export const ClaimSmallSet = z.object({ attempt: int32.min(1) });
export const ClaimedSmallSet = z.object({
  job: uuid.nullable(),
  /** The span of the set's request, if it is traced. */
  traceparent: z.string().nullish(),
});

/** POST …/indexes/{index}/hosting: renews the lease, or says that the program takes no further set. The answer is {@link HostingHeld}. */
export const RenewHosting = z.object({ attempt: int32.min(1), ends: z.boolean().default(false) });
export const HostingHeld = z.object({ hosting: z.boolean() });

/** The phases of a capture; each is a label value of a metric. */
export const PHASES = ['navigate', 'load', 'scroll', 'consent', 'settle', 'find', 'render', 'place', 'upload'] as const;
export type Phase = (typeof PHASES)[number];

const Bound = z.object({ index: int32.min(0), attempt: int32.min(1) });

/** The most spans in one call. */
export const MAX_SPANS = 1_000;
const SPAN_NAMES: readonly string[] = ['start capture', 'page', 'picture', ...PHASES];
const spanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/);
/** A host name has at most 253 characters. */
const spanWord = z.string().max(255);
/** No clock of a node is wrong by more than this, and an exporter fails with times that are too large. */
const isSpanTime = (ms: number) => Math.abs(ms - Date.now()) < 86_400_000;
const spanTime = z.number().int().refine(isSpanTime);
const RecordedSpan = z
  .object({
    id: spanId,
    parent: spanId,
    // Names and keys must be few, whatever a hostile capture sends.
    name: z.string().refine((name) => SPAN_NAMES.includes(name)),
    start_ms: spanTime,
    end_ms: spanTime,
    /** The type of the error with which it ended. */
    error: spanWord.optional(),
    attributes: z.record(
      z.string().regex(/^(tearsheet|server)\.[a-z_]{1,32}$/),
      z.union([spanWord, z.number(), z.boolean()]),
    ),
  })
  .refine(({ start_ms, end_ms }) => start_ms <= end_ms);

/** Spans of the job's trace that have ended, if it is traced. An invalid one is left out, because it must cost no result. */
const spans = z
  .array(z.unknown())
  .max(MAX_SPANS)
  .catch([])
  .default([])
  .transform((all) => all.flatMap((one) => RecordedSpan.safeParse(one).data ?? []));

/** POST …/creatives/claim: claims the next free creative. */
export const ClaimCreative = Bound;
const WantedFrame = z.object({ marker_ms: markerMs, ratio });
const WantedFilm = z.object({ seconds: int32.min(1), fps: int32.min(1), ratio });
/** The PNGs of the different frames of an animation, one after another in one file, or why there are none. */
const madeFilm = <T extends z.ZodRawShape>(file: T) =>
  z.union([
    WantedFilm.extend({ ...file, holds: z.array(int32.min(1)).max(ANIMATION_FRAMES_MAX) }),
    WantedFilm.extend({ reason: words }),
  ]);
export const ClaimedCreative = z.object({
  /** Null if no creative is free at the moment. */
  creative: z
    .object({
      ad_id: uuid,
      kind: z.enum(MEDIA_TYPES),
      content: z.string(),
      /** The uploaded file, for the kind `upload`. The URL is signed for this file and expires after the capture. */
      file: z.object({ name: z.string(), sha256, bytes: count, url: z.url() }).nullish(),
      /** CSS pixels, as the client gave it. */
      size: z.object({ width: side, height: side }).nullish(),
      /** In an earlier capture. Absent in the first release of this protocol version. */
      earlier_format: z.string().nullish(),
      wanted: z.array(WantedFrame),
      /** Absent in the first release of this protocol version. A program that makes none costs no picture. */
      films: z.array(WantedFilm).default([]),
      /** No capture measured the creative yet. Absent in the first release of this protocol version. */
      wants_facts: z.boolean().default(false),
      /** The program must renew the claim (POST …/creatives/{ad}/renew) well before this time is over. */
      lease_seconds: z.number(),
    })
    .nullable(),
  /** Creatives of the job that are neither rendered nor failed, including claimed ones. */
  unresolved: z.number().int(),
});

/**
 * POST …/creatives/{ad}/renew, with the response {@link ClaimHeld}, and …/release, with the response `{}`. A program that is terminated
 * releases its claims.
 */
export const HoldClaim = Bound;

/** False: the lease has expired and another attempt may hold the claim. The API accepts a result as long as there is none. */
export const ClaimHeld = z.object({ held: z.boolean() });

/** An uncompressed picture of the largest screen has 18 MB. */
export const MAX_PICTURE_BYTES = 64 * 1024 * 1024;
/** The same for the page of a failed screenshot, which has one pixel for each CSS pixel and 256 colors. */
export const MAX_PAGE_PICTURE_BYTES = 8 * 1024 * 1024;

/** A bucket with Object Lock needs the MD5, in base64. Captures of older releases do not send it. */
const md5 = z.string().regex(/^[A-Za-z0-9+/]{22}==$/);
const Content = z.object({ sha256, md5: md5.optional(), bytes: count });
/** POST …/uploads: declares the next uploads. */
export const DeclareUploads = Bound.extend({
  uploads: z
    .array(
      z.discriminatedUnion('kind', [
        Content.extend({ kind: z.literal('screenshot'), id: uuid }),
        Content.extend({ kind: z.literal('page'), id: uuid, bytes: count.max(MAX_PAGE_PICTURE_BYTES) }),
        Content.extend({ kind: z.literal('frame'), ad_id: uuid, marker_ms: markerMs, ratio }),
        Content.extend({ kind: z.literal('film'), ad_id: uuid, ...WantedFilm.shape }),
        Content.extend({ kind: z.literal('animation'), id: uuid, format: z.enum(ANIMATION_FORMATS) }),
      ]),
    )
    .min(1)
    .max(100),
});
/** One signed PUT request for each declared upload, in the same order. Each accepts only the declared bytes and expires after some minutes. */
export const DeclaredUploads = z.object({
  uploads: z.array(z.object({ key: z.string(), url: z.url(), headers: z.record(z.string(), z.string()) })),
});

const RenderedFrame = z.object({
  marker_ms: markerMs,
  ratio,
  key: z.string(),
  sha256,
  bytes: count,
  /** Device pixels. */
  width: side,
  height: side,
});

const Category = z.enum(AD_CATEGORIES);

/** POST …/creatives/{ad}/result */
export const CreativeResult = Bound.extend({
  seconds,
  spans,
  result: z.discriminatedUnion('status', [
    z.object({
      status: z.literal('uploaded'),
      format: z.string().max(64),
      category: Category,
      mode: z.string().max(64),
      notes: z.array(words).max(1_000),
      warnings,
      /** CSS pixels. */
      width: side,
      height: side,
      frames: z.array(RenderedFrame).max(10_000),
      films: z
        .array(madeFilm({ key: z.string(), sha256, bytes: count }))
        .max(100)
        .default([]),
      /** Invalid ones are left out, because they must cost no picture. */
      facts: CreativeFacts.nullish().catch(null),
    }),
    z.object({ status: z.enum(['not_found', 'net_read_timeout', 'generic_error']), reason: words }),
  ]),
});

/** POST …/creatives/wait: responds as soon as one of `ads` is resolved, or with an empty list after `timeout_ms`. */
export const WaitForCreatives = Bound.extend({
  ads: z.array(uuid).min(1).max(1_000),
  timeout_ms: z.number().int().min(0).max(20_000),
});
export const ResolvedCreatives = z.object({
  creatives: z.array(
    z.discriminatedUnion('status', [
      z.object({
        ad_id: uuid,
        status: z.literal('rendered'),
        width: z.number().int(),
        height: z.number().int(),
        /** The rendering mode, for the provenance record. */
        mode: z.string().nullable(),
        /** Absent in answers of an API that is older than the capture. */
        category: Category.nullish(),
        warnings,
        frames: z.array(z.object({ marker_ms: markerMs, ratio, sha256: z.string(), url: z.url() })),
        films: z.array(madeFilm({ sha256: z.string(), url: z.url() })).default([]),
      }),
      z.object({ ad_id: uuid, status: z.literal('failed'), reason: z.string() }),
    ]),
  ),
});

/** The provenance record of a screenshot has about 10 KB, and the record of a placement with many slots has hundreds. */
const MAX_RECORD_CHARACTERS = 1024 * 1024;
const Record_ = z
  .record(z.string(), z.unknown())
  .refine((record) => JSON.stringify(record).length <= MAX_RECORD_CHARACTERS, {
    message: `has more than ${MAX_RECORD_CHARACTERS} characters`,
  });

/** A file beside the picture. */
const MoreFile = z.object({ key: z.string(), sha256, bytes: count, width: side, height: side });

/** POST …/screenshots/results: reports screenshots of this index. A repeated result changes nothing. */
export const ScreenshotResults = Bound.extend({
  spans,
  results: z
    .array(
      z.discriminatedUnion('status', [
        z.object({
          id: uuid,
          status: z.literal('uploaded'),
          key: z.string(),
          sha256,
          bytes: count,
          width: side,
          height: side,
          captured_at: z.iso.datetime(),
          animation: z.object({ seconds: count, fps: count, webp: MoreFile, gif: MoreFile }).nullish(),
          warnings,
          record: Record_,
        }),
        z.object({
          id: uuid,
          status: z.enum(['ad_not_captured', 'net_read_timeout', 'no_slots', 'not_found', 'blocked', 'generic_error']),
          reason: words,
          record: Record_.optional(),
          /** The page without an ad. `id` is the screenshot for which it was uploaded: those that fail on one page share it. */
          page: MoreFile.extend({ id: uuid }).nullish(),
        }),
      ]),
    )
    .min(1)
    .max(1_000),
});

const isTimed = (entry: readonly [Phase, number | undefined]): entry is [Phase, number] => entry[1] !== undefined;

/**
 * POST …/indexes/{index}/finish: the pod has no more work. `phases` are the seconds spent, for metrics. The API ignores unknown phases,
 * because each one would become a time series.
 */
export const FinishIndex = z.object({
  attempt: int32.min(1),
  /** Processor time of the container since the last report; absent if nothing counts it. */
  processor_seconds: seconds.optional(),
  spans,
  phases: z
    .record(z.string(), z.unknown())
    .transform((given) =>
      Object.fromEntries(PHASES.map((phase) => [phase, seconds.safeParse(given[phase]).data] as const).filter(isTimed)),
    ),
});

/** Exit codes of the capture program. */
export const CAPTURE_EXIT = {
  done: 0,
  crashed: 1,
  usage: 2,
  superseded: 40,
  refused: 41,
  deadline: 42,
  terminated: 43,
} as const;

/** The exit code after SIGTERM during start-up, before the program handles the signal: 128 and the number of the signal. */
export const ENDED_UNHEARD = 143;

export type RecordedSpan = z.infer<typeof RecordedSpan>;
export type DeclareUploads = z.infer<typeof DeclareUploads>;
export type DeclaredUploads = z.infer<typeof DeclaredUploads>;
export type OpenAttempt = z.infer<typeof OpenAttempt>;
export type Attempt = z.infer<typeof Attempt>;
export type ClaimedSmallSet = z.infer<typeof ClaimedSmallSet>;
export type HostingHeld = z.infer<typeof HostingHeld>;
export type WantedPage = z.infer<typeof WantedPage>;
export type WantedScreenshot = z.infer<typeof WantedScreenshot>;
export type ClaimedCreative = z.infer<typeof ClaimedCreative>;
export type CreativeResult = z.infer<typeof CreativeResult>;
export type ResolvedCreatives = z.infer<typeof ResolvedCreatives>;
export type ScreenshotResults = z.infer<typeof ScreenshotResults>;
export type FinishIndex = z.infer<typeof FinishIndex>;
