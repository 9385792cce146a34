/** Makes the JSON of exports and branding. */
import type { BrandingRecord, ExportRecord } from '../../contract/exports.ts';
import { exportUrl, imageUrl } from '../../domain/addresses.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { BrandingRow } from '../organizations/branding.ts';
import type { ExportRow } from './exportQueries.ts';

export function exportRecord(row: ExportRow, publicUrl: string): ExportRecord {
  const { format, frame, label = true, page_size, pictures, time_zone, failures, part } = row.options;
  const isReady = row.status === 'ready';
  return {
    type: 'export',
    id: row.id,
    screenshot_set_id: row.set_id,
    status: row.status,
    format,
    options: { frame, label, page_size, pictures, time_zone, failures, part },
    parts: row.parts,
    progress: { done: row.done, total: row.total },
    file_name: row.file_name,
    url: isReady ? exportUrl(publicUrl, row) : null,
    bytes: row.bytes === null ? null : Number(row.bytes),
    sha256: row.sha256,
    created_at: timestamp(row.created_at),
    finished_at: maybeTimestamp(row.finished_at),
    expires_at: maybeTimestamp(row.expires_at),
    ...(row.reason !== null && { reason: row.reason }),
  };
}

export function brandingRecord({ logo, ...branding }: BrandingRow, publicUrl: string): BrandingRecord {
  const { brand_name, accent_color, footer_text, page_size } = branding;
  return {
    type: 'branding',
    ...{ brand_name, accent_color, footer_text, page_size },
    logo: logo && { url: imageUrl(publicUrl, logo.token), width: logo.width, height: logo.height },
  };
}
