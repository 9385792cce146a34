/** Reads and deletes the content of a removed set, a few rows at a time. */
import { sql } from 'kysely';
import type { FrameFacts } from '../../domain/framedPictures.ts';
import type { Queryable } from '../database/database.ts';
import { deleteDeliveriesOf, deleteLoneEventsOf } from './deliveries.ts';

/** A stored picture, with what the keys of the files made from it depend on. */
export interface RemovablePicture {
  readonly token: string;
  readonly organization_id: string;
  readonly artifact_key: string;
  readonly sha256: string;
}

export interface RemovableScreenshot {
  readonly id: string;
  readonly picture: RemovablePicture | null;
  readonly facts: FrameFacts | null;
}

/** @returns the first screenshots of the set, with their pictures. */
export async function readScreenshotsToRemove(
  db: Queryable,
  setId: string,
  most: number,
): Promise<RemovableScreenshot[]> {
  const rows = await db
    .selectFrom('screenshots as s')
    .leftJoin('images as i', 'i.token', 's.image_token')
    .select(['s.id', 's.device', 'i.token', 'i.organization_id', 'i.artifact_key', 'i.sha256'])
    .select([
      sql<number>`coalesce((s.record->>'ratio')::float8, 1)`.as('ratio'),
      sql<string>`coalesce(s.record->>'final_url', s.site_url)`.as('address'),
      sql<Date | null>`coalesce(s.captured_at, i.created_at)`.as('capturedAt'),
    ])
    .where('s.set_id', '=', setId)
    .orderBy('s.seq')
    .limit(most)
    .execute();
  return rows.map(({ id, device, ratio, address, capturedAt, ...image }) => ({
    id,
    picture: pictureOf(image),
    facts: capturedAt && { device, ratio, address, capturedAt },
  }));
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

export function pictureOf({ token, organization_id, artifact_key, sha256 }: Nullable<RemovablePicture>) {
  if (token === null || organization_id === null || artifact_key === null || sha256 === null) return null;
  return { token, organization_id, artifact_key, sha256 };
}

/** From now on the addresses of these pictures say that they were removed. */
export async function hidePictures(db: Queryable, tokens: readonly string[]): Promise<void> {
  if (tokens.length === 0) return;
  await sql`update images set removed_at = now() where token = any(${[...tokens]}::text[]) and removed_at is null`.execute(
    db,
  );
}

/** Keeps of these pictures only that they were removed. */
export async function forgetPictures(tx: Queryable, tokens: readonly string[]): Promise<void> {
  if (tokens.length === 0) return;
  await sql`update images set artifact_key = '', sha256 = '', width = 0, height = 0, bytes = 0
    where token = any(${[...tokens]}::text[])`.execute(tx);
}

/** Deletes screenshots with their reviews. Retakes of them stay. @returns how many. */
export async function deleteScreenshots(
  tx: Queryable,
  { organizationId, ids }: { readonly organizationId: string; readonly ids: readonly string[] },
): Promise<number> {
  const list = sql`any(${[...ids]}::uuid[])`;
  await sql`delete from reviews where screenshot_id = ${list}`.execute(tx);
  await sql`update screenshots set retake_of = null where retake_of = ${list}`.execute(tx);
  await sql`update screenshots set original_id = null where original_id = ${list}`.execute(tx);
  await sql`insert into tombstones (id, organization_id)
    select unnest(${[...ids]}::uuid[]), ${organizationId}::uuid on conflict do nothing`.execute(tx);
  const { numAffectedRows } = await sql`delete from screenshots where id = ${list}`.execute(tx);
  return Number(numAffectedRows);
}

export interface RemovableFrame {
  readonly job_id: string;
  readonly ad_id: string;
  readonly marker_ms: number;
  readonly ratio: string;
  /** Null if the frame is also the preview of its ad, which stays. */
  readonly picture: RemovablePicture | null;
}

/** @returns the first rendered frames of the creatives of the set. */
export async function readFramesToRemove(db: Queryable, setId: string, most: number): Promise<RemovableFrame[]> {
  const { rows } = await sql<RemovableFrame>`
    select f.job_id, f.ad_id, f.marker_ms, f.ratio::text as ratio,
      case when a.preview_token is distinct from f.image_token then jsonb_build_object('token', i.token,
        'organization_id', i.organization_id, 'artifact_key', i.artifact_key, 'sha256', i.sha256) end as picture
    from screenshot_jobs j
    join creative_frames f on f.job_id = j.id
    join ads a on a.id = f.ad_id
    join images i on i.token = f.image_token
    where j.set_id = ${setId}
    order by f.job_id, f.ad_id, f.marker_ms, f.ratio limit ${most}`.execute(db);
  return rows;
}

export async function deleteFrames(tx: Queryable, frames: readonly RemovableFrame[]): Promise<void> {
  const column = <K extends keyof RemovableFrame>(name: K) => frames.map((frame) => frame[name]);
  await sql`delete from creative_frames f using unnest(${column('job_id')}::uuid[], ${column('ad_id')}::uuid[],
      ${column('marker_ms')}::integer[], ${column('ratio')}::numeric[]) as w(job_id, ad_id, marker_ms, ratio)
    where (f.job_id, f.ad_id, f.marker_ms, f.ratio) = (w.job_id, w.ad_id, w.marker_ms, w.ratio)`.execute(tx);
}

export function deleteDeliveries(tx: Queryable, setId: string, most: number): Promise<number> {
  return deleteDeliveriesOf(tx, sql`set_id = ${setId}`, most);
}

export function deleteEventsOfSet(db: Queryable, setId: string, most: number): Promise<number> {
  return deleteLoneEventsOf(db, sql`set_id = ${setId}`, most);
}

/** Deletes creatives of the set's job. @returns how many. */
export async function deleteCreatives(tx: Queryable, setId: string, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from job_creatives where (job_id, ad_id) in (
      select c.job_id, c.ad_id from screenshot_jobs j join job_creatives c on c.job_id = j.id
      where j.set_id = ${setId} limit ${most})`.execute(tx);
  return Number(numAffectedRows);
}
