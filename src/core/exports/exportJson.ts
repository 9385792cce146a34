/** Makes the JSON of exports. */
import { ExportRecord } from '../../contract/exports.ts';
import { recordOf } from '../../contract/recordOf.ts';
import { exportUrl } from '../../domain/addresses.ts';
import { ownerFields, ownerOf } from '../sets/shownVersions.ts';
import type { ExportRow } from './exportQueries.ts';

export function exportRecord(row: ExportRow, publicUrl: string): ExportRecord {
  const { format, frame, label = true, page_size, pictures, time_zone, failures, part } = row.options;
  const isReady = row.status === 'ready';
  return recordOf(ExportRecord, row, {
    ...ownerFields(ownerOf(row)),
    format,
    options: { frame, label, page_size, pictures, time_zone, failures, part },
    progress: { done: row.done, total: row.total },
    url: isReady ? exportUrl(publicUrl, row) : null,
    bytes: row.bytes === null ? null : Number(row.bytes),
    ...(row.reason !== null && { reason: row.reason }),
  });
}
