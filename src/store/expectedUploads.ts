/** What an attempt may send: pictures of its index, frames of its job. */
import { type Bound, holdAttempt } from './attempts.ts';
import { ResultFaultError } from './creativeResults.ts';
import type { Queryable } from './database.ts';

export interface ExpectedFrame {
  readonly ad_id: string;
  readonly marker_ms: number | null;
  readonly ratio: number;
}

/** Also where a result is there by now: whoever was late finds out when it reports its own. @throws SupersededError, ResultFaultError */
export async function requireExpected(
  transaction: Queryable,
  bound: Bound,
  { screenshots, frames }: { screenshots: readonly string[]; frames: readonly ExpectedFrame[] },
): Promise<void> {
  const job = await holdAttempt(transaction, bound);
  if (screenshots.length > 0) await requireScreenshots(transaction, { ...bound, setId: job.set_id }, screenshots);
  if (frames.length > 0) await requireFrames(transaction, bound, frames);
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
  { jobId }: Bound,
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
