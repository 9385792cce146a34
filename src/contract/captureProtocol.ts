/**
 * The messages between a capture program and the internal API. JSON over HTTP under `/internal/v2/jobs/{job}`, with
 * `Authorization: Bearer <token>`: on one machine a token of the job, in a cluster the pod's own, which holds for its index alone.
 * Every write carries the attempt; 409 `{"error":"superseded"}` tells a superseded attempt, and any attempt of a job that is settled or
 * canceled, to exit. Other errors: `{"error","message"}` with 401 (token), 403 (of another job, index or pod), 404, 422 (what was sent is
 * at fault, do not repeat it); 5xx and broken connections may be repeated.
 *
 * The path names the version of the protocol. The API serves one version. It answers a call in another version with 404
 * `{"error":"unsupported_version"}` and a message that names both versions. It answers an unknown call with 404 and {@link NO_SUCH_CALL}.
 * The program repeats the call in both cases, because another replica may already run the release that knows the call.
 */
import { z } from 'zod';
import { DEVICE_NAMES } from '../domain/devices.ts';
import { cutCodePoints } from '../domain/text.ts';

const uuid = z.uuid();
const markerMs = z.number().int().min(0).max(30_000).nullable();
const ratio = z.number().positive();
/** As Postgres holds them. */
const count = z.number().int().min(1).max(2_147_483_647);
/** No browser paints more a side. */
const side = z.number().int().min(1).max(65_535);
/** Partly a page's own words, which may be endless. */
const words = z.string().transform((text) => cutCodePoints(text, 4_000));
/** Of the table's columns; what is larger would be a fault of the database. */
const int32 = z.number().int().max(2_147_483_647);
/** No capture takes a day; a sum of a metric that was made infinite once stays so. */
const seconds = z.number().min(0).max(86_400);
/** Stands in headers later on. */
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const PROTOCOL_VERSION = 'v2';
/** The API's answer to a call that it does not know. Programs recognize the text, so it must not change. */
export const NO_SUCH_CALL = 'There is no such call in the capture protocol.';

/** POST …/indexes/{index}/attempts: the first call of a pod. `pod` is its uid. */
export const OpenAttempt = z.object({ pod: z.string().min(1).max(128) });

export const WantedScreenshot = z.object({ id: uuid, ad_id: uuid, marker_ms: markerMs });

/** One page load: a site on a device, with the pictures of it that are still missing. */
export const WantedPage = z.object({
  site_url: z.string(),
  device: z.enum(DEVICE_NAMES),
  screenshots: z.array(WantedScreenshot),
});

export const Attempt = z.object({
  attempt: z.number().int().min(1),
  /** Nothing is left to do for this index: exit 0. */
  done: z.boolean(),
  /** ISO 8601. The pod ends itself at this time. */
  deadline_at: z.string(),
  pages: z.array(WantedPage),
});

const Bound = z.object({ index: int32.min(0), attempt: int32.min(1) });

/** POST …/creatives/claim: the next creative nobody holds. */
export const ClaimCreative = Bound;
const WantedFrame = z.object({ marker_ms: markerMs, ratio });
export const ClaimedCreative = z.object({
  /** Null when none is free at this moment. */
  creative: z
    .object({
      ad_id: uuid,
      kind: z.enum(['url', 'html_tag']),
      content: z.string(),
      wanted: z.array(WantedFrame),
      /** Renew (POST …/creatives/{ad}/renew) well before this many seconds are over. */
      lease_seconds: z.number(),
    })
    .nullable(),
  /** Creatives of the job that are neither rendered nor failed, claimed ones included. */
  unresolved: z.number().int(),
});

/**
 * POST …/creatives/{ad}/renew, answered by {@link ClaimHeld}, and …/release (a pod that was asked to end gives its claim
 * back), answered by `{}` as results and finish are.
 */
export const HoldClaim = Bound;

/** False: the lease was over, somebody else may have the creative. A result is taken all the same while it has none. */
export const ClaimHeld = z.object({ held: z.boolean() });

/** The screen of the sharpest device has 18 MB without any compression. */
export const MAX_PICTURE_BYTES = 64 * 1024 * 1024;

const Content = z.object({ sha256, bytes: count });
/** POST …/uploads: pictures that the capture is about to send. */
export const DeclareUploads = Bound.extend({
  uploads: z
    .array(
      z.discriminatedUnion('kind', [
        Content.extend({ kind: z.literal('screenshot'), id: uuid }),
        Content.extend({ kind: z.literal('frame'), ad_id: uuid, marker_ms: markerMs, ratio }),
      ]),
    )
    .min(1)
    .max(100),
});
/** One for each, in their order: to be PUT with these headers. Each takes the bytes that were declared and no others, for some minutes. */
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

/** POST …/creatives/{ad}/result */
export const CreativeResult = Bound.extend({
  seconds,
  result: z.discriminatedUnion('status', [
    z.object({
      status: z.literal('uploaded'),
      format: z.string().max(64),
      category: z.enum(['display', 'video']),
      mode: z.string().max(64),
      notes: z.array(words).max(1_000),
      /** CSS pixels. */
      width: side,
      height: side,
      frames: z.array(RenderedFrame).max(10_000),
    }),
    z.object({ status: z.enum(['not_found', 'net_read_timeout', 'generic_error']), reason: words }),
  ]),
});

/** POST …/creatives/wait: answers as soon as one of `ads` is resolved, or with an empty list after `timeout_ms`. */
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
        /** How it was rendered, for the provenance record. */
        mode: z.string().nullable(),
        frames: z.array(z.object({ marker_ms: markerMs, ratio, sha256: z.string(), url: z.url() })),
      }),
      z.object({ ad_id: uuid, status: z.literal('failed'), reason: z.string() }),
    ]),
  ),
});

/** The provenance record of a picture; free-form here, its fields are the capture program's. Such a record is some 10 KB. */
const MAX_RECORD_CHARACTERS = 128 * 1024;
const Record_ = z
  .record(z.string(), z.unknown())
  .refine((record) => JSON.stringify(record).length <= MAX_RECORD_CHARACTERS, {
    message: `has more than ${MAX_RECORD_CHARACTERS} characters`,
  });

/** POST …/screenshots/results: one or several pictures of this index. Repeating a result changes nothing. */
export const ScreenshotResults = Bound.extend({
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
          record: Record_,
        }),
        z.object({
          id: uuid,
          status: z.enum(['ad_not_captured', 'net_read_timeout', 'no_slots', 'not_found', 'blocked', 'generic_error']),
          reason: words,
          record: Record_.optional(),
        }),
      ]),
    )
    .min(1)
    .max(1_000),
});

/** What a capture spends its time on, each a label of a metric. */
export const PHASES = ['navigate', 'load', 'scroll', 'consent', 'settle', 'find', 'render', 'place', 'upload'] as const;
export type Phase = (typeof PHASES)[number];
const isTimed = (entry: readonly [Phase, number | undefined]): entry is [Phase, number] => entry[1] !== undefined;

/**
 * POST …/indexes/{index}/finish: the pod has nothing left to do. `phases` are seconds spent, for the metrics; those of another version are
 * left out, and so are those that a pod makes up: each would be a time series for ever.
 */
export const FinishIndex = z.object({
  attempt: int32.min(1),
  phases: z
    .record(z.string(), z.unknown())
    .transform((given) =>
      Object.fromEntries(PHASES.map((phase) => [phase, seconds.safeParse(given[phase]).data] as const).filter(isTimed)),
    ),
});

/** Exit codes of the capture program. `final` codes are never retried. */
export const CAPTURE_EXIT = {
  done: 0,
  crashed: 1,
  usage: 2,
  superseded: 40,
  refused: 41,
  deadline: 42,
  terminated: 43,
} as const;

/** The program was asked to end before it listened: 128 and SIGTERM, as inits and shells tell it. */
export const ENDED_UNHEARD = 143;

export type DeclareUploads = z.infer<typeof DeclareUploads>;
export type DeclaredUploads = z.infer<typeof DeclaredUploads>;
export type OpenAttempt = z.infer<typeof OpenAttempt>;
export type Attempt = z.infer<typeof Attempt>;
export type WantedPage = z.infer<typeof WantedPage>;
export type WantedScreenshot = z.infer<typeof WantedScreenshot>;
export type ClaimedCreative = z.infer<typeof ClaimedCreative>;
export type CreativeResult = z.infer<typeof CreativeResult>;
export type ResolvedCreatives = z.infer<typeof ResolvedCreatives>;
export type ScreenshotResults = z.infer<typeof ScreenshotResults>;
export type FinishIndex = z.infer<typeof FinishIndex>;
