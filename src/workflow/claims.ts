/** The creatives of a job: claimed one by one under a lease on Postgres's clock, by whichever capture is there first. */
import { sql } from 'kysely';
import type { WantedFrame } from '../domain/batches.ts';
import type { Queryable } from '../store/database/database.ts';
import { type AttemptRef, lockAttempt, lockUnsettledJob } from './attempts.ts';
import type { ResolveContext } from './countedTransactions.ts';
import { failCreative } from './creativeResults.ts';

/** Claims lost this often fail the creative: it takes no further capture with it. */
const MAX_LOST = 2;

export interface CreativeClaim {
  readonly ad_id: string;
  readonly kind: 'url' | 'html_tag';
  readonly content: string;
  readonly wanted: readonly WantedFrame[];
}

/**
 * Claims the next free creative, those that the index's own pictures need first.
 * @throws SupersededError
 */
export async function claimCreative(
  transaction: Queryable,
  attemptRef: AttemptRef,
  leaseSeconds: number,
): Promise<CreativeClaim | undefined> {
  const job = await lockAttempt(transaction, attemptRef);
  // Materialized: a joined subquery may run once for each row, and then claims them all.
  const { rows } = await sql<{ ad_id: string; wanted: WantedFrame[] }>`
    with free as materialized (
      select f.ad_id from job_creatives f
      where f.job_id = ${attemptRef.jobId} and f.status = 'pending' and f.claim_expires_at is null
      order by exists (
        select 1 from screenshots s
        where s.set_id = ${job.set_id} and s.job_index = ${attemptRef.index} and s.ad_id = f.ad_id and s.status = 'pending'
      ) desc, f.ad_id
      limit 1 for update of f skip locked
    )
    update job_creatives c
    set claimed_by_index = ${attemptRef.index}, claimed_by_attempt = ${attemptRef.attempt},
        claim_expires_at = now() + make_interval(secs => ${leaseSeconds})
    from free
    where c.job_id = ${attemptRef.jobId} and c.ad_id = free.ad_id
    returning c.ad_id, c.wanted`.execute(transaction);
  const claimed = rows[0];
  if (claimed === undefined) return undefined;
  const ad = await transaction
    .selectFrom('ads')
    .select(['kind', 'content'])
    .where('id', '=', claimed.ad_id)
    .executeTakeFirstOrThrow();
  return { ...claimed, ...ad };
}

/** Prolongs a claim. @returns false when this attempt does not hold it any more. @throws SupersededError */
export async function renewClaim(
  transaction: Queryable,
  attemptRef: AttemptRef,
  { adId, leaseSeconds }: { adId: string; leaseSeconds: number },
): Promise<boolean> {
  await lockAttempt(transaction, attemptRef);
  const result = await held(transaction, attemptRef, adId)
    .set({ claim_expires_at: sql<Date>`now() + make_interval(secs => ${leaseSeconds})` })
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Gives a claim back, uncounted: the capture was asked to end. @throws SupersededError */
export async function releaseClaim(transaction: Queryable, attemptRef: AttemptRef, adId: string): Promise<void> {
  await lockAttempt(transaction, attemptRef);
  await held(transaction, attemptRef, adId).set(FREE).execute();
}

const FREE = { claimed_by_index: null, claimed_by_attempt: null, claim_expires_at: null };

function held(transaction: Queryable, attemptRef: AttemptRef, adId: string) {
  return transaction
    .updateTable('job_creatives')
    .where('job_id', '=', attemptRef.jobId)
    .where('ad_id', '=', adId)
    .where('status', '=', 'pending')
    .where('claimed_by_index', '=', attemptRef.index)
    .where('claimed_by_attempt', '=', attemptRef.attempt);
}

/** Ends claims whose lease has expired. A creative that is lost twice fails. */
export async function expireClaims(transaction: Queryable, jobId: string, context: ResolveContext): Promise<void> {
  const job = await lockUnsettledJob(transaction, jobId);
  if (job === undefined) return;
  const lost = await transaction
    .updateTable('job_creatives')
    .set({ ...FREE, claims_lost: sql<number>`claims_lost + 1` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'pending')
    .where('claim_expires_at', '<=', sql<Date>`now()`)
    .returning(['ad_id', 'claims_lost'])
    .execute();
  for (const { ad_id } of lost.filter(({ claims_lost }) => claims_lost >= MAX_LOST)) {
    const failure = { status: 'generic_error', reason: 'It ended the renderer twice.' } as const;
    await failCreative(transaction, { job, adId: ad_id, failure }, context);
  }
}

/**
 * Gives back every claim, uncounted: all captures ended together with the process that ran them, whatever creative they
 * were at.
 */
export async function releaseAllClaims(db: Queryable): Promise<void> {
  await db
    .updateTable('job_creatives')
    .set(FREE)
    .where('status', '=', 'pending')
    .where('claim_expires_at', 'is not', null)
    .execute();
}

/** Creatives of the job that are neither rendered nor failed, claimed ones included. */
export async function countUnresolved(db: Queryable, jobId: string): Promise<number> {
  const { count } = await db
    .selectFrom('job_creatives')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('count'))
    .where('job_id', '=', jobId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return count;
}

export interface ResolvedCreative {
  readonly ad_id: string;
  readonly status: 'rendered' | 'failed';
  readonly reason: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly mode: string | null;
  readonly frames: readonly {
    readonly marker_ms: number | null;
    readonly ratio: number;
    readonly key: string;
    readonly sha256: string;
  }[];
}

/** Those of the given ads whose creative is resolved in this job. */
export async function resolvedCreatives(
  db: Queryable,
  jobId: string,
  adIds: readonly string[],
): Promise<ResolvedCreative[]> {
  const { rows } = await sql<ResolvedCreative>`
    select c.ad_id, c.status, c.reason, c.width, c.height, c.mode, coalesce((
      select json_agg(json_build_object('marker_ms', nullif(f.marker_ms, -1), 'ratio', f.ratio, 'key', i.artifact_key,
        'sha256', i.sha256) order by f.marker_ms, f.ratio)
      from creative_frames f join images i on i.token = f.image_token
      where f.job_id = c.job_id and f.ad_id = c.ad_id
    ), '[]'::json) as frames
    from job_creatives c
    where c.job_id = ${jobId} and c.ad_id = any(${adIds}::uuid[]) and c.status in ('rendered', 'failed')`.execute(db);
  return rows;
}
