/** Marks campaigns as removed, and finds the marked ones for the removal job. */
import { sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { isOf, STEP_SECONDS } from './removedSets.ts';

export interface CampaignRef {
  readonly id: string;
  readonly organizationId: string;
}

/** While its sets and ads go, and for their last rows. */
const LOOK_AGAIN_SECONDS = 600;

/** Keeps requests from using the campaign until the transaction ends. @returns its name; undefined if there is none. */
export async function lockCampaign(tx: Queryable, { id, organizationId }: CampaignRef): Promise<string | undefined> {
  const row = await tx
    .selectFrom('campaigns')
    .select('name')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row?.name;
}

/** @returns whether a set of the campaign waits or is being captured. */
export async function isCaptured(tx: Queryable, campaignId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('screenshot_sets')
    .select('id')
    .where('campaign_id', '=', campaignId)
    .where(sql<boolean>`status in ('draft', 'capturing')`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Hides the campaign. Its name is free at once. */
export async function markCampaignRemoved(tx: Queryable, { id, organizationId }: CampaignRef): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({ removed_at: sql<Date>`now()`, name: `removed ${id}` })
    .where('id', '=', id)
    .execute();
  await sql`insert into tombstones (id, organization_id) values (${id}, ${organizationId}) on conflict do nothing`.execute(
    tx,
  );
}

/** Takes a removed campaign for one step, so that no other process does the same. @returns its id. */
export async function claimRemovedCampaign(db: Queryable, organizationId?: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    update campaigns set removing_until = now() + make_interval(secs => ${STEP_SECONDS})
    where id = (
      select id from campaigns where removed_at is not null and ${isOf(organizationId)} and (removing_until is null or removing_until < now())
      order by removed_at limit 1 for no key update skip locked)
    returning id`.execute(db);
  return rows[0]?.id;
}

/** @param isWaiting nothing can be done until the steps of its sets and ads are done. */
export async function releaseRemovedCampaign(db: Queryable, id: string, isWaiting: boolean): Promise<void> {
  const next = isWaiting ? sql<Date>`now() + make_interval(secs => ${LOOK_AGAIN_SECONDS})` : null;
  await db.updateTable('campaigns').set({ removing_until: next }).where('id', '=', id).execute();
}

/** @returns false while rows of sets or ads name the campaign. */
export async function deleteCampaign(db: Queryable, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from campaigns c where id = ${id}
      and not exists (select from screenshot_sets where campaign_id = c.id)
      and not exists (select from ads where campaign_id = c.id)`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}
