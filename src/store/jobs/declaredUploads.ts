/** Which contents a capture has declared for each picture of a job. */
import { sql } from 'kysely';
import type { Queryable } from '../database/database.ts';

/** One content of a picture. */
export interface DeclaredContent {
  /** The key of the picture in this attempt, without the content. */
  readonly picture: string;
  readonly sha256: string;
}

/**
 * Adds contents to those already declared. Concurrent calls wait for each other at the row of the picture.
 * @returns the pictures that have at most `max` contents afterwards. The others are unchanged.
 */
export async function addDeclaredContents(
  transaction: Queryable,
  jobId: string,
  { contents, max }: { readonly contents: readonly DeclaredContent[]; readonly max: number },
): Promise<Set<string>> {
  const pictures = contents.map(({ picture }) => picture);
  const sums = contents.map(({ sha256 }) => sha256);
  const together = sql`array(select unnest(declared.contents) union select unnest(excluded.contents))`;
  // In the order of the pictures, so that two calls cannot lock rows in opposite orders.
  const { rows } = await sql<{ picture: string }>`
    insert into declared_uploads as declared (job_id, picture, contents)
    select ${jobId}::uuid, picture, array_agg(distinct sha256)
    from unnest(${pictures}::text[], ${sums}::text[]) as given (picture, sha256)
    group by picture having count(distinct sha256) <= ${max} order by picture
    on conflict (job_id, picture) do update set contents = ${together}
    where cardinality(${together}) <= ${max}
    returning picture`.execute(transaction);
  return new Set(rows.map(({ picture }) => picture));
}

/**
 * Keeps only the contents that no result names. Their files have no other row. Call it when the job accepts no further result.
 */
export async function keepUnreportedUploads(transaction: Queryable, jobId: string): Promise<void> {
  // As `withContent` makes the key.
  const isReported = sql`left(d.picture, -4) || '-' || content || '.png' in (
    select i.artifact_key from creative_frames f join images i on i.token = f.image_token where f.job_id = ${jobId}
    union all
    select i.artifact_key from screenshot_jobs j join screenshots s on s.set_id = j.set_id
      join images i on i.token = s.image_token where j.id = ${jobId})`;
  await sql`delete from declared_uploads d where d.job_id = ${jobId}
    and not exists (select from unnest(d.contents) as content where not ${isReported})`.execute(transaction);
  await sql`update declared_uploads d
    set contents = array(select content from unnest(d.contents) as content where not ${isReported})
    where d.job_id = ${jobId}`.execute(transaction);
}

export interface UnreportedUpload {
  readonly job_id: string;
  readonly picture: string;
  readonly contents: readonly string[];
}

/** Locks contents that were never reported, of jobs that were settled so many minutes ago. */
export async function lockUnreportedUploads(
  transaction: Queryable,
  { minutes, limit }: { readonly minutes: number; readonly limit: number },
): Promise<UnreportedUpload[]> {
  const { rows } = await sql<UnreportedUpload>`
    select d.job_id, d.picture, d.contents from declared_uploads d join screenshot_jobs j on j.id = d.job_id
    where j.settled_at < now() - make_interval(mins => ${minutes})
    limit ${limit} for update of d skip locked`.execute(transaction);
  return rows;
}

export async function deleteDeclaredUpload(
  transaction: Queryable,
  { jobId, picture }: { readonly jobId: string; readonly picture: string },
): Promise<void> {
  await transaction.deleteFrom('declared_uploads').where('job_id', '=', jobId).where('picture', '=', picture).execute();
}
