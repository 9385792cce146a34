/** Makes the JSON of ads, screenshots and sets for the API and for events. */
import type {
  AdRecord,
  AdSummary,
  KeyReference,
  ReviewRecord,
  ScreenshotDetailRecord,
  ScreenshotRecord,
  ScreenshotSetRecord,
  ScreenshotSetSummary,
} from '../../contract/records.ts';
import type { AdRow, ScreenshotRow, SetRow } from '../../db/rows.ts';
import { adPage, imageUrl, type OrganizationLinks, setPage } from '../../domain/addresses.ts';
import { countStatuses, reviewNotes } from '../../domain/reviewNotes.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { History } from '../reviews/reviewQueries.ts';

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
    device: { name: row.device },
    frame: { marker: row.marker_ms === null ? null : row.marker_ms / 1000 },
    image_url: row.image_token === null ? null : imageUrl(place.publicUrl, row.image_token),
    width: row.image_width,
    height: row.image_height,
    captured_at: maybeTimestamp(row.captured_at),
    warnings: row.warnings,
    ad: adSummary(row.ad, place),
    ...historyFields(row),
    ...(isFailed(row.status) && row.reason !== null ? { reason: row.reason } : {}),
  };
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

export function historyFields({ retake_of, retaken_by, review }: History) {
  return { retake_of, retaken_by, review: reviewRecord(review) };
}

function reviewRecord(review: History['review']): ReviewRecord | null {
  if (review === null) return null;
  const { decision, comment, key_id, key_name, created_at } = review;
  return { decision, comment, by: keyReference(key_id, key_name), at: timestamp(created_at) };
}

export function keyReference(id: string | null, name: string | null): KeyReference | null {
  return id === null ? null : { key_id: id, name: name ?? '' };
}

/** The response of a screenshot request. */
export function screenshotSetSummary(
  row: Pick<SetRow, 'id' | 'campaign_id' | 'status' | 'metadata' | 'created_at'>,
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
  };
}

/** The response of reading a set, and `data.object` of its events. @param screenshots in the order of the request. */
export function screenshotSetRecord(
  row: SetRow & History,
  screenshots: readonly (ScreenshotRow & History)[],
  place: OrganizationLinks,
): ScreenshotSetRecord {
  return {
    ...screenshotSetSummary(row, place),
    instructions: row.instructions,
    review_notes: reviewNotes(row, countStatuses(screenshots.map(({ status }) => status))),
    ...historyFields(row),
    screenshots: screenshots.map((screenshot) => screenshotRecord(screenshot, place)),
  };
}
