/**
 * Claims on the creatives of a job. A claim is held under a lease on PostgreSQL's clock, so a capture that dies loses its
 * claim, and another capture takes the creative.
 */
import type { Queryable } from '../../db/database.ts';
import { type AttemptRef, lockAttempt, lockUnsettledJob } from './attempts.ts';
import type { ResolveContext } from './countedTransactions.ts';
import { failCreative } from './creativeResults.ts';
import {
  type ClaimedCreativeRow,
  claimNextCreative,
  extendClaim,
  removeClaim,
  removeExpiredClaims,
} from './creatives.ts';

/** A creative whose claim is lost this often fails, because it probably ends each capture that renders it. */
const MAX_LOST_CLAIMS = 3;

/** Claims the next free creative, first those that screenshots of this index wait for. @throws SupersededError */
export async function claimCreative(
  transaction: Queryable,
  attemptRef: AttemptRef,
  leaseSeconds: number,
): Promise<ClaimedCreativeRow | undefined> {
  const { set_id: setId } = await lockAttempt(transaction, attemptRef);
  return claimNextCreative(transaction, attemptRef, { setId, leaseSeconds });
}

/** Renews the lease of a claim. @returns false if this attempt no longer holds the claim. @throws SupersededError */
export async function renewClaim(
  transaction: Queryable,
  attemptRef: AttemptRef,
  claim: { adId: string; leaseSeconds: number },
): Promise<boolean> {
  await lockAttempt(transaction, attemptRef);
  return extendClaim(transaction, attemptRef, claim);
}

/** Releases a claim of a capture that was asked to end. The claim does not count as lost. @throws SupersededError */
export async function releaseClaim(transaction: Queryable, attemptRef: AttemptRef, adId: string): Promise<void> {
  await lockAttempt(transaction, attemptRef);
  await removeClaim(transaction, attemptRef, adId);
}

/** Ends claims whose lease has expired. A creative that is lost three times fails. */
export async function expireClaims(transaction: Queryable, jobId: string, context: ResolveContext): Promise<void> {
  const job = await lockUnsettledJob(transaction, jobId);
  if (job === undefined) return;
  const lost = await removeExpiredClaims(transaction, jobId);
  for (const { ad_id } of lost.filter(({ claims_lost }) => claims_lost >= MAX_LOST_CLAIMS)) {
    const failure = { status: 'generic_error', reason: 'It ended the renderer three times.' } as const;
    await failCreative(transaction, { job, adId: ad_id, failure }, context);
  }
}
