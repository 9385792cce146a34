/** Queries on the creatives of a job: results and frames. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { AdCategory } from '../../domain/ads.ts';
import type { MadeFilm } from '../../domain/animations.ts';
import type { WantedFrame } from '../../domain/batches.ts';
import type { AdFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { IndexRef } from './indexes.ts';

/** The values of a creative without a claim. */
export const UNCLAIMED = { claimed_by_index: null, claimed_by_attempt: null, claim_expires_at: null };

/** Lets the claims of earlier attempts of this index expire now. */
export async function expireEarlierClaims(
  transaction: Queryable,
  { jobId, index, attempt }: IndexRef & { readonly attempt: number },
): Promise<void> {
  await transaction
    .updateTable('job_creatives')
    .set({ claim_expires_at: sql<Date>`now()` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'pending')
    .where('claimed_by_index', '=', index)
    .where('claimed_by_attempt', '<', attempt)
    .execute();
}

/**
 * Releases the claims of all jobs and does not count them as lost. For captures that ended together with the process
 * that ran them.
 */
export async function releaseAllClaims(db: Queryable): Promise<void> {
  await db
    .updateTable('job_creatives')
    .set(UNCLAIMED)
    .where('status', '=', 'pending')
    .where('claim_expires_at', 'is not', null)
    .execute();
}

/** Counts creatives of the job that are neither rendered nor failed. Claimed ones are included. */
export async function countUnresolved(db: Queryable, jobId: string): Promise<number> {
  const { count } = await db
    .selectFrom('job_creatives')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('count'))
    .where('job_id', '=', jobId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return count;
}

export interface ResolvedCreativeRow {
  readonly ad_id: string;
  readonly status: 'rendered' | 'failed';
  readonly reason: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly mode: string | null;
  readonly category: AdCategory | null;
  readonly warnings: Warning[];
  readonly films: readonly MadeFilm[];
  readonly frames: readonly {
    readonly marker_ms: number | null;
    readonly ratio: number;
    readonly key: string;
    readonly sha256: string;
  }[];
}

/** Reads those of the given ads whose creative is resolved in this job. */
export async function readResolvedCreatives(
  db: Queryable,
  jobId: string,
  adIds: readonly string[],
): Promise<ResolvedCreativeRow[]> {
  const { rows } = await sql<ResolvedCreativeRow>`
    select c.ad_id, c.status, c.reason, c.width, c.height, c.mode, a.category, c.warnings, c.films, coalesce((
      select json_agg(json_build_object('marker_ms', nullif(f.marker_ms, -1), 'ratio', f.ratio, 'key', i.artifact_key,
        'sha256', i.sha256) order by f.marker_ms, f.ratio)
      from creative_frames f join images i on i.token = f.image_token
      where f.job_id = c.job_id and f.ad_id = c.ad_id
    ), '[]'::json) as frames
    from job_creatives c join ads a on a.id = c.ad_id
    where c.job_id = ${jobId} and c.ad_id = any(${adIds}::uuid[]) and c.status in ('rendered', 'failed')`.execute(db);
  return rows;
}

/** @returns the wanted frames of each of these ads that is part of the job. */
export async function readWantedFrames(
  db: Queryable,
  jobId: string,
  adIds: readonly string[],
): Promise<Map<string, readonly WantedFrame[]>> {
  const rows = await db
    .selectFrom('job_creatives')
    .select(['ad_id', 'wanted'])
    .where('job_id', '=', jobId)
    .where((eb) => eb('ad_id', '=', eb.fn.any(eb.val([...adIds]))))
    .execute();
  return new Map(rows.map((row) => [row.ad_id, row.wanted]));
}

export async function lockCreative(
  transaction: Queryable,
  { jobId, adId }: { readonly jobId: string; readonly adId: string },
): Promise<{ status: string; wanted: readonly WantedFrame[] } | undefined> {
  return transaction
    .selectFrom('job_creatives')
    .select(['status', 'wanted'])
    .where('job_id', '=', jobId)
    .where('ad_id', '=', adId)
    .forUpdate()
    .executeTakeFirst();
}

export interface CreativeResolution {
  readonly status: 'rendered' | 'failed';
  readonly failure?: AdFailure;
  readonly reason?: string;
  readonly format?: string;
  readonly mode?: string;
  readonly width?: number;
  readonly height?: number;
  readonly notes?: readonly string[];
  readonly warnings?: readonly Warning[];
  readonly films?: readonly MadeFilm[];
}

export async function resolveCreative(
  transaction: Queryable,
  { jobId, adId }: { readonly jobId: string; readonly adId: string },
  { notes, warnings, films = [], ...resolution }: CreativeResolution,
): Promise<void> {
  await transaction
    .updateTable('job_creatives')
    .set({
      ...resolution,
      films: JSON.stringify(films),
      ...(notes === undefined ? {} : { notes: JSON.stringify(notes) }),
      ...(warnings === undefined ? {} : { warnings: JSON.stringify(warnings) }),
      claim_expires_at: null,
      resolved_at: sql<Date>`now()`,
    })
    .where('job_id', '=', jobId)
    .where('ad_id', '=', adId)
    .execute();
}

/** Gives each pending creative of a job this status. @returns all ads of the job. */
export async function closeCreatives(
  transaction: Queryable,
  jobId: string,
  status: 'failed' | 'canceled',
): Promise<string[]> {
  await transaction
    .updateTable('job_creatives')
    .set({ status, claim_expires_at: null, resolved_at: sql<Date>`now()` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'pending')
    .execute();
  const rows = await transaction.selectFrom('job_creatives').select('ad_id').where('job_id', '=', jobId).execute();
  return rows.map(({ ad_id }) => ad_id);
}
