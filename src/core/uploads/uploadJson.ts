/** Makes the JSON of uploads. */
import type { UploadRecord } from '../../contract/records.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { UploadRow } from './uploadQueries.ts';

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
