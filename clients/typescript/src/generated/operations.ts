// Written by `make generate` from the OpenAPI document. Do not edit.

import type { Answer, CallOptions, FileContent, Page } from '../call.ts';
import { Caller } from '../caller.ts';
import type {
  Ad,
  AdChange,
  AdSummary,
  ApiKey,
  ApprovedScreenshot,
  AuditLogEntry,
  Branding,
  BrandingRequest,
  Campaign,
  CampaignChange,
  Connector,
  ConnectorCheckRequest,
  CreateAd,
  CreateScreenshotRequest,
  CreatedApiKey,
  Delivery,
  DeliveryDetail,
  Event,
  EventDetail,
  EventsReplay,
  Export,
  ExportRequest,
  ListedScreenshotSet,
  NewApiKey,
  NewShare,
  NewTemplate,
  NewWebhookEndpoint,
  NewWebhookSecret,
  Replay,
  RetakeScreenshot,
  RetakeSet,
  Review,
  S3Connector,
  Screenshot,
  ScreenshotDetail,
  ScreenshotReview,
  ScreenshotSet,
  ScreenshotSetChange,
  ScreenshotSetSummary,
  SecretRotation,
  Settings,
  SettingsChange,
  Share,
  Template,
  Upload,
  Usage,
  WebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointWithSecret,
  WebhookSecret,
  WebhookTest,
} from './models.ts';

export type ListAdsQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Only ads that follow this one in the list. */
  after?: string;
  /** Only with words that begin so, in the name or the lookup key, or with an id that begins so. */
  q?: string;
  /** Only with this status. */
  status?: "pending" | "uploaded" | "not_found" | "net_read_timeout" | "generic_error";
  /** Created at this time or later. */
  from?: string;
  /** Created at this time or earlier. */
  to?: string;
  /** Only from this campaign. */
  campaign_id?: string;
  /** Only with this lookup key. */
  lookup_key?: string;
  /** Only with all these pairs of metadata, at most 3: `metadata[order]=4711`. */
  metadata?: Record<string, string>;
};

export type CreateUploadQuery = {
  /** Name of the file, for a raw body. It may say the size of the creative. */
  name?: string;
};

export type ListUploadsQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Only uploads that follow this one in the list. */
  after?: string;
  /** Created at this time or later. */
  from?: string;
  /** Created at this time or earlier. */
  to?: string;
};

export type ListTemplatesQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Created at this time or later. */
  from?: string;
  /** Created at this time or earlier. */
  to?: string;
};

export type ListCampaignsQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Only campaigns that follow this one in the list. */
  after?: string;
  /** Only with words that begin so, in the name, or with an id that begins so. */
  q?: string;
  /** Created at this time or later. */
  from?: string;
  /** Created at this time or earlier. */
  to?: string;
  /** Only campaigns with exactly this name. */
  name?: string;
};

export type ListScreenshotSetsQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Only sets that follow this one in the list. */
  after?: string;
  /** Only with words that begin so, in the names of campaign and ads, the lookup keys or the sites, or with an id that begins so. */
  q?: string;
  /** Only with this status. */
  status?: "draft" | "capturing" | "in_review" | "approved" | "rejected" | "failed" | "canceled";
  /** Only with screenshots of this site or its subdomains: a host name or an address. */
  site?: string;
  /** Only with screenshots on this device. */
  device?: "desktop" | "mobile" | "iphone" | "tablet" | "ipad" | "Apple iPad" | "Apple iPhone 5" | "Apple iPhone 6" | "Apple iPhone 6 Plus" | "Apple iPhone X" | "Apple iPhone 14 Pro Max" | "Google Nexus 10" | "Google Nexus 5" | "Google Nexus 6" | "Google Pixel 4" | "Samsung Galaxy S10";
  /** Requested at this time or later. */
  from?: string;
  /** Requested at this time or earlier. */
  to?: string;
  /** Only from this campaign. */
  campaign_id?: string;
  /** Only with all these pairs of metadata, at most 3: `metadata[order]=4711`. */
  metadata?: Record<string, string>;
};

export type ListScreenshotsOfSetQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Only screenshots of the set that follow this one in the list. */
  after?: string;
};

export type ListSharesQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Created at this time or later. */
  from?: string;
  /** Created at this time or earlier. */
  to?: string;
};

export type ListScreenshotsQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Approved at this time or later. Unless given: 24 hours before `to`, or before now if `to` is in the future. */
  from?: string;
  /** Approved at this time or earlier; now unless given. */
  to?: string;
  /** By the time of approval; `desc` unless given. */
  order?: "asc" | "desc";
  /** `ad.creative`: with the media of the ads. */
  include?: "ad.creative";
  /** Only screenshots that follow this one in the list. */
  after?: string;
};

export type GetUsageQuery = {
  /** The first day in UTC, for example `2026-11-01`. 29 days before `to` unless given. */
  from?: string;
  /** The last day in UTC. Today unless given. */
  to?: string;
};

export type ListDeliveriesQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Only deliveries that follow this one in the list. */
  after?: string;
  /** Only about events of this topic. */
  topic?: "ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled" | "webhook.test";
  /** Only by this channel. */
  channel?: "webhook" | "s3";
  /** Only about this set. */
  screenshot_set_id?: string;
  /** Only about this ad. */
  ad_id?: string;
  /** Only to this webhook endpoint. */
  webhook_endpoint_id?: string;
  /** Only with this status. */
  status?: "pending" | "delivered" | "retries_exhausted" | "gone" | "refused";
  /** Created at this time or later. */
  from?: string;
  /** Created at this time or earlier. */
  to?: string;
};

export type ListEventsQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Only events that follow this one in the list. */
  after?: string;
  /** Only of this topic. */
  topic?: "ad.uploaded" | "ad.failed" | "screenshot_set.approved" | "screenshot_set.failed" | "screenshot_set.rejected" | "screenshot_set.progress" | "webhook_endpoint.disabled" | "webhook.test";
  /** Only about this set. */
  screenshot_set_id?: string;
  /** Only about this ad. */
  ad_id?: string;
  /** Only those that this webhook endpoint got. */
  webhook_endpoint_id?: string;
  /** Recorded at this time or later. */
  from?: string;
  /** Recorded at this time or earlier. */
  to?: string;
};

export type ListExportsQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Created at this time or later. */
  from?: string;
  /** Created at this time or earlier. */
  to?: string;
};

export type ListKeysQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Created at this time or later. */
  from?: string;
  /** Created at this time or earlier. */
  to?: string;
};

export type ListWebhookEndpointsQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Created at this time or later. */
  from?: string;
  /** Created at this time or earlier. */
  to?: string;
};

export type ListConnectorsQuery = {
  /** Set or changed at this time or later. */
  from?: string;
  /** Set or changed at this time or earlier. */
  to?: string;
};

export type ListAuditLogQuery = {
  /** From 1. */
  page?: number;
  /** 100 unless given, at most 500. */
  per_page?: number;
  /** Only this action. */
  action?: "organization.created" | "organization.disabled" | "organization.enabled" | "organization.deleted" | "settings.updated" | "api_key.created" | "api_key.revoked" | "webhook_secret.rotated" | "webhook.tested" | "webhook_endpoint.created" | "webhook_endpoint.updated" | "webhook_endpoint.rotated" | "webhook_endpoint.tested" | "webhook_endpoint.disabled" | "webhook_endpoint.deleted" | "connector.created" | "connector.updated" | "connector.checked" | "connector.deleted" | "branding.updated" | "branding.logo_replaced" | "branding.logo_removed" | "campaign.updated" | "campaign.deleted" | "ad.updated" | "ad.deleted" | "screenshot_set.updated" | "screenshot_set.deleted" | "share_link.created" | "share_link.revoked" | "session.started" | "session.refused" | "session.ended";
  /** Only actions of the API key with this id, or of this type of actor. */
  actor?: string;
  /** Done at this time or later. */
  from?: string;
  /** Done at this time or earlier. */
  to?: string;
  /** Only entries that follow this one in the list. */
  after?: string;
};

/** One method for each operation of the API. */
export class Operations extends Caller {
  /** Create an ad (beta). */
  createAd(body: CreateAd, options: CallOptions = {}): Promise<Answer<AdSummary>> {
    return this.call<Answer<AdSummary>>({ method: 'POST', path: `/ads`, body, repeatable: true }, options);
  }

  /** List ads, newest first. */
  listAds(query: ListAdsQuery = {}, options: CallOptions = {}): Promise<Answer<Page<Ad>>> {
    return this.call<Answer<Page<Ad>>>({ method: 'GET', path: `/ads`, query, repeatable: true }, options);
  }

  /** List ads, newest first. Reads all pages from `query.page` on, one after the other. */
  iterateAds(query: ListAdsQuery = {}, options: CallOptions = {}): AsyncGenerator<Ad, void> {
    return this.iterate((page) => this.listAds({ ...query, page }, options), query.page);
  }

  /** Read one ad. */
  getAd(id: string, options: CallOptions = {}): Promise<Answer<Ad>> {
    return this.call<Answer<Ad>>({ method: 'GET', path: `/ads/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Change an ad. */
  updateAd(id: string, body: AdChange, options: CallOptions = {}): Promise<Answer<Ad>> {
    return this.call<Answer<Ad>>({ method: 'PATCH', path: `/ads/${encodeURIComponent(id)}`, body, repeatable: true }, options);
  }

  /** Delete an ad. */
  deleteAd(id: string, options: CallOptions = {}): Promise<void> {
    return this.call<void>({ method: 'DELETE', path: `/ads/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Upload a creative. */
  createUpload(body: FileContent, query: CreateUploadQuery = {}, options: CallOptions = {}): Promise<Answer<Upload>> {
    return this.call<Answer<Upload>>({ method: 'POST', path: `/uploads`, body, query, repeatable: true }, options);
  }

  /** List uploads, newest first. */
  listUploads(query: ListUploadsQuery = {}, options: CallOptions = {}): Promise<Answer<Page<Upload>>> {
    return this.call<Answer<Page<Upload>>>({ method: 'GET', path: `/uploads`, query, repeatable: true }, options);
  }

  /** List uploads, newest first. Reads all pages from `query.page` on, one after the other. */
  iterateUploads(query: ListUploadsQuery = {}, options: CallOptions = {}): AsyncGenerator<Upload, void> {
    return this.iterate((page) => this.listUploads({ ...query, page }, options), query.page);
  }

  /** Read one upload. */
  getUpload(id: string, options: CallOptions = {}): Promise<Answer<Upload>> {
    return this.call<Answer<Upload>>({ method: 'GET', path: `/uploads/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Delete an upload that no ad uses. */
  deleteUpload(id: string, options: CallOptions = {}): Promise<void> {
    return this.call<void>({ method: 'DELETE', path: `/uploads/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** List request templates, by name. */
  listTemplates(query: ListTemplatesQuery = {}, options: CallOptions = {}): Promise<Answer<Page<Template>>> {
    return this.call<Answer<Page<Template>>>({ method: 'GET', path: `/templates`, query, repeatable: true }, options);
  }

  /** List request templates, by name. Reads all pages from `query.page` on, one after the other. */
  iterateTemplates(query: ListTemplatesQuery = {}, options: CallOptions = {}): AsyncGenerator<Template, void> {
    return this.iterate((page) => this.listTemplates({ ...query, page }, options), query.page);
  }

  /** Save a request template. */
  saveTemplate(body: NewTemplate, options: CallOptions = {}): Promise<Answer<Template>> {
    return this.call<Answer<Template>>({ method: 'POST', path: `/templates`, body, repeatable: true }, options);
  }

  /** Delete a request template. */
  deleteTemplate(id: string, options: CallOptions = {}): Promise<void> {
    return this.call<void>({ method: 'DELETE', path: `/templates/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Request screenshots. */
  createScreenshotRequest(body: CreateScreenshotRequest, options: CallOptions = {}): Promise<Answer<ScreenshotSetSummary>> {
    return this.call<Answer<ScreenshotSetSummary>>({ method: 'POST', path: `/screenshot_requests`, body, repeatable: true }, options);
  }

  /** List campaigns, newest first. */
  listCampaigns(query: ListCampaignsQuery = {}, options: CallOptions = {}): Promise<Answer<Page<Campaign>>> {
    return this.call<Answer<Page<Campaign>>>({ method: 'GET', path: `/campaigns`, query, repeatable: true }, options);
  }

  /** List campaigns, newest first. Reads all pages from `query.page` on, one after the other. */
  iterateCampaigns(query: ListCampaignsQuery = {}, options: CallOptions = {}): AsyncGenerator<Campaign, void> {
    return this.iterate((page) => this.listCampaigns({ ...query, page }, options), query.page);
  }

  /** Read one campaign. */
  getCampaign(id: string, options: CallOptions = {}): Promise<Answer<Campaign>> {
    return this.call<Answer<Campaign>>({ method: 'GET', path: `/campaigns/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Rename a campaign. */
  updateCampaign(id: string, body: CampaignChange, options: CallOptions = {}): Promise<Answer<Campaign>> {
    return this.call<Answer<Campaign>>({ method: 'PATCH', path: `/campaigns/${encodeURIComponent(id)}`, body, repeatable: true }, options);
  }

  /** Delete a campaign. */
  deleteCampaign(id: string, options: CallOptions = {}): Promise<void> {
    return this.call<void>({ method: 'DELETE', path: `/campaigns/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** List screenshot sets, newest first. */
  listScreenshotSets(query: ListScreenshotSetsQuery = {}, options: CallOptions = {}): Promise<Answer<Page<ListedScreenshotSet>>> {
    return this.call<Answer<Page<ListedScreenshotSet>>>({ method: 'GET', path: `/screenshot_sets`, query, repeatable: true }, options);
  }

  /** List screenshot sets, newest first. Reads all pages from `query.page` on, one after the other. */
  iterateScreenshotSets(query: ListScreenshotSetsQuery = {}, options: CallOptions = {}): AsyncGenerator<ListedScreenshotSet, void> {
    return this.iterate((page) => this.listScreenshotSets({ ...query, page }, options), query.page);
  }

  /** Read one screenshot set. */
  getScreenshotSet(id: string, options: CallOptions = {}): Promise<Answer<ScreenshotSet>> {
    return this.call<Answer<ScreenshotSet>>({ method: 'GET', path: `/screenshot_sets/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Change a set. */
  updateScreenshotSet(id: string, body: ScreenshotSetChange, options: CallOptions = {}): Promise<Answer<ScreenshotSet>> {
    return this.call<Answer<ScreenshotSet>>({ method: 'PATCH', path: `/screenshot_sets/${encodeURIComponent(id)}`, body, repeatable: true }, options);
  }

  /** Delete a set. */
  deleteScreenshotSet(id: string, options: CallOptions = {}): Promise<void> {
    return this.call<void>({ method: 'DELETE', path: `/screenshot_sets/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** List the screenshots of a set. */
  listScreenshotsOfSet(id: string, query: ListScreenshotsOfSetQuery = {}, options: CallOptions = {}): Promise<Answer<Page<Screenshot>>> {
    return this.call<Answer<Page<Screenshot>>>({ method: 'GET', path: `/screenshot_sets/${encodeURIComponent(id)}/screenshots`, query, repeatable: true }, options);
  }

  /** List the screenshots of a set. Reads all pages from `query.page` on, one after the other. */
  iterateScreenshotsOfSet(id: string, query: ListScreenshotsOfSetQuery = {}, options: CallOptions = {}): AsyncGenerator<Screenshot, void> {
    return this.iterate((page) => this.listScreenshotsOfSet(id, { ...query, page }, options), query.page);
  }

  /** Approve a set. */
  approveScreenshotSet(id: string, body: Review = {}, options: CallOptions = {}): Promise<Answer<ScreenshotSet>> {
    return this.call<Answer<ScreenshotSet>>({ method: 'POST', path: `/screenshot_sets/${encodeURIComponent(id)}/approve`, body, repeatable: false }, options);
  }

  /** Reject a set. */
  rejectScreenshotSet(id: string, body: Review = {}, options: CallOptions = {}): Promise<Answer<ScreenshotSet>> {
    return this.call<Answer<ScreenshotSet>>({ method: 'POST', path: `/screenshot_sets/${encodeURIComponent(id)}/reject`, body, repeatable: false }, options);
  }

  /** Cancel a set. */
  cancelScreenshotSet(id: string, body: Review = {}, options: CallOptions = {}): Promise<Answer<ScreenshotSet>> {
    return this.call<Answer<ScreenshotSet>>({ method: 'POST', path: `/screenshot_sets/${encodeURIComponent(id)}/cancel`, body, repeatable: false }, options);
  }

  /** Take a screenshot again. */
  retakeScreenshot(id: string, body: RetakeScreenshot = {}, options: CallOptions = {}): Promise<Answer<ScreenshotSet>> {
    return this.call<Answer<ScreenshotSet>>({ method: 'POST', path: `/screenshots/${encodeURIComponent(id)}/retake`, body, repeatable: true }, options);
  }

  /** Take screenshots of a set again. */
  retakeScreenshotSet(id: string, body: RetakeSet = {}, options: CallOptions = {}): Promise<Answer<ScreenshotSet>> {
    return this.call<Answer<ScreenshotSet>>({ method: 'POST', path: `/screenshot_sets/${encodeURIComponent(id)}/retake`, body, repeatable: true }, options);
  }

  /** Duplicate a set. */
  duplicateScreenshotSet(id: string, body: RetakeScreenshot = {}, options: CallOptions = {}): Promise<Answer<ScreenshotSet>> {
    return this.call<Answer<ScreenshotSet>>({ method: 'POST', path: `/screenshot_sets/${encodeURIComponent(id)}/duplicate`, body, repeatable: true }, options);
  }

  /** List the share links of a set, newest first. */
  listShares(id: string, query: ListSharesQuery = {}, options: CallOptions = {}): Promise<Answer<Page<Share>>> {
    return this.call<Answer<Page<Share>>>({ method: 'GET', path: `/screenshot_sets/${encodeURIComponent(id)}/shares`, query, repeatable: true }, options);
  }

  /** List the share links of a set, newest first. Reads all pages from `query.page` on, one after the other. */
  iterateShares(id: string, query: ListSharesQuery = {}, options: CallOptions = {}): AsyncGenerator<Share, void> {
    return this.iterate((page) => this.listShares(id, { ...query, page }, options), query.page);
  }

  /** Create a share link. */
  createShare(id: string, body: NewShare = {}, options: CallOptions = {}): Promise<Answer<Share>> {
    return this.call<Answer<Share>>({ method: 'POST', path: `/screenshot_sets/${encodeURIComponent(id)}/shares`, body, repeatable: false }, options);
  }

  /** Revoke a share link. */
  revokeShare(id: string, shareId: string, options: CallOptions = {}): Promise<Answer<Share>> {
    return this.call<Answer<Share>>({ method: 'DELETE', path: `/screenshot_sets/${encodeURIComponent(id)}/shares/${encodeURIComponent(shareId)}`, repeatable: true }, options);
  }

  /** List the screenshots of approved sets. */
  listScreenshots(query: ListScreenshotsQuery = {}, options: CallOptions = {}): Promise<Answer<Page<ApprovedScreenshot>>> {
    return this.call<Answer<Page<ApprovedScreenshot>>>({ method: 'GET', path: `/screenshots`, query, repeatable: true }, options);
  }

  /** List the screenshots of approved sets. Reads all pages from `query.page` on, one after the other. */
  iterateScreenshots(query: ListScreenshotsQuery = {}, options: CallOptions = {}): AsyncGenerator<ApprovedScreenshot, void> {
    return this.iterate((page) => this.listScreenshots({ ...query, page }, options), query.page);
  }

  /** Read one screenshot. */
  getScreenshot(id: string, options: CallOptions = {}): Promise<Answer<ScreenshotDetail>> {
    return this.call<Answer<ScreenshotDetail>>({ method: 'GET', path: `/screenshots/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Review one screenshot. */
  reviewScreenshot(id: string, body: ScreenshotReview, options: CallOptions = {}): Promise<Answer<Screenshot>> {
    return this.call<Answer<Screenshot>>({ method: 'POST', path: `/screenshots/${encodeURIComponent(id)}/review`, body, repeatable: false }, options);
  }

  /** Read the settings. */
  getSettings(options: CallOptions = {}): Promise<Answer<Settings>> {
    return this.call<Answer<Settings>>({ method: 'GET', path: `/settings`, repeatable: true }, options);
  }

  /** Change settings. */
  updateSettings(body: SettingsChange, options: CallOptions = {}): Promise<Answer<Settings>> {
    return this.call<Answer<Settings>>({ method: 'PATCH', path: `/settings`, body, repeatable: true }, options);
  }

  /** Read the use of each day, and the limits of the organization. */
  getUsage(query: GetUsageQuery = {}, options: CallOptions = {}): Promise<Answer<Usage>> {
    return this.call<Answer<Usage>>({ method: 'GET', path: `/usage`, query, repeatable: true }, options);
  }

  /** List deliveries, newest first. */
  listDeliveries(query: ListDeliveriesQuery = {}, options: CallOptions = {}): Promise<Answer<Page<Delivery>>> {
    return this.call<Answer<Page<Delivery>>>({ method: 'GET', path: `/deliveries`, query, repeatable: true }, options);
  }

  /** List deliveries, newest first. Reads all pages from `query.page` on, one after the other. */
  iterateDeliveries(query: ListDeliveriesQuery = {}, options: CallOptions = {}): AsyncGenerator<Delivery, void> {
    return this.iterate((page) => this.listDeliveries({ ...query, page }, options), query.page);
  }

  /** Send a delivery again. */
  replayDelivery(id: string, options: CallOptions = {}): Promise<Answer<Delivery>> {
    return this.call<Answer<Delivery>>({ method: 'POST', path: `/deliveries/${encodeURIComponent(id)}/replay`, repeatable: true }, options);
  }

  /** List events, newest first. */
  listEvents(query: ListEventsQuery = {}, options: CallOptions = {}): Promise<Answer<Page<Event>>> {
    return this.call<Answer<Page<Event>>>({ method: 'GET', path: `/events`, query, repeatable: true }, options);
  }

  /** List events, newest first. Reads all pages from `query.page` on, one after the other. */
  iterateEvents(query: ListEventsQuery = {}, options: CallOptions = {}): AsyncGenerator<Event, void> {
    return this.iterate((page) => this.listEvents({ ...query, page }, options), query.page);
  }

  /** Read one event. */
  getEvent(id: string, options: CallOptions = {}): Promise<Answer<EventDetail>> {
    return this.call<Answer<EventDetail>>({ method: 'GET', path: `/events/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Send events again. */
  replayEvents(body: EventsReplay, options: CallOptions = {}): Promise<Answer<Replay>> {
    return this.call<Answer<Replay>>({ method: 'POST', path: `/events/replay`, body, repeatable: true }, options);
  }

  /** Export a set. */
  createExport(id: string, body: ExportRequest, options: CallOptions = {}): Promise<Answer<Export>> {
    return this.call<Answer<Export>>({ method: 'POST', path: `/screenshot_sets/${encodeURIComponent(id)}/exports`, body, repeatable: true }, options);
  }

  /** List the exports of a set, newest first. */
  listExports(id: string, query: ListExportsQuery = {}, options: CallOptions = {}): Promise<Answer<Page<Export>>> {
    return this.call<Answer<Page<Export>>>({ method: 'GET', path: `/screenshot_sets/${encodeURIComponent(id)}/exports`, query, repeatable: true }, options);
  }

  /** List the exports of a set, newest first. Reads all pages from `query.page` on, one after the other. */
  iterateExports(id: string, query: ListExportsQuery = {}, options: CallOptions = {}): AsyncGenerator<Export, void> {
    return this.iterate((page) => this.listExports(id, { ...query, page }, options), query.page);
  }

  /** Read one export. */
  getExport(id: string, options: CallOptions = {}): Promise<Answer<Export>> {
    return this.call<Answer<Export>>({ method: 'GET', path: `/exports/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Read the branding. */
  getBranding(options: CallOptions = {}): Promise<Answer<Branding>> {
    return this.call<Answer<Branding>>({ method: 'GET', path: `/branding`, repeatable: true }, options);
  }

  /** Replace the branding. */
  replaceBranding(body: BrandingRequest, options: CallOptions = {}): Promise<Answer<Branding>> {
    return this.call<Answer<Branding>>({ method: 'PUT', path: `/branding`, body, repeatable: true }, options);
  }

  /** Replace the logo. */
  replaceLogo(body: FileContent, options: CallOptions = {}): Promise<Answer<Branding>> {
    return this.call<Answer<Branding>>({ method: 'PUT', path: `/branding/logo`, body, repeatable: true }, options);
  }

  /** Remove the logo. */
  deleteLogo(options: CallOptions = {}): Promise<Answer<Branding>> {
    return this.call<Answer<Branding>>({ method: 'DELETE', path: `/branding/logo`, repeatable: true }, options);
  }

  /** Read one delivery. */
  getDelivery(id: string, options: CallOptions = {}): Promise<Answer<DeliveryDetail>> {
    return this.call<Answer<DeliveryDetail>>({ method: 'GET', path: `/deliveries/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** List the API keys, active ones first. */
  listKeys(query: ListKeysQuery = {}, options: CallOptions = {}): Promise<Answer<Page<ApiKey>>> {
    return this.call<Answer<Page<ApiKey>>>({ method: 'GET', path: `/keys`, query, repeatable: true }, options);
  }

  /** List the API keys, active ones first. Reads all pages from `query.page` on, one after the other. */
  iterateKeys(query: ListKeysQuery = {}, options: CallOptions = {}): AsyncGenerator<ApiKey, void> {
    return this.iterate((page) => this.listKeys({ ...query, page }, options), query.page);
  }

  /** Create an API key. */
  createKey(body: NewApiKey, options: CallOptions = {}): Promise<Answer<CreatedApiKey>> {
    return this.call<Answer<CreatedApiKey>>({ method: 'POST', path: `/keys`, body, repeatable: false }, options);
  }

  /** Revoke an API key. */
  revokeKey(keyId: string, options: CallOptions = {}): Promise<Answer<ApiKey>> {
    return this.call<Answer<ApiKey>>({ method: 'DELETE', path: `/keys/${encodeURIComponent(keyId)}`, repeatable: true }, options);
  }

  /** Read the age of the webhook secret. */
  getWebhookSecret(options: CallOptions = {}): Promise<Answer<WebhookSecret>> {
    return this.call<Answer<WebhookSecret>>({ method: 'GET', path: `/webhook_secret`, repeatable: true }, options);
  }

  /** Replace the webhook secret. */
  rotateWebhookSecret(body: SecretRotation = {}, options: CallOptions = {}): Promise<Answer<NewWebhookSecret>> {
    return this.call<Answer<NewWebhookSecret>>({ method: 'POST', path: `/webhook_secret/rotate`, body, repeatable: false }, options);
  }

  /** Send a test event. */
  sendTestEvent(body: WebhookTest, options: CallOptions = {}): Promise<Answer<Delivery>> {
    return this.call<Answer<Delivery>>({ method: 'POST', path: `/webhook_tests`, body, repeatable: false }, options);
  }

  /** List webhook endpoints, oldest first. */
  listWebhookEndpoints(query: ListWebhookEndpointsQuery = {}, options: CallOptions = {}): Promise<Answer<Page<WebhookEndpoint>>> {
    return this.call<Answer<Page<WebhookEndpoint>>>({ method: 'GET', path: `/webhook_endpoints`, query, repeatable: true }, options);
  }

  /** List webhook endpoints, oldest first. Reads all pages from `query.page` on, one after the other. */
  iterateWebhookEndpoints(query: ListWebhookEndpointsQuery = {}, options: CallOptions = {}): AsyncGenerator<WebhookEndpoint, void> {
    return this.iterate((page) => this.listWebhookEndpoints({ ...query, page }, options), query.page);
  }

  /** Create a webhook endpoint. */
  createWebhookEndpoint(body: NewWebhookEndpoint, options: CallOptions = {}): Promise<Answer<WebhookEndpointWithSecret>> {
    return this.call<Answer<WebhookEndpointWithSecret>>({ method: 'POST', path: `/webhook_endpoints`, body, repeatable: false }, options);
  }

  /** Read one webhook endpoint. */
  getWebhookEndpoint(id: string, options: CallOptions = {}): Promise<Answer<WebhookEndpoint>> {
    return this.call<Answer<WebhookEndpoint>>({ method: 'GET', path: `/webhook_endpoints/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Change a webhook endpoint. */
  updateWebhookEndpoint(id: string, body: WebhookEndpointChange, options: CallOptions = {}): Promise<Answer<WebhookEndpoint>> {
    return this.call<Answer<WebhookEndpoint>>({ method: 'PATCH', path: `/webhook_endpoints/${encodeURIComponent(id)}`, body, repeatable: true }, options);
  }

  /** Delete a webhook endpoint. */
  deleteWebhookEndpoint(id: string, options: CallOptions = {}): Promise<void> {
    return this.call<void>({ method: 'DELETE', path: `/webhook_endpoints/${encodeURIComponent(id)}`, repeatable: true }, options);
  }

  /** Replace the secret of a webhook endpoint. */
  rotateWebhookEndpointSecret(id: string, body: SecretRotation = {}, options: CallOptions = {}): Promise<Answer<WebhookEndpointWithSecret>> {
    return this.call<Answer<WebhookEndpointWithSecret>>({ method: 'POST', path: `/webhook_endpoints/${encodeURIComponent(id)}/rotate`, body, repeatable: false }, options);
  }

  /** Send a test event to a webhook endpoint. */
  testWebhookEndpoint(id: string, options: CallOptions = {}): Promise<Answer<Delivery>> {
    return this.call<Answer<Delivery>>({ method: 'POST', path: `/webhook_endpoints/${encodeURIComponent(id)}/test`, repeatable: false }, options);
  }

  /** List the connectors. */
  listConnectors(query: ListConnectorsQuery = {}, options: CallOptions = {}): Promise<Answer<{
  data: Array<Connector>;
  page: number;
  per_page: number;
  /** Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows. */
  total: number;
}>> {
    return this.call<Answer<{
  data: Array<Connector>;
  page: number;
  per_page: number;
  /** Objects of the list, exact up to 1,000. A longer list has at least as many, and more than the objects up to this page if another page follows. */
  total: number;
}>>({ method: 'GET', path: `/connectors`, query, repeatable: true }, options);
  }

  /** Read a connector. */
  getConnector(name: string, options: CallOptions = {}): Promise<Answer<Connector>> {
    return this.call<Answer<Connector>>({ method: 'GET', path: `/connectors/${encodeURIComponent(name)}`, repeatable: true }, options);
  }

  /** Set a connector. */
  replaceConnector(name: string, body: S3Connector, options: CallOptions = {}): Promise<Answer<Connector>> {
    return this.call<Answer<Connector>>({ method: 'PUT', path: `/connectors/${encodeURIComponent(name)}`, body, repeatable: true }, options);
  }

  /** Remove a connector. */
  deleteConnector(name: string, options: CallOptions = {}): Promise<void> {
    return this.call<void>({ method: 'DELETE', path: `/connectors/${encodeURIComponent(name)}`, repeatable: true }, options);
  }

  /** Check a connector. */
  checkConnector(name: string, body: ConnectorCheckRequest, options: CallOptions = {}): Promise<Answer<Connector>> {
    return this.call<Answer<Connector>>({ method: 'POST', path: `/connectors/${encodeURIComponent(name)}/check`, body, repeatable: false }, options);
  }

  /** List administrative actions, newest first. */
  listAuditLog(query: ListAuditLogQuery = {}, options: CallOptions = {}): Promise<Answer<Page<AuditLogEntry>>> {
    return this.call<Answer<Page<AuditLogEntry>>>({ method: 'GET', path: `/audit_log`, query, repeatable: true }, options);
  }

  /** List administrative actions, newest first. Reads all pages from `query.page` on, one after the other. */
  iterateAuditLog(query: ListAuditLogQuery = {}, options: CallOptions = {}): AsyncGenerator<AuditLogEntry, void> {
    return this.iterate((page) => this.listAuditLog({ ...query, page }, options), query.page);
  }
}
