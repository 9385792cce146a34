/** Changes of ads, sets and campaigns by clients. Each is one transaction with its entry in the audit log. */

import { sql } from 'kysely';
import type { z } from 'zod';
import type { AdChange, SetChange } from '../../contract/changes.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { type Actor, changesBetween, type FieldChange } from '../../domain/auditLog.ts';
import { campaignName, DRAFT_CAMPAIGN } from '../../domain/campaigns.ts';
import { conflict, gone, invalid, unknownId } from '../../domain/failure.ts';
import {
  changedKeys,
  changedMetadata,
  type Metadata,
  type MetadataChange,
  metadataFaults,
} from '../../domain/metadata.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { wasRemoved } from '../journal/tombstones.ts';
import { lockCampaign, readCampaignLogo } from './campaigns.ts';
import { lockSet } from './setStatus.ts';

/** @throws Failure: 404 or 410 if there is no such ad, 422 if its metadata would exceed a limit. */
export async function changeAd(
  tx: Queryable,
  ref: ObjectRef,
  { change, actor }: { readonly change: z.output<typeof AdChange>; readonly actor: Actor },
): Promise<void> {
  // The lock keeps others from using or changing the ad before the transaction ends.
  const locked = await tx
    .selectFrom('ads')
    .select(['name', 'metadata'])
    .where('id', '=', ref.id)
    .where('organization_id', '=', ref.organizationId)
    .forUpdate()
    .executeTakeFirst();
  const before = locked ?? (await rejectMissing(tx, ref));
  const after = { name: change.name ?? before.name, metadata: metadataAfter(before.metadata, change.metadata) };
  const changes = [...changesBetween({ name: before.name }, { name: after.name }), ...metadataChanges(before, after)];
  if (changes.length === 0) return;
  await tx
    .updateTable('ads')
    .set({ name: after.name, metadata: JSON.stringify(after.metadata) })
    .where('id', '=', ref.id)
    .execute();
  if (after.name !== before.name) await markWordsStale(tx, { adId: ref.id });
  await recordAction(tx, actor, { action: 'ad.updated', of: ref, changes });
}

/** @throws Failure as {@link changeAd}. */
export async function changeSet(
  tx: Queryable,
  ref: ObjectRef,
  { change, actor }: { readonly change: z.output<typeof SetChange>; readonly actor: Actor },
): Promise<void> {
  const { organizationId, id } = ref;
  const before = (await lockSet(tx, { organizationId, setId: id })) ?? (await rejectMissing(tx, ref));
  const { name: nameBefore, instructions: instructionsBefore } = before;
  const name = change.name === undefined ? nameBefore : (change.name?.trim() ?? null);
  const instructions = change.instructions === undefined ? instructionsBefore : change.instructions;
  const after = { name, instructions, metadata: metadataAfter(before.metadata, change.metadata) };
  const changes = [
    ...changesBetween({ name: nameBefore, instructions: instructionsBefore }, { name, instructions }),
    ...metadataChanges(before, after),
  ];
  if (changes.length === 0) return;
  await tx
    .updateTable('screenshot_sets')
    .set({ name, instructions, metadata: JSON.stringify(after.metadata) })
    .where('id', '=', id)
    .execute();
  await recordAction(tx, actor, { action: 'screenshot_set.updated', of: ref, changes });
  await notify(tx, { set: id });
}

/** @throws Failure: 404 or 410 if there is no such campaign, 409 if the name is taken or belongs to the page of new requests. */
export async function renameCampaign(
  tx: Queryable,
  ref: ObjectRef,
  { name: sent, actor }: { readonly name: string; readonly actor: Actor },
): Promise<void> {
  const before = (await lockCampaign(tx, ref)) ?? (await rejectMissing(tx, ref));
  const name = campaignName(sent);
  if (name === before) return;
  if (name === DRAFT_CAMPAIGN || before === DRAFT_CAMPAIGN)
    throw conflict('name', `must not be changed to or from "${DRAFT_CAMPAIGN}", which the page of a new request uses.`);
  const others = tx.selectFrom('campaigns').select('id').where('organization_id', '=', ref.organizationId);
  if ((await others.where('name', '=', name).executeTakeFirst()) !== undefined)
    throw conflict('name', 'is the name of another campaign.');
  await tx.updateTable('campaigns').set({ name }).where('id', '=', ref.id).execute();
  await markWordsStale(tx, { campaignId: ref.id });
  await recordAction(tx, actor, { action: 'campaign.updated', of: ref, from: { name: before }, to: { name } });
}

/** @param token of the picture; null removes the logo. @throws Failure (404, 410) if there is no such campaign. */
export async function changeCampaignLogo(
  tx: Queryable,
  ref: ObjectRef,
  { token, actor }: { readonly token: string | null; readonly actor: Actor },
): Promise<void> {
  const before = (await readCampaignLogo(tx, ref)) ?? (await rejectMissing(tx, ref));
  if (token === null && before.logo === null) return;
  await tx.updateTable('campaigns').set({ logo_token: token }).where('id', '=', ref.id).execute();
  const action = token === null ? 'campaign.logo_removed' : 'campaign.logo_replaced';
  await recordAction(tx, actor, { action, of: ref });
}

async function rejectMissing(tx: Queryable, ref: ObjectRef): Promise<never> {
  if (await wasRemoved(tx, ref)) throw gone('id', 'This object was deleted.');
  throw unknownId();
}

/** @throws Failure (422) if the pairs exceed a limit after the change. */
function metadataAfter(before: Metadata, change: MetadataChange | null | undefined): Metadata {
  if (change === undefined) return before;
  const after = changedMetadata(before, change);
  const faults = metadataFaults(after).map(({ key, message }): [string, string[]] => [
    key === undefined ? 'metadata' : `metadata.${key}`,
    [message],
  ]);
  if (faults.length > 0) throw invalid(Object.fromEntries(faults));
  return after;
}

/** The log shows the keys, not the values, which may be of any kind. */
function metadataChanges(before: { metadata: Metadata }, after: { metadata: Metadata }): FieldChange[] {
  return changesBetween({}, { metadata: changedKeys(before.metadata, after.metadata).join(', ') });
}

/** Sets are found by the old name until {@link refreshWords} has written the words again, which takes long for large sets. */
async function markWordsStale(tx: Queryable, renamed: { readonly adId: string } | { readonly campaignId: string }) {
  const sets =
    'adId' in renamed
      ? sql`select set_id from screenshots where ad_id = ${renamed.adId}`
      : sql`select id from screenshot_sets where campaign_id = ${renamed.campaignId}`;
  await sql`update set_search set stale = true where set_id in (${sets})`.execute(tx);
}

/** Writes the words of some sets again. The second statement sees each name that was stored before the lock. @returns how many. */
export function refreshWords(db: Database, most: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ set_id: string }>`
      select set_id from set_search where stale limit ${most} for update skip locked`.execute(tx);
    const ids = rows.map(({ set_id }) => set_id);
    if (ids.length > 0)
      await sql`update set_search set words = words_of_set(set_id), stale = false where set_id = any(${ids}::uuid[])`.execute(
        tx,
      );
    return ids.length;
  });
}
