/** Deletes sets, ads and campaigns. Foreign keys and triggers of the schema take what belongs to them, and note their files. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { ObjectRef } from '../../db/rows.ts';

/** A set that nothing captures. */
const IS_IDLE = sql`s.status not in ('draft', 'capturing')
  and not exists (select from screenshot_jobs j where j.set_id = s.id and j.settled_at is null)`;

/** @returns false if the set is being captured. */
export async function deleteSet(tx: Queryable, setId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from screenshot_sets s where s.id = ${setId} and ${IS_IDLE}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Deletes the oldest set of the organization that is older than `days`. @returns false if there is none. */
export async function deleteExpiredSet(
  db: Queryable,
  { organizationId, days }: { readonly organizationId: string; readonly days: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from screenshot_sets where id = (
      select s.id from screenshot_sets s
      where s.organization_id = ${organizationId} and s.created_at < now() - make_interval(days => ${days}) and ${IS_IDLE}
      order by s.created_at limit 1 for update skip locked)`.execute(db);
  return numAffectedRows === 1n;
}

/** Keeps requests from using the ad until the transaction ends. @returns undefined if the organization has no such ad. */
export async function lockAd(
  tx: Queryable,
  { id, organizationId }: ObjectRef,
): Promise<{ isPending: boolean; isShown: boolean } | undefined> {
  const row = await tx
    .selectFrom('ads')
    .select('status')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { isPending: row.status === 'pending', isShown: await adIsShown(tx, id) };
}

/** @returns whether a set shows the ad. */
export async function adIsShown(db: Queryable, id: string): Promise<boolean> {
  const shown = await db.selectFrom('screenshots').select('id').where('ad_id', '=', id).limit(1).executeTakeFirst();
  return shown !== undefined;
}

export async function deleteAd(tx: Queryable, id: string): Promise<void> {
  await tx.deleteFrom('ads').where('id', '=', id).execute();
}

export interface CampaignUse {
  /** A set of the campaign waits, or a set or an ad of it is being captured. */
  readonly isCaptured: boolean;
  /** Counted up to `most`. */
  readonly screenshots: number;
}

export async function readCampaignUse(tx: Queryable, id: string, most: number): Promise<CampaignUse> {
  const { rows } = await sql<CampaignUse>`select
    exists (select from screenshot_sets where campaign_id = ${id} and status in ('draft', 'capturing'))
      or exists (select from screenshot_jobs j join screenshot_sets s on s.id = j.set_id
        where j.settled_at is null and s.campaign_id = ${id})
      or exists (select from ads a join job_creatives c on c.ad_id = a.id join screenshot_jobs j on j.id = c.job_id
        where a.campaign_id = ${id} and a.status = 'pending' and j.settled_at is null) as "isCaptured",
    (select count(*)::integer from (select from screenshots p join screenshot_sets s on s.id = p.set_id
      where s.campaign_id = ${id} limit ${most}) counted) as screenshots`.execute(tx);
  return rows[0] ?? { isCaptured: true, screenshots: 0 };
}

/** Deletes the campaign with its sets and ads. */
export async function deleteCampaign(tx: Queryable, id: string): Promise<void> {
  await tx.deleteFrom('screenshot_sets').where('campaign_id', '=', id).execute();
  await tx.deleteFrom('ads').where('campaign_id', '=', id).execute();
  await tx.deleteFrom('campaigns').where('id', '=', id).execute();
}
