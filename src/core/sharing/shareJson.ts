/** Makes the JSON of share links. */
import { recordOf } from '../../contract/recordOf.ts';
import { keyReference, userReference } from '../../contract/records.ts';
import { ShareRecord } from '../../contract/sharing.ts';
import { shareState } from '../../domain/shareLinks.ts';
import { ownerFields, ownerOf } from '../sets/shownVersions.ts';
import type { ShareLinkRow } from './shareLinks.ts';

/** @param url the address of the link, which is a secret. */
export function shareRecord(row: ShareLinkRow, url: string): ShareRecord {
  return recordOf(ShareRecord, row, {
    ...ownerFields(ownerOf(row)),
    url,
    has_password: row.password_hash !== null,
    status: shareState(row, new Date()),
    created_by: keyReference(row.created_by, row.creator),
    created_by_user: userReference(row.created_by_user, row.user_name),
  });
}
