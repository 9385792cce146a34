/** Makes the JSON of share links. */
import type { ShareRecord } from '../../contract/sharing.ts';
import { shareState } from '../../domain/shareLinks.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import { keyReference, userReference } from '../organizations/references.ts';
import type { ShareLinkRow } from './shareLinks.ts';

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
