/** What an attempt may send: pictures of its index and frames of its job, each in a few contents. */
import { sql } from 'kysely';
import type { Queryable } from '../store/database/database.ts';
import { type AttemptRef, lockAttempt } from './attempts.ts';
import { ResultFaultError } from './creativeResults.ts';

export interface ExpectedFrame {
  readonly ad_id: string;
  readonly marker_ms: number | null;
  readonly ratio: number;
}

/** One content of a picture. */
export interface DeclaredContent {
  /** The key of the picture in this attempt, without the content. */
  readonly picture: string;
  readonly sha256: string;
}

export interface ExpectedUploads {
  readonly screenshots: readonly string[];
  readonly frames: readonly ExpectedFrame[];
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
  { screenshots, frames, contents }: ExpectedUploads,
): Promise<void> {
  const job = await lockAttempt(transaction, attemptRef);
  // Together in one round trip: the connection pipelines statements. A failed check rolls the count back.
  await Promise.all([
    ...(screenshots.length > 0
      ? [requireScreenshots(transaction, { ...attemptRef, setId: job.set_id }, screenshots)]
      : []),
    ...(frames.length > 0 ? [requireFrames(transaction, attemptRef, frames)] : []),
    countContents(transaction, attemptRef.jobId, contents),
  ]);
}

/** Concurrent calls of any API process wait for each other at the row of the picture. @throws ResultFaultError */
async function countContents(
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

async function requireScreenshots(
  transaction: Queryable,
  { setId, index }: { setId: string | null; index: number },
  ids: readonly string[],
): Promise<void> {
  const rows = await transaction
    .selectFrom('screenshots')
    .select('id')
    .where((eb) => eb('id', '=', eb.fn.any(eb.val([...ids]))))
    .where('set_id', '=', setId)
    .where('job_index', '=', index)
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  const stranger = ids.find((id) => !known.has(id));
  if (stranger !== undefined) throw new ResultFaultError(`Screenshot ${stranger} is not of this index.`);
}

async function requireFrames(
  transaction: Queryable,
  { jobId }: AttemptRef,
  frames: readonly ExpectedFrame[],
): Promise<void> {
  const ads = [...new Set(frames.map(({ ad_id }) => ad_id))];
  const rows = await transaction
    .selectFrom('job_creatives')
    .select(['ad_id', 'wanted'])
    .where('job_id', '=', jobId)
    .where((eb) => eb('ad_id', '=', eb.fn.any(eb.val(ads))))
    .execute();
  const wanted = new Map(rows.map((row) => [row.ad_id, row.wanted]));
  for (const { ad_id, marker_ms, ratio } of frames) {
    const isWanted = wanted.get(ad_id)?.some((frame) => frame.marker_ms === marker_ms && frame.ratio === ratio);
    if (isWanted !== true) throw new ResultFaultError(`Nobody asked for such a frame of ad ${ad_id}.`);
  }
}
