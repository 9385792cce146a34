// Written by `make generate` from the OpenAPI document. Do not edit.

export type CreateAd = {
  campaign: CampaignReference;
  ad: CreateAdObject;
  subscribers?: Array<Subscriber> | null;
};

/** One of `id` and `name` is required. */
export type CampaignReference = {
  /** Identifier of an existing campaign. If the request also has a name, the service ignores the name. */
  id?: string | null;
  /** Find-or-create key. Longer than 250 characters, it is truncated to 250. Trimmed, then compared exactly. */
  name?: string | null;
};

export type CreateAdObject = {
  lookup_key?: string | null;
  name?: string | null;
  media?: Media | null;
  size?: AdSize | null;
  metadata?: Record<string, string> | null;
};

/** The creative. Required for a new ad, ignored for an existing one. */
export type Media = {
  /** `upload` is ours. */
  type: "url" | "html_tag" | "upload";
  /** For `url`: absolute http or https address of a creative (ad tag, image, video, VAST, HTML5 zip), at most 8,192 characters, without credentials. For `html_tag`: raw HTML, at most 1,048,576 bytes of UTF-8. For `upload`: the id of an upload of the organization. */
  content: string;
};

/** Size of the creative in CSS pixels. Overrides what the creative declares. Used only when a new ad is created. */
export type AdSize = {
  width: number;
  height: number;
};

/** Has `webhook`, `s3`, or both. S3 requires a connector of the organization. */
export type Subscriber = {
  webhook?: WebhookSubscriber | null;
  s3?: S3Subscriber | null;
};

/** An address that receives events. */
export type WebhookSubscriber = {
  /** Address that receives the events. */
  url: string;
  /** Topics to receive; the default is `ad.uploaded` and `screenshot_set.approved`. */
  topics?: Array<"ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress"> | null;
};

/** A bucket that receives pictures. */
export type S3Subscriber = {
  bucket: string;
  /** Region of the bucket; the default is the region of the connector. */
  region?: string | null;
  /** Prepended to object keys without changes. At most 512 bytes of UTF-8, without control characters, backslashes, and the segments "." and "..". */
  key_prefix?: string | null;
  /** Name of the connector that writes; the default is the one named `s3`. */
  connector?: string | null;
};

/** Fields of an ad to change. */
export type AdChange = {
  /** The new name. */
  name?: string | null;
  metadata?: Record<string, string | null> | null;
};

/** A request template to save. */
export type NewTemplate = {
  /** Unique within the organization. A template of the same name is replaced. */
  name: string;
  sites?: Array<{
    /** Address of the website. A missing scheme is read as `https://`. */
    url: string;
  }> | null;
  devices?: Array<{
    /** The device to emulate. */
    name: "desktop" | "mobile" | "iphone" | "tablet" | "ipad" | "Apple iPad" | "Apple iPhone 5" | "Apple iPhone 6" | "Apple iPhone 6 Plus" | "Apple iPhone X" | "Apple iPhone 14 Pro Max" | "Google Nexus 10" | "Google Nexus 5" | "Google Nexus 6" | "Google Pixel 4" | "Samsung Galaxy S10";
  }> | null;
  /** As `options` of a screenshot object. */
  options?: {
    ad?: {
      /** Markers of the creative to capture. If empty or absent: the default frame. */
      frames?: Array<{
        /** Seconds into the creative. Rounded to the millisecond. */
        marker: number;
      }> | null;
      /** Whether the ad may be scaled down to fit a slot. By default an ad is shown at its own size or not at all. */
      allow_scaling?: boolean | null;
    } | null;
    slot?: SlotChoice | null;
    page?: {
      /** `hide` (the default): the page looks as if no ad was delivered. `keep`: other ads load. */
      other_ads?: "hide" | "keep" | null;
      /** The picture shows the whole page instead of the viewport of the device. */
      full_page?: boolean | null;
    } | null;
  } | null;
};

/** Chooses the slot instead of the score. Either `selector` or `index`. */
export type SlotChoice = {
  /** CSS selector of the slot. The first element that matches is used, in any frame of the page. */
  selector?: string | null;
  /** Number of a candidate in the provenance record, from 1. */
  index?: number | null;
};

export type CreateScreenshotRequest = {
  campaign: CampaignReference;
  /** One entry for each ad. At most 1,000 entries and 10,000 resulting screenshots, as configured. */
  screenshot_requests: Array<ScreenshotRequestEntry>;
  subscribers?: Array<Subscriber> | null;
  instructions?: string | null;
  metadata?: Record<string, string> | null;
};

export type ScreenshotRequestEntry = {
  ad: ScreenshotRequestAd;
  screenshots: Array<ScreenshotObject>;
};

export type ScreenshotRequestAd = {
  id?: string | null;
  lookup_key?: string | null;
  name?: string | null;
  media?: Media | null;
  size?: AdSize | null;
  metadata?: Record<string, string> | null;
};

export type ScreenshotObject = {
  site: {
    /** Address of the website. A missing scheme is read as `https://`. */
    url: string;
  };
  device: {
    /** The device to emulate. */
    name: "desktop" | "mobile" | "iphone" | "tablet" | "ipad" | "Apple iPad" | "Apple iPhone 5" | "Apple iPhone 6" | "Apple iPhone 6 Plus" | "Apple iPhone X" | "Apple iPhone 14 Pro Max" | "Google Nexus 10" | "Google Nexus 5" | "Google Nexus 6" | "Google Pixel 4" | "Samsung Galaxy S10";
  };
  options?: {
    ad?: {
      /** Markers of the creative to capture. If empty or absent: the default frame. */
      frames?: Array<{
        /** Seconds into the creative. Rounded to the millisecond. */
        marker: number;
      }> | null;
      /** Whether the ad may be scaled down to fit a slot. By default an ad is shown at its own size or not at all. */
      allow_scaling?: boolean | null;
    } | null;
    slot?: SlotChoice | null;
    page?: {
      /** `hide` (the default): the page looks as if no ad was delivered. `keep`: other ads load. */
      other_ads?: "hide" | "keep" | null;
      /** The picture shows the whole page instead of the viewport of the device. */
      full_page?: boolean | null;
    } | null;
  } | null;
};

/** The new name of a campaign. */
export type CampaignChange = {
  /** The new name. Longer than 250 characters, it is truncated to 250. */
  name: string;
};

/** Fields of a set to change. */
export type ScreenshotSetChange = {
  instructions?: string | null;
  metadata?: Record<string, string | null> | null;
};

export type Review = {
  /** The reviewer’s text, first part of `review_notes`. */
  notes?: string | null;
};

/** Changes to the screenshot; it needs none. */
export type RetakeScreenshot = {
  /** Another page. */
  site?: {
    /** Address of the website. A missing scheme is read as `https://`. */
    url: string;
  } | null;
  /** Another device. */
  device?: {
    /** The device to emulate. */
    name: "desktop" | "mobile" | "iphone" | "tablet" | "ipad" | "Apple iPad" | "Apple iPhone 5" | "Apple iPhone 6" | "Apple iPhone 6 Plus" | "Apple iPhone X" | "Apple iPhone 14 Pro Max" | "Google Nexus 10" | "Google Nexus 5" | "Google Nexus 6" | "Google Pixel 4" | "Samsung Galaxy S10";
  } | null;
  /** Options that differ from those of the screenshot. The markers cannot be changed. */
  options?: {
    ad?: {
      /** Markers of the creative to capture. If empty or absent: the default frame. */
      frames?: Array<{
        /** Seconds into the creative. Rounded to the millisecond. */
        marker: number;
      }> | null;
      /** Whether the ad may be scaled down to fit a slot. By default an ad is shown at its own size or not at all. */
      allow_scaling?: boolean | null;
    } | null;
    slot?: SlotChoice | null;
    page?: {
      /** `hide` (the default): the page looks as if no ad was delivered. `keep`: other ads load. */
      other_ads?: "hide" | "keep" | null;
      /** The picture shows the whole page instead of the viewport of the device. */
      full_page?: boolean | null;
    } | null;
  } | null;
  /** Absent: as in the request of the set. An empty array: none. */
  subscribers?: Array<Subscriber> | null;
  instructions?: string | null;
  metadata?: Record<string, string> | null;
};

/** The screenshots to take again, and changes to them. */
export type RetakeSet = {
  /** `failures`: those that failed and were not taken again since. `all`, the default: the whole set. */
  which?: "all" | "failures" | null;
  /** Only these screenshots of the set, instead of `which`. */
  screenshot_ids?: Array<string> | null;
  /** Another page. */
  site?: {
    /** Address of the website. A missing scheme is read as `https://`. */
    url: string;
  } | null;
  /** Another device. */
  device?: {
    /** The device to emulate. */
    name: "desktop" | "mobile" | "iphone" | "tablet" | "ipad" | "Apple iPad" | "Apple iPhone 5" | "Apple iPhone 6" | "Apple iPhone 6 Plus" | "Apple iPhone X" | "Apple iPhone 14 Pro Max" | "Google Nexus 10" | "Google Nexus 5" | "Google Nexus 6" | "Google Pixel 4" | "Samsung Galaxy S10";
  } | null;
  /** Options that differ from those of the screenshot. The markers cannot be changed. */
  options?: {
    ad?: {
      /** Markers of the creative to capture. If empty or absent: the default frame. */
      frames?: Array<{
        /** Seconds into the creative. Rounded to the millisecond. */
        marker: number;
      }> | null;
      /** Whether the ad may be scaled down to fit a slot. By default an ad is shown at its own size or not at all. */
      allow_scaling?: boolean | null;
    } | null;
    slot?: SlotChoice | null;
    page?: {
      /** `hide` (the default): the page looks as if no ad was delivered. `keep`: other ads load. */
      other_ads?: "hide" | "keep" | null;
      /** The picture shows the whole page instead of the viewport of the device. */
      full_page?: boolean | null;
    } | null;
  } | null;
  /** Absent: as in the request of the set. An empty array: none. */
  subscribers?: Array<Subscriber> | null;
  instructions?: string | null;
  metadata?: Record<string, string> | null;
};

/** A share link to create. */
export type NewShare = {
  /** For whom the link is. Readers of the link do not see it. */
  label?: string | null;
  /** In 30 days unless given, at most 366 days from now. */
  expires_at?: string | null;
  /** Whether readers of the link may download the pictures as PPTX, PDF or ZIP, with the names of the ads. `false` unless given. */
  downloads?: boolean | null;
};

/** A reviewer’s decision about one picture. */
export type ScreenshotReview = {
  /** `none` withdraws a decision. Absent: the present one stays. */
  decision?: "approved" | "rejected" | "none" | null;
  /** Absent: the present one stays. Blank: it is removed. */
  comment?: string | null;
};

/** Settings to change. Absent ones stay. */
export type SettingsChange = {
  review?: "automatic" | "partial" | "manual" | null;
  /** Sets are removed this many days after their request, with pictures, reviews, share links and exports. Null: as the operator chose. Absent: no change. */
  set_retention_days?: number | null;
  /** Events are removed this many days after they were recorded, but never before their last delivery is removed. Null: as the operator chose. Absent: no change. */
  event_retention_days?: number | null;
  /** Deliveries are removed this many days after they ended, with their attempts. Those that are pending stay. At most `event_retention_days`. Null: as the operator chose. Absent: no change. */
  delivery_retention_days?: number | null;
  /** Answers to requests with an `Idempotency-Key` are kept and repeated for this many days. Null: as the operator chose. Absent: no change. */
  request_retention_days?: number | null;
};

/** Events to send again: `ids`, or a period. */
export type EventsReplay = {
  /** The events. Without it, `from` begins a period. */
  ids?: Array<string> | null;
  /** Events that were recorded at this time or later. */
  from?: string | null;
  /** Events that were recorded at this time or earlier; now unless given. */
  to?: string | null;
  /** Only events of the period with these topics. */
  topics?: Array<"ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled"> | null;
  /** Sends the events only to this webhook endpoint, also those that it did not get before. A period without `topics` then has the topics of the endpoint. Without it, events go again to all receivers that had them. */
  webhook_endpoint_id?: string | null;
  /** Sends again only deliveries that ended without success. `false` unless given. */
  only_failed?: boolean | null;
};

/** The choices for one export. */
export type ExportRequest = {
  /** Format of the file. */
  format: "pptx" | "pdf" | "zip";
  frame?: "none" | "browser" | "device" | null;
  page_size?: "16:9" | "a4" | "letter" | null;
  pictures?: "standard" | "original" | null;
  time_zone?: string | null;
  /** Whether the file lists the screenshots without a picture, with their reasons. `false` unless given, because the file is for people outside of the organization. */
  failures?: boolean | null;
  /** Which 500 pictures of a larger set a PPTX or PDF holds. 1 unless given. */
  part?: number | null;
};

/** Replaces the branding, except for the logo. */
export type BrandingRequest = {
  /** Name on the cover. The slug of the organization unless given. */
  brand_name?: string | null;
  /** Color of lines and table headings, `#rrggbb`. #1f4e79 unless given. */
  accent_color?: string | null;
  /** Text at the foot of each page. The brand name unless given. */
  footer_text?: string | null;
  /** Page size of exports that name none. `16:9` unless given. */
  page_size?: "16:9" | "a4" | "letter" | null;
};

/** An API key to create. */
export type NewApiKey = {
  /** The purpose of the key. */
  name: string;
  /** `read` shows everything but the administration. `write` requests, reviews, shares and deletes. `admin` reads and changes keys, webhooks and connectors, changes settings and branding, and reads the audit log. */
  scopes: Array<"read" | "write" | "admin">;
  /** Never unless given. */
  expires_at?: string | null;
};

/** How to replace the webhook secret. */
export type SecretRotation = {
  /** Webhooks are also signed with the old secret for 24 hours, so that receivers can change without a gap. `false` after a leak; `true` unless given. */
  keep_previous?: boolean | null;
};

/** A test event to send. */
export type WebhookTest = {
  /** Address that gets an event of the topic `webhook.test`, once. */
  url: string;
};

/** A webhook endpoint to create. */
export type NewWebhookEndpoint = {
  /** Address that receives the events. */
  url: string;
  /** Topics to receive; the default is `ad.uploaded` and `screenshot_set.approved`. */
  topics?: Array<"ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled"> | null;
  /** The program that receives the events, for people. */
  description?: string | null;
  /** Headers of each request to the endpoint, at most 10. No response shows the values. Not allowed: `Host`, `User-Agent`, headers of the connection, and names that begin with `Content-`, `Proxy-` or `Webhook-`. */
  headers?: Record<string, string> | null;
  /** A disabled endpoint gets no events. */
  disabled?: boolean | null;
};

/** Changes to a webhook endpoint. A field that is left out stays as it is; null resets topics, description and headers. */
export type WebhookEndpointChange = {
  /** Also for events that wait for their next attempt. Null: as it is. */
  url?: string | null;
  /** Topics to receive; the default is `ad.uploaded` and `screenshot_set.approved`. */
  topics?: Array<"ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled"> | null;
  /** The program that receives the events, for people. */
  description?: string | null;
  /** Headers of each request to the endpoint, at most 10. No response shows the values. Not allowed: `Host`, `User-Agent`, headers of the connection, and names that begin with `Content-`, `Proxy-` or `Webhook-`. */
  headers?: Record<string, string> | null;
  /** A disabled endpoint gets no events. */
  disabled?: boolean | null;
};

/** The S3 account that writes into the buckets of the organization. */
export type S3Connector = {
  /** Region of buckets for which the subscriber names none. */
  region: string;
  /** The id of an access key. Required unless `role_arn` is given. */
  access_key_id?: string | null;
  /** May be left out if the connector has a secret for the same access key. */
  secret_access_key?: string | null;
  /** Role of an AWS account, instead of an access key. Its trust policy must allow the `principal_arn` of the answer to assume it with the `external_id` of the answer, and with no other one. */
  role_arn?: string | null;
  /** Address of an S3 server other than AWS. */
  endpoint?: string | null;
  /** Puts the bucket into the path, as MinIO requires. */
  force_path_style?: boolean | null;
  /** Encryption that each upload asks for; the default is that of the bucket. */
  encryption?: "AES256" | "aws:kms" | null;
  /** Key for the encryption `aws:kms`; the default is the key of AWS for S3. */
  kms_key_id?: string | null;
  /** The default is that of the bucket. */
  storage_class?: "STANDARD" | "STANDARD_IA" | "ONEZONE_IA" | "INTELLIGENT_TIERING" | "GLACIER_IR" | "GLACIER" | "DEEP_ARCHIVE" | null;
  /** Checks the connector as soon as it is set. Without it, the bucket of the last check is checked again, if there was one. */
  check?: ConnectorCheckRequest | null;
};

/** Where to write and delete a small object. */
export type ConnectorCheckRequest = {
  bucket: string;
  /** Region of the bucket; the default is the region of the connector. */
  region?: string | null;
  /** Prepended to object keys without changes. At most 512 bytes of UTF-8, without control characters, backslashes, and the segments "." and "..". */
  key_prefix?: string | null;
};

/** `ad.uploaded`, and, ours, `ad.failed`. */
export type AdEvent = {
  /** The same for every attempt and replay. */
  id: string;
  type: "event";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  topic: "ad.uploaded" | "ad.failed";
  data: {
    object: Ad;
  };
};

/** An ad with its preview: the response of reading one, and `data.object` of its events. */
export type Ad = {
  type: "ad";
  /** UUID of the ad. */
  id: string;
  /** Name of the ad. */
  name: string;
  /** Lookup key of the ad; null if it has none. */
  lookup_key: string | null;
  /** `pending`: preview capture in progress. `uploaded`: captured. `not_found`: the media could not be found. `net_read_timeout`: network timeout during capture. `generic_error`: any other error. A terminal status never changes. */
  status: "pending" | "uploaded" | "not_found" | "net_read_timeout" | "generic_error";
  /** Null until captured, then `display` or `video`. */
  category: "display" | "video" | null;
  /** The type of the media. `upload` is ours. */
  kind: "url" | "html_tag" | "upload";
  /** UUID of the campaign. */
  campaign_id: string;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** Results page of the ad. */
  html_url: string;
  /** The free pairs of the client; empty if it gave none. */
  metadata: Record<string, string>;
  /** URL of the ad preview. It needs no key and cannot be guessed. Null until the preview exists. */
  preview_image_url: string | null;
  /** CSS pixels. Null while `pending`, absent if it is unknown. */
  width?: number | null;
  /** As `width`. */
  height?: number | null;
  /** Facts that the reader of the picture should know. Empty if there are none. */
  warnings: Array<Warning>;
  /** Why the ad failed, as a sentence. Only on failed ads. */
  reason?: string;
};

export type Warning = {
  /** New codes may be added. */
  code: "image_not_loaded" | "script_not_loaded" | "font_not_loaded" | "fallback_font" | "size_conflict" | "size_assumed" | "scaled" | "overlay_hidden" | "page_changed" | "real_time" | "part_shown" | "outside_slot" | "other";
  /** A sentence for the reader of the picture. */
  message: string;
};

/** `screenshot_set.approved`, and, ours, `screenshot_set.failed`, `screenshot_set.rejected`, `screenshot_set.progress`. */
export type ScreenshotSetEvent = {
  /** The same for every attempt and replay. */
  id: string;
  type: "event";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  topic: "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress";
  data: {
    object: ScreenshotSet;
  };
};

/** A set with its screenshots: the response of reading one, and `data.object` of its events. */
export type ScreenshotSet = {
  type: "screenshot_set";
  /** UUID of the set. */
  id: string;
  /** `draft` when created. The others are ours: `capturing`, `in_review` (where the organization reviews by hand), `approved`, `rejected`, `failed` (no screenshot succeeded), `canceled`. */
  status: "draft" | "capturing" | "in_review" | "approved" | "rejected" | "failed" | "canceled";
  /** UUID of the campaign. */
  campaign_id: string;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** Results page of the set. */
  html_url: string;
  /** The free pairs of the client; empty if it gave none. */
  metadata: Record<string, string>;
  /** As given in the request. */
  instructions: string | null;
  /** The reviewer’s text, then the service’s line about failed screenshots. */
  review_notes: string | null;
  /** The set that this one takes again. */
  retake_of: string | null;
  /** The newest set that takes this one again. */
  retaken_by: string | null;
  /** Null if no reviewer said anything about the set. */
  review: ReviewRecord | null;
  screenshots: Array<Screenshot>;
};

/** The last decision of a reviewer. */
export type ReviewRecord = {
  decision: "approved" | "rejected" | "none";
  comment: string | null;
  by: KeyReference | null;
  /** ISO 8601 with milliseconds and an offset. */
  at: string;
};

/** The API key that was used. */
export type KeyReference = {
  /** Id of the API key, the eight characters in its middle. */
  key_id: string;
  name: string;
};

/** One placement preview: an ad on a site, on a device, at a marker. */
export type Screenshot = {
  id: string;
  /** `pending`, `uploaded`, `ad_not_captured`, `net_read_timeout`, `no_slots` (the page has no slot for the ad), and, ours: `not_found`, `blocked` (a challenge or refusal), `generic_error`, `canceled`. */
  status: "pending" | "uploaded" | "ad_not_captured" | "net_read_timeout" | "no_slots" | "not_found" | "blocked" | "generic_error" | "canceled";
  site: {
    /** As in the request. */
    url: string;
  };
  device: {
    name: "desktop" | "mobile" | "iphone" | "tablet" | "ipad" | "Apple iPad" | "Apple iPhone 5" | "Apple iPhone 6" | "Apple iPhone 6 Plus" | "Apple iPhone X" | "Apple iPhone 14 Pro Max" | "Google Nexus 10" | "Google Nexus 5" | "Google Nexus 6" | "Google Pixel 4" | "Samsung Galaxy S10";
  };
  frame: {
    /** Seconds; null for the default frame. */
    marker: number | null;
  };
  /** URL of the picture (PNG). It needs no key and cannot be guessed. Null until the picture exists. */
  image_url: string | null;
  /** Device pixels. */
  width: number | null;
  /** Device pixels. */
  height: number | null;
  captured_at: string | null;
  /** Facts that the reader of the picture should know. Empty if there are none. */
  warnings: Array<Warning>;
  ad: AdSummary;
  /** The screenshot that this one takes again. */
  retake_of: string | null;
  /** The newest screenshot that takes this one again. */
  retaken_by: string | null;
  /** Null if no reviewer said anything about the screenshot. */
  review: ReviewRecord | null;
  /** Why the screenshot failed, as a sentence. Only on failed screenshots. */
  reason?: string;
};

/** An ad as in the response of create-ad. */
export type AdSummary = {
  type: "ad";
  /** UUID of the ad. */
  id: string;
  /** Name of the ad. */
  name: string;
  /** Lookup key of the ad; null if it has none. */
  lookup_key: string | null;
  /** `pending`: preview capture in progress. `uploaded`: captured. `not_found`: the media could not be found. `net_read_timeout`: network timeout during capture. `generic_error`: any other error. A terminal status never changes. */
  status: "pending" | "uploaded" | "not_found" | "net_read_timeout" | "generic_error";
  /** Null until captured, then `display` or `video`. */
  category: "display" | "video" | null;
  /** The type of the media. `upload` is ours. */
  kind: "url" | "html_tag" | "upload";
  /** UUID of the campaign. */
  campaign_id: string;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** Results page of the ad. */
  html_url: string;
  /** The free pairs of the client; empty if it gave none. */
  metadata: Record<string, string>;
};

/** `webhook_endpoint.disabled`: the service disabled the endpoint. */
export type WebhookEndpointEvent = {
  /** The same for every attempt and replay. */
  id: string;
  type: "event";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  topic: "webhook_endpoint.disabled";
  data: {
    object: WebhookEndpoint;
  };
};

/** A receiver of the events of all sets and ads. */
export type WebhookEndpoint = {
  type: "webhook_endpoint";
  id: string;
  url: string;
  topics: Array<"ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled">;
  description: string;
  /** The headers of each request, without their values. */
  header_names: Array<string>;
  disabled: boolean;
  disabled_at: string | null;
  /** Why the service disabled the endpoint by itself. Null if a request disabled it. */
  disabled_reason: string | null;
  /** Every delivery attempt since this time failed. Null after a success. */
  failing_since: string | null;
  /** ISO 8601 with milliseconds and an offset. */
  secret_created_at: string;
  /** Until when the secret before this one also signs. */
  previous_secret_until: string | null;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** ISO 8601 with milliseconds and an offset. */
  updated_at: string;
};

/** `webhook.test`: an event to try a webhook. */
export type TestEvent = {
  /** The same for every attempt and replay. */
  id: string;
  type: "event";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  topic: "webhook.test";
  data: {
    object: {
      type: "test";
      message: string;
    };
  };
};

/** Every 4xx and 5xx: messages by the path of the field. */
export type Failure = {
  status: "failure";
  /** The kind of the failure, for programs: one of `malformed`, `unauthorized`, `forbidden`, `missing_scope`, `organization_disabled`, `not_found`, `unknown_path`, `method_not_allowed`, `request_timeout`, `conflict`, `idempotency_key_in_use`, `gone`, `too_large`, `unsupported_media_type`, `unsupported_encoding`, `invalid`, `idempotency_key_reused`, `rate_limited`, `quota_exceeded`, `too_many_exports`, `headers_too_large`, `internal`, `unavailable`. New codes may be added. */
  code: string;
  /** The value of the response header `X-Request-Id`. The log has the request under it. */
  request_id: string;
  errors: Record<string, Array<string>>;
};

/** A file of a creative that a client stored. */
export type Upload = {
  type: "upload";
  /** The `media.content` of an ad with `media.type` `upload`. */
  id: string;
  /** Name of the file, without folders. It may say the size of the creative. */
  name: string;
  /** The format that the first bytes show. The capture decides by all bytes. */
  format: "image" | "video" | "vast" | "html5_zip" | "html" | "tag";
  /** Media type by the content of the file. */
  content_type: string;
  bytes: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  sha256: string;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** The upload is removed after this time. Null if an ad uses it. */
  expires_at: string | null;
};

/** Sites, devices and options of requests, saved under a name. */
export type Template = {
  type: "template";
  id: string;
  name: string;
  sites: Array<{
    url: string;
  }>;
  devices: Array<{
    name: string;
  }>;
  /** As `options` of a screenshot object, as far as given. */
  options: {
  };
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** ISO 8601 with milliseconds and an offset. */
  updated_at: string;
};

/** A screenshot set as in the response of a screenshot request. */
export type ScreenshotSetSummary = {
  type: "screenshot_set";
  /** UUID of the set. */
  id: string;
  /** `draft` when created. The others are ours: `capturing`, `in_review` (where the organization reviews by hand), `approved`, `rejected`, `failed` (no screenshot succeeded), `canceled`. */
  status: "draft" | "capturing" | "in_review" | "approved" | "rejected" | "failed" | "canceled";
  /** UUID of the campaign. */
  campaign_id: string;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** Results page of the set. */
  html_url: string;
  /** The free pairs of the client; empty if it gave none. */
  metadata: Record<string, string>;
};

/** A campaign. */
export type Campaign = {
  type: "campaign";
  id: string;
  name: string;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
};

/** A set in a list, without its screenshots. */
export type ListedScreenshotSet = {
  type: "screenshot_set";
  /** UUID of the set. */
  id: string;
  /** `draft` when created. The others are ours: `capturing`, `in_review` (where the organization reviews by hand), `approved`, `rejected`, `failed` (no screenshot succeeded), `canceled`. */
  status: "draft" | "capturing" | "in_review" | "approved" | "rejected" | "failed" | "canceled";
  /** UUID of the campaign. */
  campaign_id: string;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** Results page of the set. */
  html_url: string;
  /** The free pairs of the client; empty if it gave none. */
  metadata: Record<string, string>;
  /** As given in the request. */
  instructions: string | null;
  /** The reviewer’s text, then the service’s line about failed screenshots. */
  review_notes: string | null;
  /** The set that this one takes again. */
  retake_of: string | null;
  /** The newest set that takes this one again. */
  retaken_by: string | null;
  /** Null if no reviewer said anything about the set. */
  review: ReviewRecord | null;
  /** Number of its screenshots by status. */
  counts: {
    total: number;
    uploaded: number;
    pending: number;
    failed: number;
    canceled: number;
  };
};

/** A share link of a set. */
export type Share = {
  type: "share";
  id: string;
  screenshot_set_id: string;
  /** Everybody who has this address sees the pictures of the set until the link expires or is revoked. */
  url: string;
  label: string;
  /** Whether readers of the link may download the pictures as PPTX, PDF or ZIP, with the names of the ads. */
  downloads: boolean;
  status: "active" | "expired" | "revoked";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  created_by: KeyReference | null;
  /** ISO 8601 with milliseconds and an offset. */
  expires_at: string;
  revoked_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  /** Minutes in which the link was opened. */
  uses: number;
};

/** A screenshot of an approved set. */
export type ApprovedScreenshot = {
  type: "screenshot";
  id: string;
  /** `pending`, `uploaded`, `ad_not_captured`, `net_read_timeout`, `no_slots` (the page has no slot for the ad), and, ours: `not_found`, `blocked` (a challenge or refusal), `generic_error`, `canceled`. */
  status: "pending" | "uploaded" | "ad_not_captured" | "net_read_timeout" | "no_slots" | "not_found" | "blocked" | "generic_error" | "canceled";
  site: {
    /** As in the request. */
    url: string;
  };
  device: {
    name: "desktop" | "mobile" | "iphone" | "tablet" | "ipad" | "Apple iPad" | "Apple iPhone 5" | "Apple iPhone 6" | "Apple iPhone 6 Plus" | "Apple iPhone X" | "Apple iPhone 14 Pro Max" | "Google Nexus 10" | "Google Nexus 5" | "Google Nexus 6" | "Google Pixel 4" | "Samsung Galaxy S10";
  };
  frame: {
    /** Seconds; null for the default frame. */
    marker: number | null;
  };
  /** URL of the picture (PNG). It needs no key and cannot be guessed. Null until the picture exists. */
  image_url: string | null;
  /** Device pixels. */
  width: number | null;
  /** Device pixels. */
  height: number | null;
  captured_at: string | null;
  /** Facts that the reader of the picture should know. Empty if there are none. */
  warnings: Array<Warning>;
  ad: {
    type: "ad";
    /** UUID of the ad. */
    id: string;
    /** Name of the ad. */
    name: string;
    /** Lookup key of the ad; null if it has none. */
    lookup_key: string | null;
    /** `pending`: preview capture in progress. `uploaded`: captured. `not_found`: the media could not be found. `net_read_timeout`: network timeout during capture. `generic_error`: any other error. A terminal status never changes. */
    status: "pending" | "uploaded" | "not_found" | "net_read_timeout" | "generic_error";
    /** Null until captured, then `display` or `video`. */
    category: "display" | "video" | null;
    /** The type of the media. `upload` is ours. */
    kind: "url" | "html_tag" | "upload";
    /** UUID of the campaign. */
    campaign_id: string;
    /** ISO 8601 with milliseconds and an offset. */
    created_at: string;
    /** Results page of the ad. */
    html_url: string;
    /** The free pairs of the client; empty if it gave none. */
    metadata: Record<string, string>;
    /** The media; with `include=ad.creative`. */
    creative?: {
      type: "url" | "html_tag" | "upload";
      content: string;
    };
  };
  /** The screenshot that this one takes again. */
  retake_of: string | null;
  /** The newest screenshot that takes this one again. */
  retaken_by: string | null;
  /** Null if no reviewer said anything about the screenshot. */
  review: ReviewRecord | null;
  /** Why the screenshot failed, as a sentence. Only on failed screenshots. */
  reason?: string;
  screenshot_set_id: string;
  /** ISO 8601 with milliseconds and an offset. */
  approved_at: string;
};

/** A screenshot with its set, in every status. */
export type ScreenshotDetail = {
  type: "screenshot";
  id: string;
  /** `pending`, `uploaded`, `ad_not_captured`, `net_read_timeout`, `no_slots` (the page has no slot for the ad), and, ours: `not_found`, `blocked` (a challenge or refusal), `generic_error`, `canceled`. */
  status: "pending" | "uploaded" | "ad_not_captured" | "net_read_timeout" | "no_slots" | "not_found" | "blocked" | "generic_error" | "canceled";
  site: {
    /** As in the request. */
    url: string;
  };
  device: {
    name: "desktop" | "mobile" | "iphone" | "tablet" | "ipad" | "Apple iPad" | "Apple iPhone 5" | "Apple iPhone 6" | "Apple iPhone 6 Plus" | "Apple iPhone X" | "Apple iPhone 14 Pro Max" | "Google Nexus 10" | "Google Nexus 5" | "Google Nexus 6" | "Google Pixel 4" | "Samsung Galaxy S10";
  };
  frame: {
    /** Seconds; null for the default frame. */
    marker: number | null;
  };
  /** URL of the picture (PNG). It needs no key and cannot be guessed. Null until the picture exists. */
  image_url: string | null;
  /** Device pixels. */
  width: number | null;
  /** Device pixels. */
  height: number | null;
  captured_at: string | null;
  /** Facts that the reader of the picture should know. Empty if there are none. */
  warnings: Array<Warning>;
  ad: AdSummary;
  /** The screenshot that this one takes again. */
  retake_of: string | null;
  /** The newest screenshot that takes this one again. */
  retaken_by: string | null;
  /** Null if no reviewer said anything about the screenshot. */
  review: ReviewRecord | null;
  /** Why the screenshot failed, as a sentence. Only on failed screenshots. */
  reason?: string;
  screenshot_set_id: string;
  /** When its set was approved; null if it is not. */
  approved_at: string | null;
};

/** Settings of the organization. */
export type Settings = {
  type: "settings";
  /** `automatic`: finished sets approve themselves. `partial`: only complete ones do, and sets with failures wait for a review. `manual`: all sets wait for a review. */
  review: "automatic" | "partial" | "manual";
  /** Sets are removed this many days after their request, with pictures, reviews, share links and exports. Null: they stay until they are deleted. */
  set_retention_days: number | null;
  /** Events are removed this many days after they were recorded, but never before their last delivery is removed. */
  event_retention_days: number;
  /** Deliveries are removed this many days after they ended, with their attempts. Those that are pending stay. */
  delivery_retention_days: number;
  /** Answers to requests with an `Idempotency-Key` are kept and repeated for this many days. */
  request_retention_days: number;
  retention_bounds: {
    set_retention_days: RetentionBounds;
  };
  /** The addresses or ranges from which the service connects to webhooks, buckets, sites and creatives. Empty: the operator named none. */
  sending_addresses: Array<string>;
};

/** The days that the organization may choose. */
export type RetentionBounds = {
  minimum: number;
  /** The operator may have set it. */
  maximum: number;
  /** Applies if the organization chose nothing. Null: the objects stay. */
  default: number | null;
};

/** The use of the organization, its limits and what is left of them. */
export type Usage = {
  type: "usage";
  /** Each day of the range, oldest first. */
  days: Array<UsageDay>;
  limits: {
    /** Null: no limit. */
    pictures_per_day: number | null;
    /** Further captures wait until one ends. */
    running_captures: number;
  };
  used: {
    pictures_today: number;
    running_captures: number;
  };
  left: {
    /** Null: no limit. */
    pictures_today: number | null;
    running_captures: number;
  };
  /** Then `pictures_today` begins at 0 again. */
  day_ends_at: string;
};

/** The use of one day, in UTC. */
export type UsageDay = {
  day: string;
  /** Screenshots that were requested, retakes included. Deleted sets count. */
  pictures: number;
  /** Ads that were created. */
  creatives: number;
  /** Deliveries that were created and not deleted since. */
  deliveries: number;
};

/** One event for one subscriber, with all delivery attempts. */
export type Delivery = {
  type: "delivery";
  id: string;
  /** `evt_<uuid>`, the id of the envelope. */
  event_id: string;
  topic: "ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled" | "webhook.test";
  channel: "webhook" | "s3";
  /** The URL of the webhook, or `s3://bucket/prefix`. */
  target: string;
  /** The webhook endpoint, or null for a subscriber of a request. */
  webhook_endpoint_id: string | null;
  /** `gone`: the receiver answered 410, or its webhook endpoint was disabled or deleted. `refused`: the address is not allowed. The service retries neither. */
  status: "pending" | "delivered" | "retries_exhausted" | "gone" | "refused";
  /** Why the delivery ended without another attempt. */
  reason: string | null;
  attempts: number;
  next_attempt_at: string | null;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  finished_at: string | null;
  ad_id: string | null;
  screenshot_set_id: string | null;
  log: Array<DeliveryAttempt>;
};

/** One attempt to deliver an event. */
export type DeliveryAttempt = {
  attempt: number;
  /** ISO 8601 with milliseconds and an offset. */
  started_at: string;
  duration_ms: number;
  status_code: number | null;
  outcome: string;
  error: string | null;
  /** The start of the response to a webhook, at most 1 KB. */
  response_snippet: string | null;
};

/** A stored event, without its content. */
export type Event = {
  type: "event";
  /** `evt_<uuid>`, as in the envelope. */
  id: string;
  topic: "ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled" | "webhook.test";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  ad_id: string | null;
  screenshot_set_id: string | null;
};

/** A stored event with its content and its deliveries. */
export type EventDetail = {
  type: "event";
  /** `evt_<uuid>`, as in the envelope. */
  id: string;
  topic: "ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled" | "webhook.test";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  ad_id: string | null;
  screenshot_set_id: string | null;
  /** As receivers get it. */
  data: Record<string, unknown>;
  deliveries: Array<Delivery>;
};

/** The extent of a replay. */
export type Replay = {
  type: "replay";
  events: number;
  /** The deliveries that are now sent again, or for the first time. */
  deliveries: number;
};

/** A PPTX, PDF or ZIP with the pictures of one set. */
export type Export = {
  type: "export";
  id: string;
  screenshot_set_id: string;
  /** `pending`: waits. `building`: is being written. `ready`: `url` opens the file. `failed`: `reason` says why. `expired`: the file was removed; request it again. */
  status: "pending" | "building" | "ready" | "failed" | "expired";
  /** Format of the file. */
  format: "pptx" | "pdf" | "zip";
  options: {
    /** `browser`: each picture in a browser window with the address of its page and the time. `device`: phones and tablets with their body, other pictures in a browser window. `none` unless given. In a ZIP, the framed pictures are beside the originals. */
    frame: "none" | "browser" | "device";
    /** Size of slides and pages. The page size of the branding unless given. */
    page_size: "16:9" | "a4" | "letter";
    /** `standard`: JPEG for screens and paper. `original`: the PNG files without loss, in a larger document. A ZIP always holds the original files. `standard` unless given. */
    pictures: "standard" | "original";
    /** IANA name of the zone of all times in the file. `UTC` unless given. */
    time_zone: string;
    /** Whether the file lists the screenshots without a picture, with their reasons. `false` unless given, because the file is for people outside of the organization. */
    failures: boolean;
    /** Which 500 pictures of a larger set a PPTX or PDF holds. 1 unless given. */
    part: number;
  };
  /** Number of parts of the whole set in this format. */
  parts: number;
  progress: {
    /** Pictures that are in the file. */
    done: number;
    /** Pictures of the file. */
    total: number;
  };
  file_name: string;
  /** Address of the file. It needs no key and cannot be guessed. Null unless `ready`. */
  url: string | null;
  bytes: number | null;
  sha256: string | null;
  created_at: string;
  finished_at: string | null;
  /** The file is removed at this time. */
  expires_at: string | null;
  /** Only on failed exports. */
  reason?: string;
};

/** The look of the organization in its exports. */
export type Branding = {
  type: "branding";
  brand_name: string | null;
  accent_color: string;
  footer_text: string | null;
  page_size: "16:9" | "a4" | "letter";
  /** The logo as a PNG. Width and height in pixels. */
  logo: {
    url: string;
    width: number;
    height: number;
  } | null;
};

/** A delivery with the event that it carries. */
export type DeliveryDetail = {
  type: "delivery";
  id: string;
  /** `evt_<uuid>`, the id of the envelope. */
  event_id: string;
  topic: "ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled" | "webhook.test";
  channel: "webhook" | "s3";
  /** The URL of the webhook, or `s3://bucket/prefix`. */
  target: string;
  /** The webhook endpoint, or null for a subscriber of a request. */
  webhook_endpoint_id: string | null;
  /** `gone`: the receiver answered 410, or its webhook endpoint was disabled or deleted. `refused`: the address is not allowed. The service retries neither. */
  status: "pending" | "delivered" | "retries_exhausted" | "gone" | "refused";
  /** Why the delivery ended without another attempt. */
  reason: string | null;
  attempts: number;
  next_attempt_at: string | null;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  finished_at: string | null;
  ad_id: string | null;
  screenshot_set_id: string | null;
  log: Array<DeliveryAttempt>;
  /** The event, as the subscriber gets it. */
  payload: Record<string, unknown>;
};

/** An API key without its secret. */
export type ApiKey = {
  type: "api_key";
  /** The eight characters in the middle of the key. */
  id: string;
  name: string;
  scopes: Array<"read" | "write" | "admin">;
  status: "active" | "expired" | "revoked";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** Null if the operator created it. */
  created_by: KeyReference | null;
  expires_at: string | null;
  revoked_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
};

/** A new API key. */
export type CreatedApiKey = {
  type: "api_key";
  /** The eight characters in the middle of the key. */
  id: string;
  name: string;
  scopes: Array<"read" | "write" | "admin">;
  status: "active" | "expired" | "revoked";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** Null if the operator created it. */
  created_by: KeyReference | null;
  expires_at: string | null;
  revoked_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  /** The key itself. No other response has it, because only a hash of it is stored. */
  key: string;
};

/** The secret that signs the webhooks of the organization. */
export type WebhookSecret = {
  type: "webhook_secret";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** Until when webhooks are also signed with the secret before this one. */
  previous_until: string | null;
};

/** The secret after a rotation. */
export type NewWebhookSecret = {
  type: "webhook_secret";
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** Until when webhooks are also signed with the secret before this one. */
  previous_until: string | null;
  /** The new secret, `whsec_…`. No other response has it. */
  secret: string;
};

/** A webhook endpoint with a new secret. */
export type WebhookEndpointWithSecret = {
  type: "webhook_endpoint";
  id: string;
  url: string;
  topics: Array<"ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled">;
  description: string;
  /** The headers of each request, without their values. */
  header_names: Array<string>;
  disabled: boolean;
  disabled_at: string | null;
  /** Why the service disabled the endpoint by itself. Null if a request disabled it. */
  disabled_reason: string | null;
  /** Every delivery attempt since this time failed. Null after a success. */
  failing_since: string | null;
  /** ISO 8601 with milliseconds and an offset. */
  secret_created_at: string;
  /** Until when the secret before this one also signs. */
  previous_secret_until: string | null;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  /** ISO 8601 with milliseconds and an offset. */
  updated_at: string;
  /** The secret that signs its webhooks, `whsec_…`. No other response has it. */
  secret: string;
};

/** A connector without its secret. */
export type Connector = {
  type: "connector";
  name: string;
  /** Whether subscribers that name no connector use it. */
  is_default: boolean;
  region: string;
  /** Null if the connector uses a role. */
  access_key_id: string | null;
  /** Null if the connector uses an access key. */
  role: {
    arn: string;
    /** The id of the organization, which the trust policy of the role must require. */
    external_id: string;
    /** The identity of this service, which the role must trust. */
    principal_arn: string | null;
  } | null;
  endpoint: string | null;
  force_path_style: boolean;
  encryption: "AES256" | "aws:kms" | null;
  kms_key_id: string | null;
  storage_class: "STANDARD" | "STANDARD_IA" | "ONEZONE_IA" | "INTELLIGENT_TIERING" | "GLACIER_IR" | "GLACIER" | "DEEP_ARCHIVE" | null;
  /** ISO 8601 with milliseconds and an offset. */
  updated_at: string;
  /** The last check. Null if the connector was not checked since it was set. */
  check: {
    bucket: string;
    region: string | null;
    key_prefix: string;
    status: "pending" | "passed" | "failed";
    /** The result, for people: for example the permission that is missing. */
    message: string | null;
    /** ISO 8601 with milliseconds and an offset. */
    requested_at: string;
    finished_at: string | null;
  } | null;
};

/** One administrative action. */
export type AuditLogEntry = {
  type: "audit_log_entry";
  id: string;
  /** ISO 8601 with milliseconds and an offset. */
  created_at: string;
  actor: AuditLogActor;
  /** New actions may be added at any time. */
  action: "organization.created" | "organization.disabled" | "organization.enabled" | "organization.deleted" | "settings.updated" | "api_key.created" | "api_key.revoked" | "webhook_secret.rotated" | "webhook.tested" | "webhook_endpoint.created" | "webhook_endpoint.updated" | "webhook_endpoint.rotated" | "webhook_endpoint.tested" | "webhook_endpoint.disabled" | "webhook_endpoint.deleted" | "connector.created" | "connector.updated" | "connector.checked" | "connector.deleted" | "branding.updated" | "branding.logo_replaced" | "branding.logo_removed" | "campaign.updated" | "campaign.deleted" | "ad.updated" | "ad.deleted" | "screenshot_set.updated" | "screenshot_set.deleted" | "share_link.created" | "share_link.revoked" | "session.started" | "session.refused" | "session.ended";
  /** The object that the action changed. */
  object: {
    /** The first part of the action. */
    type: string;
    /** Null if the object has no id. */
    id: string | null;
  };
  changes: Array<AuditLogChange>;
  /** Address of the client. Null for the command line of the operator. */
  ip_address: string | null;
  /** As in the header `X-Request-Id` and in the log of the service. */
  request_id: string | null;
};

/** The actor of the action. */
export type AuditLogActor = {
  /** `api_key`: a program with a key. `session`: a person who signed in with a key. `operator`: the command line of the operator. `anonymous`: a person whose sign-in was refused. `service`: the service itself. */
  type: "api_key" | "session" | "operator" | "anonymous" | "service";
  /** Id of the API key that was used. */
  key_id: string | null;
  /** The name of that key. */
  name: string | null;
};

/** A field that the action changed, as text without secrets. */
export type AuditLogChange = {
  field: string;
  /** Null if the field had no value before. */
  from: string | null;
  /** Null if the field has no value any more. */
  to: string | null;
};

/** A part of the request that the service ignored. */
export type RequestWarning = {
  /** The whole path of the field in the body, or the name of the query parameter. */
  path: string;
  /** The problem, and what to do. */
  message: string;
};

/** The body of a webhook. */
export type WebhookEvent = AdEvent | ScreenshotSetEvent | WebhookEndpointEvent | TestEvent;
