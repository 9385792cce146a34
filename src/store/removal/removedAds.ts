/** Marks ads as removed, and deletes what belongs to a marked one, a few rows at a time. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import { deleteDeliveriesOf, deleteLoneEventsOf } from './deliveries.ts';
import { isOf, STEP_SECONDS } from './removedSets.ts';
import { pictureOf, type RemovableFrame, type RemovablePicture } from './setContent.ts';

export interface AdRef {
  readonly id: string;
  readonly organizationId: string;
}

/** Keeps requests from using the ad until the transaction ends. @returns undefined if the organization has no such ad. */
export async function lockAd(
  tx: Queryable,
  { id, organizationId }: AdRef,
): Promise<{ isPending: boolean } | undefined> {
  const row = await tx
    .selectFrom('ads')
    .select('status')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row && { isPending: row.status === 'pending' };
}

/** A set that is not removed shows the ad. */
const IS_SHOWN = sql`exists (select from screenshots s join screenshot_sets t on t.id = s.set_id
  where s.ad_id = a.id and t.removed_at is null)`;

export async function isShown(tx: Queryable, adId: string): Promise<boolean> {
  const { rows } = await sql<{ shown: boolean }>`select ${IS_SHOWN} as shown from ads a where a.id = ${adId}`.execute(
    tx,
  );
  return rows[0]?.shown ?? false;
}

/** Hides one ad. Its lookup key is free at once. */
export async function markAdRemoved(tx: Queryable, id: string): Promise<void> {
  await markAds(tx, sql`a.id = ${id}`);
}

/** Hides ads of a campaign that nothing captures and no set shows. @returns how many, at most `most`. */
export async function markAdsOfCampaign(db: Queryable, campaignId: string, most: number): Promise<number> {
  return markAds(
    db,
    sql`a.id = any(array(select a.id from ads a where a.campaign_id = ${campaignId} and a.removed_at is null
      and a.status <> 'pending' and not ${IS_SHOWN} limit ${most} for update skip locked))`,
  );
}

/** Hides the wanted ones of the ads `a`. @returns how many. */
export async function markAds(db: Queryable, isWanted: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with marked as (
      update ads a set removed_at = now(), lookup_key = null where a.removed_at is null and ${isWanted}
      returning a.id, a.organization_id),
    buried as (
      insert into tombstones (id, organization_id) select id, organization_id from marked on conflict do nothing)
    select count(*)::integer as count from marked`.execute(db);
  return rows[0]?.count ?? 0;
}

export interface RemovedAd {
  readonly id: string;
  readonly upload_id: string | null;
}

/** Takes a removed ad for one step, so that no other process does the same. */
export async function claimRemovedAd(db: Queryable, organizationId?: string): Promise<RemovedAd | undefined> {
  const { rows } = await sql<RemovedAd>`
    update ads set removing_until = now() + make_interval(secs => ${STEP_SECONDS})
    where id = (
      select id from ads where removed_at is not null and ${isOf(organizationId)} and (removing_until is null or removing_until < now())
      order by removed_at limit 1 for no key update skip locked)
    returning id, upload_id`.execute(db);
  return rows[0];
}

export async function releaseRemovedAd(db: Queryable, id: string): Promise<void> {
  await db.updateTable('ads').set({ removing_until: null }).where('id', '=', id).execute();
}

/** @returns the first rendered frames of the ad. */
export async function readFramesOfAd(db: Queryable, adId: string, most: number): Promise<RemovableFrame[]> {
  const { rows } = await sql<RemovableFrame>`
    select f.job_id, f.ad_id, f.marker_ms, f.ratio::text as ratio, jsonb_build_object('token', i.token,
      'organization_id', i.organization_id, 'artifact_key', i.artifact_key, 'sha256', i.sha256) as picture
    from job_creatives c
    join creative_frames f on f.job_id = c.job_id and f.ad_id = c.ad_id
    join images i on i.token = f.image_token
    where c.ad_id = ${adId}
    order by f.job_id, f.marker_ms, f.ratio limit ${most}`.execute(db);
  return rows;
}

/** @returns undefined if the ad has no preview. */
export async function readPreview(db: Queryable, adId: string): Promise<RemovablePicture | undefined> {
  const row = await db
    .selectFrom('ads')
    .innerJoin('images', 'images.token', 'ads.preview_token')
    .select(['images.token', 'images.organization_id', 'images.artifact_key', 'images.sha256'])
    .where('ads.id', '=', adId)
    .executeTakeFirst();
  return row && (pictureOf(row) ?? undefined);
}

export async function forgetPreview(tx: Queryable, adId: string): Promise<void> {
  await tx.updateTable('ads').set({ preview_token: null }).where('id', '=', adId).execute();
}

export function deleteDeliveriesOfAd(tx: Queryable, adId: string, most: number): Promise<number> {
  return deleteDeliveriesOf(tx, sql`ad_id = ${adId}`, most);
}

export function deleteEventsOfAd(db: Queryable, adId: string, most: number): Promise<number> {
  return deleteLoneEventsOf(db, sql`ad_id = ${adId}`, most);
}

/**
 * Deletes the row of the ad. An upload that no other ad uses expires.
 * @returns false while screenshots of removed sets, or a job that is not settled, name the ad.
 */
export async function deleteAd(tx: Queryable, { id, upload_id }: RemovedAd): Promise<boolean> {
  const { rows } = await sql<{ used: boolean }>`
    select exists (select from screenshots where ad_id = ${id}) or exists (
      select from job_creatives c join screenshot_jobs j on j.id = c.job_id
      where c.ad_id = ${id} and j.settled_at is null) as used`.execute(tx);
  if (rows[0]?.used !== false) return false;
  await tx.deleteFrom('subscribers').where('ad_id', '=', id).execute();
  await tx.deleteFrom('job_creatives').where('ad_id', '=', id).execute();
  await tx.deleteFrom('ads').where('id', '=', id).execute();
  if (upload_id !== null) await expireUnusedUpload(tx, upload_id);
  return true;
}

async function expireUnusedUpload(tx: Queryable, id: string): Promise<void> {
  await tx.selectFrom('uploads').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  await sql`update uploads set expires_at = now()
    where id = ${id} and not exists (select from ads where upload_id = ${id})`.execute(tx);
}
