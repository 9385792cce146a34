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

export async function deleteDeclaredUploads(transaction: Queryable, jobId: string): Promise<void> {
  await transaction.deleteFrom('declared_uploads').where('job_id', '=', jobId).execute();
}
