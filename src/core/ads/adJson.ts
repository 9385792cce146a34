/** Makes the JSON of ads for the API and for events. */
import { recordOf } from '../../contract/recordOf.ts';
import { AdRecord, AdSummary } from '../../contract/records.ts';
import type { AdRow } from '../../db/rows.ts';
import { adPage, imageUrl, type OrganizationLinks } from '../../domain/addresses.ts';
import { isFailure } from '../../domain/states.ts';

/** The response of create-ad. */
export function adSummary(
  row: Omit<AdRow, 'reason' | 'width' | 'height' | 'preview_token' | 'warnings'>,
  place: OrganizationLinks,
): AdSummary {
  return recordOf(AdSummary, row, { html_url: adPage(place, row.id) });
}

/** The response of reading an ad, and `data.object` of its events. */
export function adRecord(row: AdRow, place: OrganizationLinks): AdRecord {
  const preview = row.preview_token === null ? null : imageUrl(place.publicUrl, row.preview_token);
  return recordOf(AdRecord, row, {
    html_url: adPage(place, row.id),
    preview_image_url: preview,
    ...adSize(row),
    ...(isFailure(row.status) && row.reason !== null ? { reason: row.reason } : {}),
  });
}

/** Null while the size may still become known; absent when it will stay unknown. */
function adSize({ status, width, height }: AdRow): { width?: number | null; height?: number | null } {
  return (width === null || height === null) && status !== 'pending' ? {} : { width, height };
}
