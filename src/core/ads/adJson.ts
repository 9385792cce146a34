/** Makes the JSON of ads for the API and for events. */
import type { AdRecord, AdSummary } from '../../contract/records.ts';
import type { AdRow } from '../../db/rows.ts';
import { adPage, imageUrl, type OrganizationLinks } from '../../domain/addresses.ts';
import { isFailure } from '../../domain/states.ts';
import { timestamp } from '../../domain/time.ts';

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
    ...(isFailure(row.status) && row.reason !== null ? { reason: row.reason } : {}),
  };
}

/** Null while the size may still become known; absent when it will stay unknown. */
function adSize({ status, width, height }: AdRow): { width?: number | null; height?: number | null } {
  return (width === null || height === null) && status !== 'pending' ? {} : { width, height };
}
