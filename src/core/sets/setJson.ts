/** Makes the JSON of ads, screenshots, sets and list items for the API and for events. */
import {
  type AdRecord,
  type AdSummary,
  type ApprovedScreenshot,
  type CampaignRecord,
  type DeliveryDetailRecord,
  type DeliveryRecord,
  deviceRecord,
  type KeyReference,
  type ListedSet,
  type ReviewRecord,
  type ScreenshotDetailRecord,
  type ScreenshotRecord,
  type ScreenshotSetRecord,
  type ScreenshotSetSummary,
  type UploadRecord,
  type UserReference,
} from '../../contract/records.ts';
import { type SiteListRecord, type TemplateRecord, templateFields } from '../../contract/savedObjects.ts';
import type { ShareRecord } from '../../contract/sharing.ts';
import type { AdRow, Row, ScreenshotRow, SetRow } from '../../db/rows.ts';
import { adPage, imageUrl, type OrganizationLinks, setPage } from '../../domain/addresses.ts';
import type { StoredAnimation } from '../../domain/animations.ts';
import { reviewNotes, type StatusCounts, totalsOf } from '../../domain/reviewNotes.ts';
import { shareState } from '../../domain/shareLinks.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { SavedRow } from '../requests/savedObjects.ts';
import type { History } from '../reviews/reviewQueries.ts';
import type { ShareLinkRow } from '../sharing/shareLinks.ts';
import type { UploadRow } from '../uploads/uploadQueries.ts';
import type { DeliveryRow } from '../webhooks/listDeliveries.ts';
import type { ListedSet as ListedSetRow } from './listSets.ts';
import type { ApprovedRow } from './readScreenshots.ts';

export type { OrganizationLinks } from '../../domain/addresses.ts';

/** The response of create-ad. */
export function adSummary(
  row: Omit<AdRow, 'reason' | 'width' | 'height' | 'preview_token' | 'warnings'>,
  place: OrganizationLinks,
): AdSummary {
  return {
    type: 'ad',
    id: row.id,
    name: row.name,
    lookup_key: row.lookup_key,
    status: row.status,
    category: row.category,
    kind: row.kind,
    campaign_id: row.campaign_id,
    created_at: timestamp(row.created_at),
    html_url: adPage(place, row.id),
    metadata: row.metadata,
  };
}

/** The response of reading an ad, and `data.object` of its events. */
export function adRecord(row: AdRow, place: OrganizationLinks): AdRecord {
  const preview = row.preview_token === null ? null : imageUrl(place.publicUrl, row.preview_token);
  return {
    ...adSummary(row, place),
    preview_image_url: preview,
    ...adSize(row),
    warnings: row.warnings,
    ...(isFailed(row.status) && row.reason !== null ? { reason: row.reason } : {}),
  };
}

/** Null while the size may still become known; absent when it will stay unknown. */
function adSize({ status, width, height }: AdRow): { width?: number | null; height?: number | null } {
  return (width === null || height === null) && status !== 'pending' ? {} : { width, height };
}

const isFailed = (status: string) => status !== 'pending' && status !== 'uploaded' && status !== 'canceled';

export function screenshotRecord(row: ScreenshotRow & History, place: OrganizationLinks): ScreenshotRecord {
  return {
    id: row.id,
    status: row.status,
    site: { url: row.site_url },
    device: deviceRecord(row.device),
    frame: { marker: row.marker_ms === null ? null : row.marker_ms / 1000 },
    image_url: row.image_token === null ? null : imageUrl(place.publicUrl, row.image_token),
    width: row.image_width,
    height: row.image_height,
    animation: row.animation && animationRecord(row.animation, place),
    captured_at: maybeTimestamp(row.captured_at),
    warnings: row.warnings,
    ad: adSummary(row.ad, place),
    ...historyFields(row),
    ...(isFailed(row.status) && row.reason !== null ? { reason: row.reason } : {}),
  };
}

function animationRecord({ seconds, fps, webp, gif }: StoredAnimation, { publicUrl }: OrganizationLinks) {
  const urls = { webp_url: imageUrl(publicUrl, webp.token, 'webp'), gif_url: imageUrl(publicUrl, gif.token, 'gif') };
  return { ...urls, seconds, fps, bytes: { webp: webp.bytes, gif: gif.bytes } };
}

/** The response of reading one screenshot. */
export function screenshotDetailRecord(
  row: ScreenshotRow & History & { readonly set_id: string; readonly approved_at: Date | null },
  place: OrganizationLinks,
): ScreenshotDetailRecord {
  return {
    type: 'screenshot',
    ...screenshotRecord(row, place),
    screenshot_set_id: row.set_id,
    approved_at: maybeTimestamp(row.approved_at),
  };
}

function historyFields({ retake_of, retaken_by, review }: History) {
  return { retake_of, retaken_by, review: reviewRecord(review) };
}

function reviewRecord(review: History['review']): ReviewRecord | null {
  if (review === null) return null;
  const { decision, comment, key_id, key_name, user_id, user_name, created_at } = review;
  const by = { by: keyReference(key_id, key_name), by_user: userReference(user_id, user_name) };
  return { decision, comment, ...by, at: timestamp(created_at) };
}

export function keyReference(id: string | null, name: string | null): KeyReference | null {
  return id === null ? null : { key_id: id, name: name ?? '' };
}

export function userReference(id: string | null, name: string | null): UserReference | null {
  return id === null ? null : { user_id: id, name: name ?? '' };
}

/** The response of a screenshot request. */
export function screenshotSetSummary(
  row: Pick<SetRow, 'id' | 'campaign_id' | 'status' | 'metadata' | 'created_at' | 'priority'>,
  place: OrganizationLinks,
): ScreenshotSetSummary {
  return {
    type: 'screenshot_set',
    id: row.id,
    status: row.status,
    campaign_id: row.campaign_id,
    created_at: timestamp(row.created_at),
    html_url: setPage(place, row.id),
    metadata: row.metadata,
    priority: row.priority,
  };
}

/** The response of reading a set, and `data.object` of its events, before the screenshots. @param counts of their statuses. */
export function screenshotSetRecord(
  row: SetRow & History,
  counts: StatusCounts,
  place: OrganizationLinks,
): Omit<ScreenshotSetRecord, 'screenshots'> {
  return {
    ...screenshotSetSummary(row, place),
    name: row.name,
    schedule_id: row.schedule_id,
    instructions: row.instructions,
    review_notes: reviewNotes(row, counts),
    ...historyFields(row),
  };
}

/** Makes the JSON of list items. */
export function campaignRecord({ id, name, created_at }: Row<'campaigns'>): CampaignRecord {
  return { type: 'campaign', id, name, created_at: timestamp(created_at) };
}

export function listedSetRecord(row: ListedSetRow & History, place: OrganizationLinks): ListedSet {
  return {
    ...screenshotSetSummary(row, place),
    name: row.name,
    schedule_id: row.schedule_id,
    instructions: row.instructions,
    review_notes: reviewNotes(row, row.counts),
    ...historyFields(row),
    counts: totalsOf(row.counts),
  };
}

export function approvedScreenshotRecord(row: ApprovedRow, place: OrganizationLinks): ApprovedScreenshot {
  const { ad, ...record } = screenshotRecord(row, place);
  const { kind, content } = row.ad;
  return {
    type: 'screenshot',
    ...record,
    ad: content === undefined ? ad : { ...ad, creative: { type: kind, content } },
    screenshot_set_id: row.set_id,
    approved_at: timestamp(row.approved_at),
  };
}

/** @param url the address of the link, which is a secret. */
export function shareRecord(row: ShareLinkRow, url: string): ShareRecord {
  return {
    type: 'share',
    id: row.id,
    screenshot_set_id: row.set_id,
    url,
    label: row.label,
    downloads: row.downloads,
    answers: row.answers,
    has_password: row.password_hash !== null,
    pictures: row.pictures,
    status: shareState(row, new Date()),
    created_at: timestamp(row.created_at),
    created_by: keyReference(row.created_by, row.creator),
    created_by_user: userReference(row.created_by_user, row.user_name),
    expires_at: timestamp(row.expires_at),
    revoked_at: maybeTimestamp(row.revoked_at),
    last_used_at: maybeTimestamp(row.last_used_at),
    uses: row.uses,
  };
}

export function templateRecord(row: SavedRow<'request_templates'>): TemplateRecord {
  return { type: 'template', ...namedFields(row), ...templateFields(row.body) };
}

export function siteListRecord(row: SavedRow<'site_lists'>): SiteListRecord {
  return { type: 'site_list', ...namedFields(row), sites: [...row.body.sites] };
}

function namedFields({ id, name, created_at, updated_at }: SavedRow<'request_templates' | 'site_lists'>) {
  return { id, name, created_at: timestamp(created_at), updated_at: timestamp(updated_at) };
}

export function uploadRecord(row: UploadRow): UploadRecord {
  const { id, name, format, content_type, bytes, sha256, created_at, expires_at } = row;
  return {
    type: 'upload',
    id,
    name,
    format,
    content_type,
    bytes,
    sha256,
    created_at: timestamp(created_at),
    expires_at: maybeTimestamp(expires_at),
  };
}

export function deliveryRecord(row: DeliveryRow): DeliveryRecord {
  return {
    type: 'delivery',
    id: row.id,
    event_id: `evt_${row.event_id}`,
    topic: row.topic,
    channel: row.channel,
    target: row.target,
    webhook_endpoint_id: row.endpoint_id,
    status: row.status,
    reason: row.reason,
    attempts: row.attempts,
    next_attempt_at: maybeTimestamp(row.next_attempt_at),
    created_at: timestamp(row.created_at),
    finished_at: maybeTimestamp(row.finished_at),
    ad_id: row.ad_id,
    screenshot_set_id: row.set_id,
    log: row.log.map(({ attempt, started_at, duration_ms, status_code, outcome, error, response_snippet }) => ({
      attempt,
      started_at: timestamp(started_at),
      duration_ms,
      status_code,
      outcome,
      error,
      response_snippet: response_snippet || null,
    })),
  };
}

/** @param row with the text of its event. */
export function deliveryDetailRecord(row: DeliveryRow & { readonly body: string }): DeliveryDetailRecord {
  const payload: DeliveryDetailRecord['payload'] = JSON.parse(row.body);
  return { ...deliveryRecord(row), payload };
}
