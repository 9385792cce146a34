/**
 * Claims on the creatives of a job. A claim is held under a lease on PostgreSQL's clock, so a capture that dies loses its
 * claim, and another capture takes the creative.
 */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { AdSize, MediaType } from '../../domain/ads.ts';
import type { WantedFilm } from '../../domain/animations.ts';
import type { WantedFrame } from '../../domain/batches.ts';
import { WANTS_FACTS } from '../ads/creativeCheck.ts';
import { type AttemptRef, lockAttempt, lockUnsettledJob } from './attempts.ts';
import type { ResolveContext } from './countedTransactions.ts';
import { failCreative } from './creativeResults.ts';
import { UNCLAIMED } from './creatives.ts';

export interface ClaimedCreativeRow {
  readonly ad_id: string;
  readonly kind: MediaType;
  readonly content: string;
  /** As the client gave it. */
  readonly size: AdSize | null;
  /** In the last job that rendered the ad; null for an upload, which does not change, and for a new ad. */
  readonly earlier_format: string | null;
  readonly wanted: readonly WantedFrame[];
  readonly films: readonly WantedFilm[];
  /** No capture measured the creative yet. */
  readonly wants_facts: boolean;
  /** The uploaded file; null for other kinds. */
  readonly file: { readonly name: string; readonly sha256: string; readonly bytes: number } | null;
}

/** A creative whose claim is lost this often fails, because it probably ends each capture that renders it. */
const MAX_LOST_CLAIMS = 3;

const EARLIER_FORMAT = sql<string | null>`case when ads.kind = 'url' then (
  select format from job_creatives where ad_id = ads.id and status = 'rendered' order by resolved_at desc limit 1) end`;

/** Claims the next free creative, first those that screenshots of this index wait for. @throws SupersededError */
export async function claimCreative(
  transaction: Queryable,
  attemptRef: AttemptRef,
  leaseSeconds: number,
): Promise<ClaimedCreativeRow | undefined> {
  const { jobId, index, attempt } = attemptRef;
  const { set_id: setId } = await lockAttempt(transaction, attemptRef);
  // Materialized, because a joined subquery may run once for each row and then claims them all.
  const { rows } = await sql<{ ad_id: string; wanted: WantedFrame[]; films: WantedFilm[] }>`
    with free as materialized (
      select f.ad_id from job_creatives f
      where f.job_id = ${jobId} and f.status = 'pending' and f.claim_expires_at is null
      order by exists (
        select 1 from screenshots s
        where s.set_id = ${setId} and s.job_index = ${index} and s.ad_id = f.ad_id and s.status = 'pending'
      ) desc, f.ad_id
      limit 1 for update of f skip locked
    )
    update job_creatives c
    set claimed_by_index = ${index}, claimed_by_attempt = ${attempt},
        claim_expires_at = now() + make_interval(secs => ${leaseSeconds})
    from free
    where c.job_id = ${jobId} and c.ad_id = free.ad_id
    returning c.ad_id, c.wanted, c.wanted_films as films`.execute(transaction);
  const claimed = rows[0];
  if (claimed === undefined) return undefined;
  const ad = await transaction
    .selectFrom('ads')
    .leftJoin('uploads', 'uploads.id', 'ads.upload_id')
    .select(['kind', 'content', 'given_width', 'given_height'])
    .select(WANTS_FACTS.as('wants_facts'))
    .select(EARLIER_FORMAT.as('earlier_format'))
    .select(['uploads.name as file_name', 'uploads.sha256', 'uploads.bytes'])
    .where('ads.id', '=', claimed.ad_id)
    .executeTakeFirstOrThrow();
  return {
    ...claimed,
    kind: ad.kind,
    content: ad.content,
    earlier_format: ad.earlier_format,
    wants_facts: ad.wants_facts,
    size: givenSize(ad),
    file: fileOf(ad),
  };
}

function fileOf(ad: { file_name: string | null; sha256: string | null; bytes: number | null }) {
  const { file_name: name, sha256, bytes } = ad;
  return name === null || sha256 === null || bytes === null ? null : { name, sha256, bytes };
}

function givenSize(ad: { given_width: number | null; given_height: number | null }): AdSize | null {
  const { given_width: width, given_height: height } = ad;
  return width === null || height === null ? null : { width, height };
}

/** Renews the lease of a claim. @returns false if this attempt no longer holds the claim. @throws SupersededError */
export async function renewClaim(
  transaction: Queryable,
  attemptRef: AttemptRef,
  { adId, leaseSeconds }: { adId: string; leaseSeconds: number },
): Promise<boolean> {
  await lockAttempt(transaction, attemptRef);
  const result = await updateClaimed(transaction, attemptRef, adId)
    .set({ claim_expires_at: sql<Date>`now() + make_interval(secs => ${leaseSeconds})` })
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Releases a claim of a capture that was asked to end. The claim does not count as lost. @throws SupersededError */
export async function releaseClaim(transaction: Queryable, attemptRef: AttemptRef, adId: string): Promise<void> {
  await lockAttempt(transaction, attemptRef);
  await updateClaimed(transaction, attemptRef, adId).set(UNCLAIMED).execute();
}

function updateClaimed(transaction: Queryable, { jobId, index, attempt }: AttemptRef, adId: string) {
  return transaction
    .updateTable('job_creatives')
    .where('job_id', '=', jobId)
    .where('ad_id', '=', adId)
    .where('status', '=', 'pending')
    .where('claimed_by_index', '=', index)
    .where('claimed_by_attempt', '=', attempt);
}

/** Ends claims whose lease has expired. A creative that is lost three times fails. */
export async function expireClaims(transaction: Queryable, jobId: string, context: ResolveContext): Promise<void> {
  const job = await lockUnsettledJob(transaction, jobId);
  if (job === undefined) return;
  const lost = await transaction
    .updateTable('job_creatives')
    .set({ ...UNCLAIMED, claims_lost: sql<number>`claims_lost + 1` })
    .where('job_id', '=', jobId)
    .where('status', '=', 'pending')
    .where('claim_expires_at', '<=', sql<Date>`now()`)
    .returning(['ad_id', 'claims_lost'])
    .execute();
  for (const { ad_id } of lost.filter(({ claims_lost }) => claims_lost >= MAX_LOST_CLAIMS)) {
    const failure = { status: 'generic_error', reason: 'It ended the renderer three times.' } as const;
    await failCreative(transaction, { job, adId: ad_id, failure }, context);
  }
}
