/** Which pictures a bucket gets for an ad or a set. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Warning } from '../../domain/warnings.ts';

export interface AdPicture {
  /** Null: the preview. */
  readonly marker_ms: number | null;
  readonly artifact_key: string;
}

/** The preview of an ad, and the moments that were captured together with it. */
export async function adPictures(db: Queryable, adId: string): Promise<AdPicture[]> {
  const { rows } = await sql<AdPicture>`
    select null::integer as marker_ms, i.artifact_key
    from ads a join images i on i.token = a.preview_token where a.id = ${adId}
    union all
    select distinct on (f.marker_ms) f.marker_ms, i.artifact_key
    from ads a
    join creative_frames p on p.ad_id = a.id and p.image_token = a.preview_token
    join creative_frames f on f.job_id = p.job_id and f.ad_id = a.id and f.marker_ms >= 0 and f.ratio = p.ratio
    join images i on i.token = f.image_token
    where a.id = ${adId}
    order by marker_ms nulls first`.execute(db);
  return rows;
}

export interface SetPicture {
  readonly id: string;
  /** Its place in the set, from 1. */
  readonly number: number;
  readonly site_url: string;
  readonly device: string;
  readonly marker_ms: number | null;
  readonly ad_name: string;
  readonly artifact_key: string;
  readonly sha256: string;
  readonly warnings: readonly Warning[];
}

/** The pictures that were taken of a set, in the order of the request, without those that a reviewer rejected. */
export async function setPictures(db: Queryable, setId: string): Promise<SetPicture[]> {
  return db
    .selectFrom('screenshots as s')
    .innerJoin('images as i', 'i.token', 's.image_token')
    .innerJoin('ads as a', 'a.id', 's.ad_id')
    .select([
      's.id',
      sql<number>`s.seq + 1`.as('number'),
      's.site_url',
      's.device',
      's.marker_ms',
      'a.name as ad_name',
      'i.artifact_key',
      'i.sha256',
      's.warnings',
    ])
    .where('s.set_id', '=', setId)
    .where('s.status', '=', 'uploaded')
    .where(sql<boolean>`s.decision is distinct from 'rejected'`)
    .orderBy('s.seq')
    .execute();
}
