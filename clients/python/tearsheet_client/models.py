# Written by `make generate` from the OpenAPI document. Do not edit.

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

class _CreateAd(TypedDict):
    campaign: "CampaignReference"
    ad: "CreateAdObject"


class CreateAd(_CreateAd, total=False):
    subscribers: Union[List["Subscriber"], None]


class CampaignReference(TypedDict, total=False):
    "One of `id` and `name` is required."

    # Identifier of an existing campaign. If the request also has a name, the service ignores the name.
    id: Union[str, None]
    # Find-or-create key. Longer than 250 characters, it is truncated to 250. Trimmed, then compared exactly.
    name: Union[str, None]


class CreateAdObject(TypedDict, total=False):
    lookup_key: Union[str, None]
    name: Union[str, None]
    media: Union["Media", None]
    size: Union["AdSize", None]
    metadata: Union[Dict[str, str], None]


class Media(TypedDict):
    "The creative. Required for a new ad, ignored for an existing one."

    # `upload` is ours.
    type: Literal["url", "html_tag", "upload"]
    # For `url`: absolute http or https address of a creative (ad tag, image, video, VAST, HTML5 zip), at most 8,192 characters, without credentials. For `html_tag`: raw HTML, at most 1,048,576 bytes of UTF-8. For `upload`: the id of an upload of the organization.
    content: str


class AdSize(TypedDict):
    "Size of the creative in CSS pixels. Overrides what the creative declares. Used only when a new ad is created."

    width: int
    height: int


class Subscriber(TypedDict, total=False):
    "Has `webhook`, `s3`, or both. S3 requires a connector of the organization."

    webhook: Union["WebhookSubscriber", None]
    s3: Union["S3Subscriber", None]


class _WebhookSubscriber(TypedDict):
    # Address that receives the events.
    url: str


class WebhookSubscriber(_WebhookSubscriber, total=False):
    "An address that receives events."

    # Topics to receive; the default is `ad.uploaded` and `screenshot_set.approved`.
    topics: Union[List[Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress"]], None]


class _S3Subscriber(TypedDict):
    bucket: str


class S3Subscriber(_S3Subscriber, total=False):
    "A bucket that receives pictures."

    # Region of the bucket; the default is the region of the connector.
    region: Union[str, None]
    # Prepended to object keys without changes. At most 512 bytes of UTF-8, without control characters, backslashes, and the segments "." and "..".
    key_prefix: Union[str, None]
    # Name of the connector that writes; the default is the one named `s3`.
    connector: Union[str, None]


class AdChange(TypedDict, total=False):
    "Fields of an ad to change."

    # The new name.
    name: Union[str, None]
    metadata: Union[Dict[str, Union[str, None]], None]


class _NewTemplate(TypedDict):
    # Unique within the organization. A template of the same name is replaced.
    name: str


class NewTemplate(_NewTemplate, total=False):
    "A request template to save."

    sites: Union[List["NewTemplateSitesItem"], None]
    devices: Union[List["NewTemplateDevicesItem"], None]
    # As `options` of a screenshot object.
    options: Union["NewTemplateOptions", None]


class NewTemplateSitesItem(TypedDict):
    # Address of the website. A missing scheme is read as `https://`.
    url: str


class NewTemplateDevicesItem(TypedDict):
    # The device to emulate.
    name: Literal["desktop", "mobile", "iphone", "tablet", "ipad", "Apple iPad", "Apple iPhone 5", "Apple iPhone 6", "Apple iPhone 6 Plus", "Apple iPhone X", "Apple iPhone 14 Pro Max", "Google Nexus 10", "Google Nexus 5", "Google Nexus 6", "Google Pixel 4", "Samsung Galaxy S10"]


class NewTemplateOptions(TypedDict, total=False):
    ad: Union["NewTemplateOptionsAd", None]
    slot: Union["SlotChoice", None]
    page: Union["NewTemplateOptionsPage", None]


class NewTemplateOptionsAd(TypedDict, total=False):
    # Markers of the creative to capture. If empty or absent: the default frame.
    frames: Union[List["NewTemplateOptionsAdFramesItem"], None]
    # Whether the ad may be scaled down to fit a slot. By default an ad is shown at its own size or not at all.
    allow_scaling: Union[bool, None]


class NewTemplateOptionsAdFramesItem(TypedDict):
    # Seconds into the creative. Rounded to the millisecond.
    marker: float


class NewTemplateOptionsPage(TypedDict, total=False):
    # `hide` (the default): the page looks as if no ad was delivered. `keep`: other ads load.
    other_ads: Union[Literal["hide", "keep"], None]
    # The picture shows the whole page instead of the viewport of the device.
    full_page: Union[bool, None]


class SlotChoice(TypedDict, total=False):
    "Chooses the slot instead of the score. Either `selector` or `index`."

    # CSS selector of the slot. The first element that matches is used, in any frame of the page.
    selector: Union[str, None]
    # Number of a candidate in the provenance record, from 1.
    index: Union[int, None]


class _CreateScreenshotRequest(TypedDict):
    campaign: "CampaignReference"
    # One entry for each ad. At most 1,000 entries and 10,000 resulting screenshots, as configured.
    screenshot_requests: List["ScreenshotRequestEntry"]


class CreateScreenshotRequest(_CreateScreenshotRequest, total=False):
    subscribers: Union[List["Subscriber"], None]
    instructions: Union[str, None]
    metadata: Union[Dict[str, str], None]


class ScreenshotRequestEntry(TypedDict):
    ad: "ScreenshotRequestAd"
    screenshots: List["ScreenshotObject"]


class ScreenshotRequestAd(TypedDict, total=False):
    id: Union[str, None]
    lookup_key: Union[str, None]
    name: Union[str, None]
    media: Union["Media", None]
    size: Union["AdSize", None]
    metadata: Union[Dict[str, str], None]


class _ScreenshotObject(TypedDict):
    site: "ScreenshotObjectSite"
    device: "ScreenshotObjectDevice"


class ScreenshotObject(_ScreenshotObject, total=False):
    options: Union["ScreenshotObjectOptions", None]


class ScreenshotObjectSite(TypedDict):
    # Address of the website. A missing scheme is read as `https://`.
    url: str


class ScreenshotObjectDevice(TypedDict):
    # The device to emulate.
    name: Literal["desktop", "mobile", "iphone", "tablet", "ipad", "Apple iPad", "Apple iPhone 5", "Apple iPhone 6", "Apple iPhone 6 Plus", "Apple iPhone X", "Apple iPhone 14 Pro Max", "Google Nexus 10", "Google Nexus 5", "Google Nexus 6", "Google Pixel 4", "Samsung Galaxy S10"]


class ScreenshotObjectOptions(TypedDict, total=False):
    ad: Union["ScreenshotObjectOptionsAd", None]
    slot: Union["SlotChoice", None]
    page: Union["ScreenshotObjectOptionsPage", None]


class ScreenshotObjectOptionsAd(TypedDict, total=False):
    # Markers of the creative to capture. If empty or absent: the default frame.
    frames: Union[List["ScreenshotObjectOptionsAdFramesItem"], None]
    # Whether the ad may be scaled down to fit a slot. By default an ad is shown at its own size or not at all.
    allow_scaling: Union[bool, None]


class ScreenshotObjectOptionsAdFramesItem(TypedDict):
    # Seconds into the creative. Rounded to the millisecond.
    marker: float


class ScreenshotObjectOptionsPage(TypedDict, total=False):
    # `hide` (the default): the page looks as if no ad was delivered. `keep`: other ads load.
    other_ads: Union[Literal["hide", "keep"], None]
    # The picture shows the whole page instead of the viewport of the device.
    full_page: Union[bool, None]


class CampaignChange(TypedDict):
    "The new name of a campaign."

    # The new name. Longer than 250 characters, it is truncated to 250.
    name: str


class ScreenshotSetChange(TypedDict, total=False):
    "Fields of a set to change."

    instructions: Union[str, None]
    metadata: Union[Dict[str, Union[str, None]], None]


class Review(TypedDict, total=False):
    # The reviewer’s text, first part of `review_notes`.
    notes: Union[str, None]


class RetakeScreenshot(TypedDict, total=False):
    "Changes to the screenshot; it needs none."

    # Another page.
    site: Union["RetakeScreenshotSite", None]
    # Another device.
    device: Union["RetakeScreenshotDevice", None]
    # Options that differ from those of the screenshot. The markers cannot be changed.
    options: Union["RetakeScreenshotOptions", None]
    # Absent: as in the request of the set. An empty array: none.
    subscribers: Union[List["Subscriber"], None]
    instructions: Union[str, None]
    metadata: Union[Dict[str, str], None]


class RetakeScreenshotSite(TypedDict):
    # Address of the website. A missing scheme is read as `https://`.
    url: str


class RetakeScreenshotDevice(TypedDict):
    # The device to emulate.
    name: Literal["desktop", "mobile", "iphone", "tablet", "ipad", "Apple iPad", "Apple iPhone 5", "Apple iPhone 6", "Apple iPhone 6 Plus", "Apple iPhone X", "Apple iPhone 14 Pro Max", "Google Nexus 10", "Google Nexus 5", "Google Nexus 6", "Google Pixel 4", "Samsung Galaxy S10"]


class RetakeScreenshotOptions(TypedDict, total=False):
    ad: Union["RetakeScreenshotOptionsAd", None]
    slot: Union["SlotChoice", None]
    page: Union["RetakeScreenshotOptionsPage", None]


class RetakeScreenshotOptionsAd(TypedDict, total=False):
    # Markers of the creative to capture. If empty or absent: the default frame.
    frames: Union[List["RetakeScreenshotOptionsAdFramesItem"], None]
    # Whether the ad may be scaled down to fit a slot. By default an ad is shown at its own size or not at all.
    allow_scaling: Union[bool, None]


class RetakeScreenshotOptionsAdFramesItem(TypedDict):
    # Seconds into the creative. Rounded to the millisecond.
    marker: float


class RetakeScreenshotOptionsPage(TypedDict, total=False):
    # `hide` (the default): the page looks as if no ad was delivered. `keep`: other ads load.
    other_ads: Union[Literal["hide", "keep"], None]
    # The picture shows the whole page instead of the viewport of the device.
    full_page: Union[bool, None]


class RetakeSet(TypedDict, total=False):
    "The screenshots to take again, and changes to them."

    # `failures`: those that failed and were not taken again since. `all`, the default: the whole set.
    which: Union[Literal["all", "failures"], None]
    # Only these screenshots of the set, instead of `which`.
    screenshot_ids: Union[List[str], None]
    # Another page.
    site: Union["RetakeSetSite", None]
    # Another device.
    device: Union["RetakeSetDevice", None]
    # Options that differ from those of the screenshot. The markers cannot be changed.
    options: Union["RetakeSetOptions", None]
    # Absent: as in the request of the set. An empty array: none.
    subscribers: Union[List["Subscriber"], None]
    instructions: Union[str, None]
    metadata: Union[Dict[str, str], None]


class RetakeSetSite(TypedDict):
    # Address of the website. A missing scheme is read as `https://`.
    url: str


class RetakeSetDevice(TypedDict):
    # The device to emulate.
    name: Literal["desktop", "mobile", "iphone", "tablet", "ipad", "Apple iPad", "Apple iPhone 5", "Apple iPhone 6", "Apple iPhone 6 Plus", "Apple iPhone X", "Apple iPhone 14 Pro Max", "Google Nexus 10", "Google Nexus 5", "Google Nexus 6", "Google Pixel 4", "Samsung Galaxy S10"]


class RetakeSetOptions(TypedDict, total=False):
    ad: Union["RetakeSetOptionsAd", None]
    slot: Union["SlotChoice", None]
    page: Union["RetakeSetOptionsPage", None]


class RetakeSetOptionsAd(TypedDict, total=False):
    # Markers of the creative to capture. If empty or absent: the default frame.
    frames: Union[List["RetakeSetOptionsAdFramesItem"], None]
    # Whether the ad may be scaled down to fit a slot. By default an ad is shown at its own size or not at all.
    allow_scaling: Union[bool, None]


class RetakeSetOptionsAdFramesItem(TypedDict):
    # Seconds into the creative. Rounded to the millisecond.
    marker: float


class RetakeSetOptionsPage(TypedDict, total=False):
    # `hide` (the default): the page looks as if no ad was delivered. `keep`: other ads load.
    other_ads: Union[Literal["hide", "keep"], None]
    # The picture shows the whole page instead of the viewport of the device.
    full_page: Union[bool, None]


class NewShare(TypedDict, total=False):
    "A share link to create."

    # For whom the link is. Readers of the link do not see it.
    label: Union[str, None]
    # In 30 days unless given, at most 366 days from now.
    expires_at: Union[str, None]
    # Whether readers of the link may download the pictures as PPTX, PDF or ZIP, with the names of the ads. `false` unless given.
    downloads: Union[bool, None]


class ScreenshotReview(TypedDict, total=False):
    "A reviewer’s decision about one picture."

    # `none` withdraws a decision. Absent: the present one stays.
    decision: Union[Literal["approved", "rejected", "none"], None]
    # Absent: the present one stays. Blank: it is removed.
    comment: Union[str, None]


class SettingsChange(TypedDict, total=False):
    "Settings to change. Absent ones stay."

    review: Union[Literal["automatic", "partial", "manual"], None]
    # Sets are removed this many days after their request, with pictures, reviews, share links and exports. Null: as the operator chose. Absent: no change.
    set_retention_days: Union[int, None]
    # Events are removed this many days after they were recorded, but never before their last delivery is removed. Null: as the operator chose. Absent: no change.
    event_retention_days: Union[int, None]
    # Deliveries are removed this many days after they ended, with their attempts. Those that are pending stay. At most `event_retention_days`. Null: as the operator chose. Absent: no change.
    delivery_retention_days: Union[int, None]
    # Answers to requests with an `Idempotency-Key` are kept and repeated for this many days. Null: as the operator chose. Absent: no change.
    request_retention_days: Union[int, None]


# Events to send again: `ids`, or a period.
EventsReplay = Dict[str, Any]


class _ExportRequest(TypedDict):
    # Format of the file.
    format: Literal["pptx", "pdf", "zip"]


class ExportRequest(_ExportRequest, total=False):
    "The choices for one export."

    frame: Union[Literal["none", "browser", "device"], None]
    page_size: Union[Literal["16:9", "a4", "letter"], None]
    pictures: Union[Literal["standard", "original"], None]
    time_zone: Union[str, None]
    # Whether the file lists the screenshots without a picture, with their reasons. `false` unless given, because the file is for people outside of the organization.
    failures: Union[bool, None]
    # Which 500 pictures of a larger set a PPTX or PDF holds. 1 unless given.
    part: Union[int, None]


class BrandingRequest(TypedDict, total=False):
    "Replaces the branding, except for the logo."

    # Name on the cover. The slug of the organization unless given.
    brand_name: Union[str, None]
    # Color of lines and table headings, `#rrggbb`. #1f4e79 unless given.
    accent_color: Union[str, None]
    # Text at the foot of each page. The brand name unless given.
    footer_text: Union[str, None]
    # Page size of exports that name none. `16:9` unless given.
    page_size: Union[Literal["16:9", "a4", "letter"], None]


class _NewApiKey(TypedDict):
    # The purpose of the key.
    name: str
    # `read` shows everything but the administration. `write` requests, reviews, shares and deletes. `admin` reads and changes keys, webhooks and connectors, changes settings and branding, and reads the audit log.
    scopes: List[Literal["read", "write", "admin"]]


class NewApiKey(_NewApiKey, total=False):
    "An API key to create."

    # Never unless given.
    expires_at: Union[str, None]


class SecretRotation(TypedDict, total=False):
    "How to replace the webhook secret."

    # Webhooks are also signed with the old secret for 24 hours, so that receivers can change without a gap. `false` after a leak; `true` unless given.
    keep_previous: Union[bool, None]


class WebhookTest(TypedDict):
    "A test event to send."

    # Address that gets an event of the topic `webhook.test`, once.
    url: str


class _NewWebhookEndpoint(TypedDict):
    # Address that receives the events.
    url: str


class NewWebhookEndpoint(_NewWebhookEndpoint, total=False):
    "A webhook endpoint to create."

    # Topics to receive; the default is `ad.uploaded` and `screenshot_set.approved`.
    topics: Union[List[Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled"]], None]
    # The program that receives the events, for people.
    description: Union[str, None]
    # Headers of each request to the endpoint, at most 10. No response shows the values. Not allowed: `Host`, `User-Agent`, headers of the connection, and names that begin with `Content-`, `Proxy-` or `Webhook-`.
    headers: Union[Dict[str, str], None]
    # A disabled endpoint gets no events.
    disabled: Union[bool, None]


class WebhookEndpointChange(TypedDict, total=False):
    "Changes to a webhook endpoint. A field that is left out stays as it is; null resets topics, description and headers."

    # Also for events that wait for their next attempt. Null: as it is.
    url: Union[str, None]
    # Topics to receive; the default is `ad.uploaded` and `screenshot_set.approved`.
    topics: Union[List[Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled"]], None]
    # The program that receives the events, for people.
    description: Union[str, None]
    # Headers of each request to the endpoint, at most 10. No response shows the values. Not allowed: `Host`, `User-Agent`, headers of the connection, and names that begin with `Content-`, `Proxy-` or `Webhook-`.
    headers: Union[Dict[str, str], None]
    # A disabled endpoint gets no events.
    disabled: Union[bool, None]


class _S3Connector(TypedDict):
    # Region of buckets for which the subscriber names none.
    region: str


class S3Connector(_S3Connector, total=False):
    "The S3 account that writes into the buckets of the organization."

    # The id of an access key. Required unless `role_arn` is given.
    access_key_id: Union[str, None]
    # May be left out if the connector has a secret for the same access key.
    secret_access_key: Union[str, None]
    # Role of an AWS account, instead of an access key. Its trust policy must allow the `principal_arn` of the answer to assume it with the `external_id` of the answer, and with no other one.
    role_arn: Union[str, None]
    # Address of an S3 server other than AWS.
    endpoint: Union[str, None]
    # Puts the bucket into the path, as MinIO requires.
    force_path_style: Union[bool, None]
    # Encryption that each upload asks for; the default is that of the bucket.
    encryption: Union[Literal["AES256", "aws:kms"], None]
    # Key for the encryption `aws:kms`; the default is the key of AWS for S3.
    kms_key_id: Union[str, None]
    # The default is that of the bucket.
    storage_class: Union[Literal["STANDARD", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"], None]
    # Checks the connector as soon as it is set. Without it, the bucket of the last check is checked again, if there was one.
    check: Union["ConnectorCheckRequest", None]


class _ConnectorCheckRequest(TypedDict):
    bucket: str


class ConnectorCheckRequest(_ConnectorCheckRequest, total=False):
    "Where to write and delete a small object."

    # Region of the bucket; the default is the region of the connector.
    region: Union[str, None]
    # Prepended to object keys without changes. At most 512 bytes of UTF-8, without control characters, backslashes, and the segments "." and "..".
    key_prefix: Union[str, None]


class AdEvent(TypedDict):
    "`ad.uploaded`, and, ours, `ad.failed`."

    # The same for every attempt and replay.
    id: str
    type: Literal["event"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    topic: Literal["ad.uploaded", "ad.failed"]
    data: "AdEventData"


class AdEventData(TypedDict):
    object: "Ad"


class _Ad(TypedDict):
    type: Literal["ad"]
    # UUID of the ad.
    id: str
    # Name of the ad.
    name: str
    # Lookup key of the ad; null if it has none.
    lookup_key: Union[str, None]
    # `pending`: preview capture in progress. `uploaded`: captured. `not_found`: the media could not be found. `net_read_timeout`: network timeout during capture. `generic_error`: any other error. A terminal status never changes.
    status: Literal["pending", "uploaded", "not_found", "net_read_timeout", "generic_error"]
    # Null until captured, then `display` or `video`.
    category: Union[Literal["display", "video"], None]
    # The type of the media. `upload` is ours.
    kind: Literal["url", "html_tag", "upload"]
    # UUID of the campaign.
    campaign_id: str
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Results page of the ad.
    html_url: str
    # The free pairs of the client; empty if it gave none.
    metadata: Dict[str, str]
    # URL of the ad preview. It needs no key and cannot be guessed. Null until the preview exists.
    preview_image_url: Union[str, None]
    # Facts that the reader of the picture should know. Empty if there are none.
    warnings: List["Warning"]


class Ad(_Ad, total=False):
    "An ad with its preview: the response of reading one, and `data.object` of its events."

    # CSS pixels. Null while `pending`, absent if it is unknown.
    width: Union[int, None]
    # As `width`.
    height: Union[int, None]
    # Why the ad failed, as a sentence. Only on failed ads.
    reason: str


class Warning(TypedDict):
    # New codes may be added.
    code: Literal["image_not_loaded", "script_not_loaded", "font_not_loaded", "fallback_font", "size_conflict", "size_assumed", "scaled", "overlay_hidden", "page_changed", "real_time", "part_shown", "outside_slot", "other"]
    # A sentence for the reader of the picture.
    message: str


class ScreenshotSetEvent(TypedDict):
    "`screenshot_set.approved`, and, ours, `screenshot_set.failed`, `screenshot_set.rejected`, `screenshot_set.progress`."

    # The same for every attempt and replay.
    id: str
    type: Literal["event"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    topic: Literal["screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress"]
    data: "ScreenshotSetEventData"


class ScreenshotSetEventData(TypedDict):
    object: "ScreenshotSet"


class ScreenshotSet(TypedDict):
    "A set with its screenshots: the response of reading one, and `data.object` of its events."

    type: Literal["screenshot_set"]
    # UUID of the set.
    id: str
    # `draft` when created. The others are ours: `capturing`, `in_review` (where the organization reviews by hand), `approved`, `rejected`, `failed` (no screenshot succeeded), `canceled`.
    status: Literal["draft", "capturing", "in_review", "approved", "rejected", "failed", "canceled"]
    # UUID of the campaign.
    campaign_id: str
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Results page of the set.
    html_url: str
    # The free pairs of the client; empty if it gave none.
    metadata: Dict[str, str]
    # As given in the request.
    instructions: Union[str, None]
    # The reviewer’s text, then the service’s line about failed screenshots.
    review_notes: Union[str, None]
    # The set that this one takes again.
    retake_of: Union[str, None]
    # The newest set that takes this one again.
    retaken_by: Union[str, None]
    # Null if no reviewer said anything about the set.
    review: Union["ReviewRecord", None]
    screenshots: List["Screenshot"]


class ReviewRecord(TypedDict):
    "The last decision of a reviewer."

    decision: Literal["approved", "rejected", "none"]
    comment: Union[str, None]
    by: Union["KeyReference", None]
    # ISO 8601 with milliseconds and an offset.
    at: str


class KeyReference(TypedDict):
    "The API key that was used."

    # Id of the API key, the eight characters in its middle.
    key_id: str
    name: str


class _Screenshot(TypedDict):
    id: str
    # `pending`, `uploaded`, `ad_not_captured`, `net_read_timeout`, `no_slots` (the page has no slot for the ad), and, ours: `not_found`, `blocked` (a challenge or refusal), `generic_error`, `canceled`.
    status: Literal["pending", "uploaded", "ad_not_captured", "net_read_timeout", "no_slots", "not_found", "blocked", "generic_error", "canceled"]
    site: "ScreenshotSite"
    device: "ScreenshotDevice"
    frame: "ScreenshotFrame"
    # URL of the picture (PNG). It needs no key and cannot be guessed. Null until the picture exists.
    image_url: Union[str, None]
    # Device pixels.
    width: Union[int, None]
    # Device pixels.
    height: Union[int, None]
    captured_at: Union[str, None]
    # Facts that the reader of the picture should know. Empty if there are none.
    warnings: List["Warning"]
    ad: "AdSummary"
    # The screenshot that this one takes again.
    retake_of: Union[str, None]
    # The newest screenshot that takes this one again.
    retaken_by: Union[str, None]
    # Null if no reviewer said anything about the screenshot.
    review: Union["ReviewRecord", None]


class Screenshot(_Screenshot, total=False):
    "One placement preview: an ad on a site, on a device, at a marker."

    # Why the screenshot failed, as a sentence. Only on failed screenshots.
    reason: str


class ScreenshotSite(TypedDict):
    # As in the request.
    url: str


class ScreenshotDevice(TypedDict):
    name: Literal["desktop", "mobile", "iphone", "tablet", "ipad", "Apple iPad", "Apple iPhone 5", "Apple iPhone 6", "Apple iPhone 6 Plus", "Apple iPhone X", "Apple iPhone 14 Pro Max", "Google Nexus 10", "Google Nexus 5", "Google Nexus 6", "Google Pixel 4", "Samsung Galaxy S10"]


class ScreenshotFrame(TypedDict):
    # Seconds; null for the default frame.
    marker: Union[float, None]


class AdSummary(TypedDict):
    "An ad as in the response of create-ad."

    type: Literal["ad"]
    # UUID of the ad.
    id: str
    # Name of the ad.
    name: str
    # Lookup key of the ad; null if it has none.
    lookup_key: Union[str, None]
    # `pending`: preview capture in progress. `uploaded`: captured. `not_found`: the media could not be found. `net_read_timeout`: network timeout during capture. `generic_error`: any other error. A terminal status never changes.
    status: Literal["pending", "uploaded", "not_found", "net_read_timeout", "generic_error"]
    # Null until captured, then `display` or `video`.
    category: Union[Literal["display", "video"], None]
    # The type of the media. `upload` is ours.
    kind: Literal["url", "html_tag", "upload"]
    # UUID of the campaign.
    campaign_id: str
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Results page of the ad.
    html_url: str
    # The free pairs of the client; empty if it gave none.
    metadata: Dict[str, str]


class WebhookEndpointEvent(TypedDict):
    "`webhook_endpoint.disabled`: the service disabled the endpoint."

    # The same for every attempt and replay.
    id: str
    type: Literal["event"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    topic: Literal["webhook_endpoint.disabled"]
    data: "WebhookEndpointEventData"


class WebhookEndpointEventData(TypedDict):
    object: "WebhookEndpoint"


class WebhookEndpoint(TypedDict):
    "A receiver of the events of all sets and ads."

    type: Literal["webhook_endpoint"]
    id: str
    url: str
    topics: List[Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled"]]
    description: str
    # The headers of each request, without their values.
    header_names: List[str]
    disabled: bool
    disabled_at: Union[str, None]
    # Why the service disabled the endpoint by itself. Null if a request disabled it.
    disabled_reason: Union[str, None]
    # Every delivery attempt since this time failed. Null after a success.
    failing_since: Union[str, None]
    # ISO 8601 with milliseconds and an offset.
    secret_created_at: str
    # Until when the secret before this one also signs.
    previous_secret_until: Union[str, None]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # ISO 8601 with milliseconds and an offset.
    updated_at: str


class TestEvent(TypedDict):
    "`webhook.test`: an event to try a webhook."

    # The same for every attempt and replay.
    id: str
    type: Literal["event"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    topic: Literal["webhook.test"]
    data: "TestEventData"


class TestEventData(TypedDict):
    object: "TestEventDataObject"


class TestEventDataObject(TypedDict):
    type: Literal["test"]
    message: str


class Failure(TypedDict):
    "Every 4xx and 5xx: messages by the path of the field."

    status: Literal["failure"]
    # The kind of the failure, for programs: one of `malformed`, `unauthorized`, `forbidden`, `missing_scope`, `organization_disabled`, `not_found`, `unknown_path`, `method_not_allowed`, `request_timeout`, `conflict`, `idempotency_key_in_use`, `gone`, `too_large`, `unsupported_media_type`, `unsupported_encoding`, `invalid`, `idempotency_key_reused`, `rate_limited`, `quota_exceeded`, `too_many_exports`, `headers_too_large`, `internal`, `unavailable`. New codes may be added.
    code: str
    # The value of the response header `X-Request-Id`. The log has the request under it.
    request_id: str
    errors: Dict[str, List[str]]


class Upload(TypedDict):
    "A file of a creative that a client stored."

    type: Literal["upload"]
    # The `media.content` of an ad with `media.type` `upload`.
    id: str
    # Name of the file, without folders. It may say the size of the creative.
    name: str
    # The format that the first bytes show. The capture decides by all bytes.
    format: Literal["image", "video", "vast", "html5_zip", "html", "tag"]
    # Media type by the content of the file.
    content_type: str
    bytes: int
    # SHA-256 of the bytes, in hexadecimal.
    sha256: str
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # The upload is removed after this time. Null if an ad uses it.
    expires_at: Union[str, None]


class Template(TypedDict):
    "Sites, devices and options of requests, saved under a name."

    type: Literal["template"]
    id: str
    name: str
    sites: List["TemplateSitesItem"]
    devices: List["TemplateDevicesItem"]
    # As `options` of a screenshot object, as far as given.
    options: "TemplateOptions"
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # ISO 8601 with milliseconds and an offset.
    updated_at: str


class TemplateSitesItem(TypedDict):
    url: str


class TemplateDevicesItem(TypedDict):
    name: str


class TemplateOptions(TypedDict):
    "As `options` of a screenshot object, as far as given."

    pass


class ScreenshotSetSummary(TypedDict):
    "A screenshot set as in the response of a screenshot request."

    type: Literal["screenshot_set"]
    # UUID of the set.
    id: str
    # `draft` when created. The others are ours: `capturing`, `in_review` (where the organization reviews by hand), `approved`, `rejected`, `failed` (no screenshot succeeded), `canceled`.
    status: Literal["draft", "capturing", "in_review", "approved", "rejected", "failed", "canceled"]
    # UUID of the campaign.
    campaign_id: str
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Results page of the set.
    html_url: str
    # The free pairs of the client; empty if it gave none.
    metadata: Dict[str, str]


class Campaign(TypedDict):
    "A campaign."

    type: Literal["campaign"]
    id: str
    name: str
    # ISO 8601 with milliseconds and an offset.
    created_at: str


class ListedScreenshotSet(TypedDict):
    "A set in a list, without its screenshots."

    type: Literal["screenshot_set"]
    # UUID of the set.
    id: str
    # `draft` when created. The others are ours: `capturing`, `in_review` (where the organization reviews by hand), `approved`, `rejected`, `failed` (no screenshot succeeded), `canceled`.
    status: Literal["draft", "capturing", "in_review", "approved", "rejected", "failed", "canceled"]
    # UUID of the campaign.
    campaign_id: str
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Results page of the set.
    html_url: str
    # The free pairs of the client; empty if it gave none.
    metadata: Dict[str, str]
    # As given in the request.
    instructions: Union[str, None]
    # The reviewer’s text, then the service’s line about failed screenshots.
    review_notes: Union[str, None]
    # The set that this one takes again.
    retake_of: Union[str, None]
    # The newest set that takes this one again.
    retaken_by: Union[str, None]
    # Null if no reviewer said anything about the set.
    review: Union["ReviewRecord", None]
    # Number of its screenshots by status.
    counts: "ListedScreenshotSetCounts"


class ListedScreenshotSetCounts(TypedDict):
    "Number of its screenshots by status."

    total: int
    uploaded: int
    pending: int
    failed: int
    canceled: int


class Share(TypedDict):
    "A share link of a set."

    type: Literal["share"]
    id: str
    screenshot_set_id: str
    # Everybody who has this address sees the pictures of the set until the link expires or is revoked.
    url: str
    label: str
    # Whether readers of the link may download the pictures as PPTX, PDF or ZIP, with the names of the ads.
    downloads: bool
    status: Literal["active", "expired", "revoked"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    created_by: Union["KeyReference", None]
    # ISO 8601 with milliseconds and an offset.
    expires_at: str
    revoked_at: Union[str, None]
    # To the minute.
    last_used_at: Union[str, None]
    # Minutes in which the link was opened.
    uses: int


class _ApprovedScreenshot(TypedDict):
    type: Literal["screenshot"]
    id: str
    # `pending`, `uploaded`, `ad_not_captured`, `net_read_timeout`, `no_slots` (the page has no slot for the ad), and, ours: `not_found`, `blocked` (a challenge or refusal), `generic_error`, `canceled`.
    status: Literal["pending", "uploaded", "ad_not_captured", "net_read_timeout", "no_slots", "not_found", "blocked", "generic_error", "canceled"]
    site: "ApprovedScreenshotSite"
    device: "ApprovedScreenshotDevice"
    frame: "ApprovedScreenshotFrame"
    # URL of the picture (PNG). It needs no key and cannot be guessed. Null until the picture exists.
    image_url: Union[str, None]
    # Device pixels.
    width: Union[int, None]
    # Device pixels.
    height: Union[int, None]
    captured_at: Union[str, None]
    # Facts that the reader of the picture should know. Empty if there are none.
    warnings: List["Warning"]
    ad: "ApprovedScreenshotAd"
    # The screenshot that this one takes again.
    retake_of: Union[str, None]
    # The newest screenshot that takes this one again.
    retaken_by: Union[str, None]
    # Null if no reviewer said anything about the screenshot.
    review: Union["ReviewRecord", None]
    screenshot_set_id: str
    # ISO 8601 with milliseconds and an offset.
    approved_at: str


class ApprovedScreenshot(_ApprovedScreenshot, total=False):
    "A screenshot of an approved set."

    # Why the screenshot failed, as a sentence. Only on failed screenshots.
    reason: str


class ApprovedScreenshotSite(TypedDict):
    # As in the request.
    url: str


class ApprovedScreenshotDevice(TypedDict):
    name: Literal["desktop", "mobile", "iphone", "tablet", "ipad", "Apple iPad", "Apple iPhone 5", "Apple iPhone 6", "Apple iPhone 6 Plus", "Apple iPhone X", "Apple iPhone 14 Pro Max", "Google Nexus 10", "Google Nexus 5", "Google Nexus 6", "Google Pixel 4", "Samsung Galaxy S10"]


class ApprovedScreenshotFrame(TypedDict):
    # Seconds; null for the default frame.
    marker: Union[float, None]


class _ApprovedScreenshotAd(TypedDict):
    type: Literal["ad"]
    # UUID of the ad.
    id: str
    # Name of the ad.
    name: str
    # Lookup key of the ad; null if it has none.
    lookup_key: Union[str, None]
    # `pending`: preview capture in progress. `uploaded`: captured. `not_found`: the media could not be found. `net_read_timeout`: network timeout during capture. `generic_error`: any other error. A terminal status never changes.
    status: Literal["pending", "uploaded", "not_found", "net_read_timeout", "generic_error"]
    # Null until captured, then `display` or `video`.
    category: Union[Literal["display", "video"], None]
    # The type of the media. `upload` is ours.
    kind: Literal["url", "html_tag", "upload"]
    # UUID of the campaign.
    campaign_id: str
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Results page of the ad.
    html_url: str
    # The free pairs of the client; empty if it gave none.
    metadata: Dict[str, str]


class ApprovedScreenshotAd(_ApprovedScreenshotAd, total=False):
    # The media; with `include=ad.creative`.
    creative: "ApprovedScreenshotAdCreative"


class ApprovedScreenshotAdCreative(TypedDict):
    "The media; with `include=ad.creative`."

    type: Literal["url", "html_tag", "upload"]
    content: str


class _ScreenshotDetail(TypedDict):
    type: Literal["screenshot"]
    id: str
    # `pending`, `uploaded`, `ad_not_captured`, `net_read_timeout`, `no_slots` (the page has no slot for the ad), and, ours: `not_found`, `blocked` (a challenge or refusal), `generic_error`, `canceled`.
    status: Literal["pending", "uploaded", "ad_not_captured", "net_read_timeout", "no_slots", "not_found", "blocked", "generic_error", "canceled"]
    site: "ScreenshotDetailSite"
    device: "ScreenshotDetailDevice"
    frame: "ScreenshotDetailFrame"
    # URL of the picture (PNG). It needs no key and cannot be guessed. Null until the picture exists.
    image_url: Union[str, None]
    # Device pixels.
    width: Union[int, None]
    # Device pixels.
    height: Union[int, None]
    captured_at: Union[str, None]
    # Facts that the reader of the picture should know. Empty if there are none.
    warnings: List["Warning"]
    ad: "AdSummary"
    # The screenshot that this one takes again.
    retake_of: Union[str, None]
    # The newest screenshot that takes this one again.
    retaken_by: Union[str, None]
    # Null if no reviewer said anything about the screenshot.
    review: Union["ReviewRecord", None]
    screenshot_set_id: str
    # When its set was approved; null if it is not.
    approved_at: Union[str, None]


class ScreenshotDetail(_ScreenshotDetail, total=False):
    "A screenshot with its set, in every status."

    # Why the screenshot failed, as a sentence. Only on failed screenshots.
    reason: str


class ScreenshotDetailSite(TypedDict):
    # As in the request.
    url: str


class ScreenshotDetailDevice(TypedDict):
    name: Literal["desktop", "mobile", "iphone", "tablet", "ipad", "Apple iPad", "Apple iPhone 5", "Apple iPhone 6", "Apple iPhone 6 Plus", "Apple iPhone X", "Apple iPhone 14 Pro Max", "Google Nexus 10", "Google Nexus 5", "Google Nexus 6", "Google Pixel 4", "Samsung Galaxy S10"]


class ScreenshotDetailFrame(TypedDict):
    # Seconds; null for the default frame.
    marker: Union[float, None]


class Settings(TypedDict):
    "Settings of the organization."

    type: Literal["settings"]
    # `automatic`: finished sets approve themselves. `partial`: only complete ones do, and sets with failures wait for a review. `manual`: all sets wait for a review.
    review: Literal["automatic", "partial", "manual"]
    # Sets are removed this many days after their request, with pictures, reviews, share links and exports. Null: they stay until they are deleted.
    set_retention_days: Union[int, None]
    # Events are removed this many days after they were recorded, but never before their last delivery is removed.
    event_retention_days: int
    # Deliveries are removed this many days after they ended, with their attempts. Those that are pending stay.
    delivery_retention_days: int
    # Answers to requests with an `Idempotency-Key` are kept and repeated for this many days.
    request_retention_days: int
    retention_bounds: "SettingsRetentionBounds"
    # The addresses or ranges from which the service connects to webhooks, buckets, sites and creatives. Empty: the operator named none.
    sending_addresses: List[str]


class SettingsRetentionBounds(TypedDict):
    set_retention_days: "RetentionBounds"


class RetentionBounds(TypedDict):
    "The days that the organization may choose."

    minimum: int
    # The operator may have set it.
    maximum: int
    # Applies if the organization chose nothing. Null: the objects stay.
    default: Union[int, None]


class Usage(TypedDict):
    "The use of the organization, its limits and what is left of them."

    type: Literal["usage"]
    # Each day of the range, oldest first.
    days: List["UsageDay"]
    limits: "UsageLimits"
    used: "UsageUsed"
    left: "UsageLeft"
    # Then `pictures_today` begins at 0 again.
    day_ends_at: str


class UsageLimits(TypedDict):
    # Null: no limit.
    pictures_per_day: Union[int, None]
    # Further captures wait until one ends.
    running_captures: int


class UsageUsed(TypedDict):
    pictures_today: int
    running_captures: int


class UsageLeft(TypedDict):
    # Null: no limit.
    pictures_today: Union[int, None]
    running_captures: int


class UsageDay(TypedDict):
    "The use of one day, in UTC."

    day: str
    # Screenshots that were requested, retakes included. Deleted sets count.
    pictures: int
    # Ads that were created.
    creatives: int
    # Deliveries that were created and not deleted since.
    deliveries: int


class Delivery(TypedDict):
    "One event for one subscriber, with all delivery attempts."

    type: Literal["delivery"]
    id: str
    # `evt_<uuid>`, the id of the envelope.
    event_id: str
    topic: Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled", "webhook.test"]
    channel: Literal["webhook", "s3"]
    # The URL of the webhook, or `s3://bucket/prefix`.
    target: str
    # The webhook endpoint, or null for a subscriber of a request.
    webhook_endpoint_id: Union[str, None]
    # `gone`: the receiver answered 410, or its webhook endpoint was disabled or deleted. `refused`: the address is not allowed. The service retries neither.
    status: Literal["pending", "delivered", "retries_exhausted", "gone", "refused"]
    # Why the delivery ended without another attempt.
    reason: Union[str, None]
    attempts: int
    next_attempt_at: Union[str, None]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    finished_at: Union[str, None]
    ad_id: Union[str, None]
    screenshot_set_id: Union[str, None]
    log: List["DeliveryAttempt"]


class DeliveryAttempt(TypedDict):
    "One attempt to deliver an event."

    attempt: int
    # ISO 8601 with milliseconds and an offset.
    started_at: str
    duration_ms: int
    status_code: Union[int, None]
    outcome: str
    error: Union[str, None]
    # The start of the response to a webhook, at most 1 KB.
    response_snippet: Union[str, None]


class Event(TypedDict):
    "A stored event, without its content."

    type: Literal["event"]
    # `evt_<uuid>`, as in the envelope.
    id: str
    topic: Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled", "webhook.test"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    ad_id: Union[str, None]
    screenshot_set_id: Union[str, None]


class EventDetail(TypedDict):
    "A stored event with its content and its deliveries."

    type: Literal["event"]
    # `evt_<uuid>`, as in the envelope.
    id: str
    topic: Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled", "webhook.test"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    ad_id: Union[str, None]
    screenshot_set_id: Union[str, None]
    # As receivers get it.
    data: Dict[str, Any]
    deliveries: List["Delivery"]


class Replay(TypedDict):
    "The extent of a replay."

    type: Literal["replay"]
    events: int
    # The deliveries that are now sent again, or for the first time.
    deliveries: int


class _Export(TypedDict):
    type: Literal["export"]
    id: str
    screenshot_set_id: str
    # `pending`: waits. `building`: is being written. `ready`: `url` opens the file. `failed`: `reason` says why. `expired`: the file was removed; request it again.
    status: Literal["pending", "building", "ready", "failed", "expired"]
    # Format of the file.
    format: Literal["pptx", "pdf", "zip"]
    options: "ExportOptions"
    # Number of parts of the whole set in this format.
    parts: int
    progress: "ExportProgress"
    file_name: str
    # Address of the file. It needs no key and cannot be guessed. Null unless `ready`.
    url: Union[str, None]
    bytes: Union[int, None]
    sha256: Union[str, None]
    created_at: str
    finished_at: Union[str, None]
    # The file is removed at this time.
    expires_at: Union[str, None]


class Export(_Export, total=False):
    "A PPTX, PDF or ZIP with the pictures of one set."

    # Only on failed exports.
    reason: str


class ExportOptions(TypedDict):
    # `browser`: each picture in a browser window with the address of its page and the time. `device`: phones and tablets with their body, other pictures in a browser window. `none` unless given. In a ZIP, the framed pictures are beside the originals.
    frame: Literal["none", "browser", "device"]
    # Size of slides and pages. The page size of the branding unless given.
    page_size: Literal["16:9", "a4", "letter"]
    # `standard`: JPEG for screens and paper. `original`: the PNG files without loss, in a larger document. A ZIP always holds the original files. `standard` unless given.
    pictures: Literal["standard", "original"]
    # IANA name of the zone of all times in the file. `UTC` unless given.
    time_zone: str
    # Whether the file lists the screenshots without a picture, with their reasons. `false` unless given, because the file is for people outside of the organization.
    failures: bool
    # Which 500 pictures of a larger set a PPTX or PDF holds. 1 unless given.
    part: int


class ExportProgress(TypedDict):
    # Pictures that are in the file.
    done: int
    # Pictures of the file.
    total: int


class Branding(TypedDict):
    "The look of the organization in its exports."

    type: Literal["branding"]
    brand_name: Union[str, None]
    accent_color: str
    footer_text: Union[str, None]
    page_size: Literal["16:9", "a4", "letter"]
    # The logo as a PNG. Width and height in pixels.
    logo: Union["BrandingLogo", None]


class BrandingLogo(TypedDict):
    url: str
    width: int
    height: int


class DeliveryDetail(TypedDict):
    "A delivery with the event that it carries."

    type: Literal["delivery"]
    id: str
    # `evt_<uuid>`, the id of the envelope.
    event_id: str
    topic: Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled", "webhook.test"]
    channel: Literal["webhook", "s3"]
    # The URL of the webhook, or `s3://bucket/prefix`.
    target: str
    # The webhook endpoint, or null for a subscriber of a request.
    webhook_endpoint_id: Union[str, None]
    # `gone`: the receiver answered 410, or its webhook endpoint was disabled or deleted. `refused`: the address is not allowed. The service retries neither.
    status: Literal["pending", "delivered", "retries_exhausted", "gone", "refused"]
    # Why the delivery ended without another attempt.
    reason: Union[str, None]
    attempts: int
    next_attempt_at: Union[str, None]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    finished_at: Union[str, None]
    ad_id: Union[str, None]
    screenshot_set_id: Union[str, None]
    log: List["DeliveryAttempt"]
    # The event, as the subscriber gets it.
    payload: Dict[str, Any]


class ApiKey(TypedDict):
    "An API key without its secret."

    type: Literal["api_key"]
    # The eight characters in the middle of the key.
    id: str
    name: str
    scopes: List[Literal["read", "write", "admin"]]
    status: Literal["active", "expired", "revoked"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Null if the operator created it.
    created_by: Union["KeyReference", None]
    expires_at: Union[str, None]
    revoked_at: Union[str, None]
    # To the minute.
    last_used_at: Union[str, None]


class CreatedApiKey(TypedDict):
    "A new API key."

    type: Literal["api_key"]
    # The eight characters in the middle of the key.
    id: str
    name: str
    scopes: List[Literal["read", "write", "admin"]]
    status: Literal["active", "expired", "revoked"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Null if the operator created it.
    created_by: Union["KeyReference", None]
    expires_at: Union[str, None]
    revoked_at: Union[str, None]
    # To the minute.
    last_used_at: Union[str, None]
    # The key itself. No other response has it, because only a hash of it is stored.
    key: str


class WebhookSecret(TypedDict):
    "The secret that signs the webhooks of the organization."

    type: Literal["webhook_secret"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Until when webhooks are also signed with the secret before this one.
    previous_until: Union[str, None]


class NewWebhookSecret(TypedDict):
    "The secret after a rotation."

    type: Literal["webhook_secret"]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # Until when webhooks are also signed with the secret before this one.
    previous_until: Union[str, None]
    # The new secret, `whsec_…`. No other response has it.
    secret: str


class WebhookEndpointWithSecret(TypedDict):
    "A webhook endpoint with a new secret."

    type: Literal["webhook_endpoint"]
    id: str
    url: str
    topics: List[Literal["ad.uploaded", "ad.failed", "screenshot_set.approved", "screenshot_set.failed", "screenshot_set.rejected", "screenshot_set.progress", "webhook_endpoint.disabled"]]
    description: str
    # The headers of each request, without their values.
    header_names: List[str]
    disabled: bool
    disabled_at: Union[str, None]
    # Why the service disabled the endpoint by itself. Null if a request disabled it.
    disabled_reason: Union[str, None]
    # Every delivery attempt since this time failed. Null after a success.
    failing_since: Union[str, None]
    # ISO 8601 with milliseconds and an offset.
    secret_created_at: str
    # Until when the secret before this one also signs.
    previous_secret_until: Union[str, None]
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    # ISO 8601 with milliseconds and an offset.
    updated_at: str
    # The secret that signs its webhooks, `whsec_…`. No other response has it.
    secret: str


class Connector(TypedDict):
    "A connector without its secret."

    type: Literal["connector"]
    name: str
    # Whether subscribers that name no connector use it.
    is_default: bool
    region: str
    # Null if the connector uses a role.
    access_key_id: Union[str, None]
    # Null if the connector uses an access key.
    role: Union["ConnectorRole", None]
    endpoint: Union[str, None]
    force_path_style: bool
    encryption: Union[Literal["AES256", "aws:kms"], None]
    kms_key_id: Union[str, None]
    storage_class: Union[Literal["STANDARD", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"], None]
    # ISO 8601 with milliseconds and an offset.
    updated_at: str
    # The last check. Null if the connector was not checked since it was set.
    check: Union["ConnectorCheck", None]


class ConnectorRole(TypedDict):
    arn: str
    # The id of the organization, which the trust policy of the role must require.
    external_id: str
    # The identity of this service, which the role must trust.
    principal_arn: Union[str, None]


class ConnectorCheck(TypedDict):
    bucket: str
    region: Union[str, None]
    key_prefix: str
    status: Literal["pending", "passed", "failed"]
    # The result, for people: for example the permission that is missing.
    message: Union[str, None]
    # ISO 8601 with milliseconds and an offset.
    requested_at: str
    finished_at: Union[str, None]


class AuditLogEntry(TypedDict):
    "One administrative action."

    type: Literal["audit_log_entry"]
    id: str
    # ISO 8601 with milliseconds and an offset.
    created_at: str
    actor: "AuditLogActor"
    # New actions may be added at any time.
    action: Literal["organization.created", "organization.disabled", "organization.enabled", "organization.deleted", "settings.updated", "api_key.created", "api_key.revoked", "webhook_secret.rotated", "webhook.tested", "webhook_endpoint.created", "webhook_endpoint.updated", "webhook_endpoint.rotated", "webhook_endpoint.tested", "webhook_endpoint.disabled", "webhook_endpoint.deleted", "connector.created", "connector.updated", "connector.checked", "connector.deleted", "branding.updated", "branding.logo_replaced", "branding.logo_removed", "campaign.updated", "campaign.deleted", "ad.updated", "ad.deleted", "screenshot_set.updated", "screenshot_set.deleted", "share_link.created", "share_link.revoked", "session.started", "session.refused", "session.ended"]
    # The object that the action changed.
    object: "AuditLogEntryObject"
    changes: List["AuditLogChange"]
    # Address of the client. Null for the command line of the operator.
    ip_address: Union[str, None]
    # As in the header `X-Request-Id` and in the log of the service.
    request_id: Union[str, None]


class AuditLogEntryObject(TypedDict):
    "The object that the action changed."

    # The first part of the action.
    type: str
    # Null if the object has no id.
    id: Union[str, None]


class AuditLogActor(TypedDict):
    "The actor of the action."

    # `api_key`: a program with a key. `session`: a person who signed in with a key. `operator`: the command line of the operator. `anonymous`: a person whose sign-in was refused. `service`: the service itself.
    type: Literal["api_key", "session", "operator", "anonymous", "service"]
    # Id of the API key that was used.
    key_id: Union[str, None]
    # The name of that key.
    name: Union[str, None]


# A field that the action changed, as text without secrets.
AuditLogChange = Dict[str, Any]


class RequestWarning(TypedDict):
    "A part of the request that the service ignored."

    # The whole path of the field in the body, or the name of the query parameter.
    path: str
    # The problem, and what to do.
    message: str


# The body of a webhook.
WebhookEvent = Union["AdEvent", "ScreenshotSetEvent", "WebhookEndpointEvent", "TestEvent"]


class ListAdsResult(TypedDict):
    data: List["Ad"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListUploadsResult(TypedDict):
    data: List["Upload"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListTemplatesResult(TypedDict):
    data: List["Template"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListCampaignsResult(TypedDict):
    data: List["Campaign"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListScreenshotSetsResult(TypedDict):
    data: List["ListedScreenshotSet"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListScreenshotsOfSetResult(TypedDict):
    data: List["Screenshot"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListSharesResult(TypedDict):
    data: List["Share"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListScreenshotsResult(TypedDict):
    data: List["ApprovedScreenshot"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListDeliveriesResult(TypedDict):
    data: List["Delivery"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListEventsResult(TypedDict):
    data: List["Event"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListExportsResult(TypedDict):
    data: List["Export"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListKeysResult(TypedDict):
    data: List["ApiKey"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListWebhookEndpointsResult(TypedDict):
    data: List["WebhookEndpoint"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListConnectorsResult(TypedDict):
    data: List["Connector"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int


class ListAuditLogResult(TypedDict):
    data: List["AuditLogEntry"]
    page: int
    per_page: int
    # Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows.
    total: int
