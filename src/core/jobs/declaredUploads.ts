/** Which contents a capture has declared for each picture of a job. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';

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

/** The signature of an upload is valid for 15 minutes, so no file arrives after this time. */
const LATE_MINUTES = 20;

/** Lets the sweeper delete the files that no result names. Call it when the job accepts no further result. */
export async function dropUnreportedUploads(transaction: Queryable, jobId: string): Promise<void> {
  // As `withContent` makes the key.
  await sql`
    insert into removed_files (key, due_at)
    select key, now() + make_interval(mins => ${LATE_MINUTES})
    from declared_uploads d, unnest(d.contents) as content, concat(left(d.picture, -4), '-', content, '.png') as key
    where d.job_id = ${jobId} and key not in (
      select i.artifact_key from creative_frames f join images i on i.token = f.image_token where f.job_id = ${jobId}
      union all
      select i.artifact_key from screenshot_jobs j join screenshots s on s.set_id = j.set_id
        join images i on i.token = s.image_token where j.id = ${jobId})
    on conflict do nothing`.execute(transaction);
  await transaction.deleteFrom('declared_uploads').where('job_id', '=', jobId).execute();
}
