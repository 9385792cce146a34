/** Limits the uploads of an attempt: pictures of its index and frames of its job, each in a few contents. */

import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { isSameFilm, type WantedFilm } from '../../domain/animations.ts';
import { withoutContent } from '../../domain/pictureKeys.ts';
import { type AttemptRef, lockAttempt } from './attempts.ts';
import { ResultFaultError } from './creativeResults.ts';
import { readWantedFrames } from './creatives.ts';

/** One content of a picture. */
interface DeclaredContent {
  /** The key of the picture in this attempt, without the content. */
  readonly picture: string;
  readonly sha256: string;
}

/** The signature of an upload is valid for 15 minutes, so no file arrives after this time. */
const LATE_MINUTES = 20;

export interface ExpectedFrame {
  readonly ad_id: string;
  readonly marker_ms: number | null;
  readonly ratio: number;
}

export interface ExpectedUploads {
  readonly screenshots: readonly string[];
  readonly frames: readonly ExpectedFrame[];
  readonly films: readonly (WantedFilm & { readonly ad_id: string })[];
  readonly contents: readonly DeclaredContent[];
}

/**
 * Each content is an object that stays in the bucket, whether the capture reports it or not. A creative that was claimed
 * again after a lost claim may render differently.
 */
const MAX_CONTENTS = 4;

/**
 * Checks and counts uploads that an attempt declares. Accepts pictures that have a result by now: a late attempt learns
 * that when it reports its own. @throws SupersededError, ResultFaultError
 */
export async function declareUploads(
  transaction: Queryable,
  attemptRef: AttemptRef,
  { screenshots, frames, films, contents }: ExpectedUploads,
): Promise<void> {
  const job = await lockAttempt(transaction, attemptRef);
  // Together in one round trip: the connection pipelines statements. A failed check rolls the count back.
  await Promise.all([
    ...(screenshots.length > 0
      ? [requirePictures(transaction, { ...attemptRef, setId: job.set_id }, screenshots)]
      : []),
    ...(frames.length > 0 ? [requireFrames(transaction, attemptRef, frames)] : []),
    ...(films.length > 0 ? [requireFilms(transaction, attemptRef, films)] : []),
    addDeclaredContents(transaction, attemptRef.jobId, contents),
  ]);
}

/** A placement has the id of its job. */
async function requirePictures(
  transaction: Queryable,
  { jobId, setId, index }: { jobId: string; setId: string | null; index: number },
  ids: readonly string[],
): Promise<void> {
  if (setId !== null) return requireScreenshotsOfIndex(transaction, { setId, index, ids });
  const other = ids.find((id) => id !== jobId);
  if (other !== undefined) throw notOfIndex(other);
}

const notOfIndex = (id: string) => new ResultFaultError(`Screenshot ${id} is not of this index.`);

/** @throws ResultFaultError */
export async function requireScreenshotsOfIndex(
  db: Queryable,
  { setId, index, ids }: { setId: string; index: number; ids: readonly string[] },
): Promise<void> {
  const rows = await db
    .selectFrom('screenshots')
    .select('id')
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .where('set_id', '=', setId)
    .where('job_index', '=', index)
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const other = ids.find((id) => !known.has(id));
  if (other !== undefined) throw notOfIndex(other);
}

async function requireFrames(
  transaction: Queryable,
  { jobId }: AttemptRef,
  frames: readonly ExpectedFrame[],
): Promise<void> {
  const ads = [...new Set(frames.map(({ ad_id }) => ad_id))];
  const wanted = await readWantedFrames(transaction, jobId, ads);
  for (const { ad_id, marker_ms, ratio } of frames) {
    const isWanted = wanted.get(ad_id)?.some((frame) => frame.marker_ms === marker_ms && frame.ratio === ratio);
    if (isWanted !== true) throw new ResultFaultError(`Nobody asked for such a frame of ad ${ad_id}.`);
  }
}

async function requireFilms(
  transaction: Queryable,
  { jobId }: AttemptRef,
  films: ExpectedUploads['films'],
): Promise<void> {
  for (const { ad_id, ...film } of films) {
    const creative = await transaction
      .selectFrom('job_creatives')
      .select('wanted_films')
      .where('job_id', '=', jobId)
      .where('ad_id', '=', ad_id)
      .executeTakeFirst();
    if (creative?.wanted_films.some((wanted) => isSameFilm(wanted, film)) !== true)
      throw new ResultFaultError(`Nobody asked for such a film of ad ${ad_id}.`);
  }
}

/**
 * Adds contents to those already declared. Concurrent calls of any API process wait for each other at the row of the picture.
 * @throws ResultFaultError for a picture that would have too many.
 */
async function addDeclaredContents(
  transaction: Queryable,
  jobId: string,
  contents: readonly DeclaredContent[],
): Promise<void> {
  const pictures = contents.map(({ picture }) => picture);
  const sums = contents.map(({ sha256 }) => sha256);
  const together = sql`array(select unnest(declared.contents) union select unnest(excluded.contents))`;
  // In the order of the pictures, so that two calls cannot lock rows in opposite orders.
  const { rows } = await sql<{ picture: string }>`
    insert into declared_uploads as declared (job_id, picture, contents)
    select ${jobId}::uuid, picture, array_agg(distinct sha256)
    from unnest(${pictures}::text[], ${sums}::text[]) as given (picture, sha256)
    group by picture having count(distinct sha256) <= ${MAX_CONTENTS} order by picture
    on conflict (job_id, picture) do update set contents = ${together}
    where cardinality(${together}) <= ${MAX_CONTENTS}
    returning picture`.execute(transaction);
  const accepted = new Set(rows.map(({ picture }) => picture));
  const refused = pictures.find((picture) => !accepted.has(picture));
  if (refused !== undefined)
    throw new ResultFaultError(`${refused} was declared with ${MAX_CONTENTS} other contents already.`);
}

/**
 * These files stay after the job. A controller of the version before, which knows no pages of failures, may settle the job
 * during an upgrade.
 */
export async function keepUploads(
  transaction: Queryable,
  jobId: string,
  files: readonly { readonly key: string; readonly sha256: string }[],
): Promise<void> {
  for (const { key, sha256 } of files)
    await sql`
      update declared_uploads set contents = array_remove(contents, ${sha256})
      where job_id = ${jobId} and picture = ${withoutContent(key)}`.execute(transaction);
}

/** Lets the sweeper delete the files that no result names. Call it when the job accepts no further result. */
export async function dropUnreportedUploads(transaction: Queryable, jobId: string): Promise<void> {
  // As `withContent` makes the key.
  await sql`
    insert into removed_files (key, due_at)
    select key, now() + make_interval(mins => ${LATE_MINUTES})
    from declared_uploads d, unnest(d.contents) as content,
      regexp_replace(d.picture, '(\\.[a-z]+)$', concat('-', content, '\\1')) as key
    where d.job_id = ${jobId} and key not in (
      select i.artifact_key from creative_frames f join images i on i.token = f.image_token where f.job_id = ${jobId}
      union all
      select i.artifact_key from screenshot_jobs j join screenshots s on s.set_id = j.set_id
        join images i on i.token = any(array[s.image_token, s.page_token,
          s.animation->'webp'->>'token', s.animation->'gif'->>'token'])
        where j.id = ${jobId}
      union all
      select i.artifact_key from placements p join images i on i.token = p.image_token where p.id = ${jobId})
    on conflict do nothing`.execute(transaction);
  await transaction.deleteFrom('declared_uploads').where('job_id', '=', jobId).execute();
}
