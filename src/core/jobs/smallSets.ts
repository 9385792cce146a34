/**
 * A capture that has finished its own index takes the next waiting small set of its organization: it is the host of that set's job.
 *
 * It holds a lease while it may take sets. A job whose host ends or loses its lease gets a Job of its own, and never has a host again.
 */

import { takeLock } from '../../db/advisoryLocks.ts';
import type { Queryable } from '../../db/database.ts';
import type { EventContext } from '../events/recordEvent.ts';
import { type AdmissionLimits, type Admitted, admitSmallSet } from './admission.ts';
import { type AttemptRef, SupersededError } from './attempts.ts';
import type { ResolveContext } from './countedTransactions.ts';
import {
  assignHost,
  endHosting,
  extendHosting,
  findHostedJob,
  type HostState,
  notifyJobAndHosted,
  readHost,
} from './hosts.ts';

export interface ClaimOptions extends Pick<ResolveContext, 'queue' | 'reached'> {
  readonly leaseSeconds: number;
  readonly limits: Pick<AdmissionLimits, 'maxPodsPerOrganization' | 'setDeadlineSeconds'>;
}

/**
 * Gives the capture the next small set, or the one that it has not finished. If there is none, if it is the turn of another organization, or
 * if an index waits for the place of the capture, the capture must end.
 * @returns the set's job, with its admission if that is new. @throws SupersededError
 */
export async function claimSmallSet(
  transaction: Queryable,
  capture: AttemptRef,
  { leaseSeconds, limits, queue, reached }: ClaimOptions,
): Promise<{ readonly jobId: string; readonly admitted?: Admitted } | undefined> {
  await takeLock(transaction, 'admission');
  const host = await lockHost(transaction, capture);
  const { pod, organization_id } = host;
  const unfinished = await findHostedJob(transaction, { ...capture, pod });
  if (unfinished !== undefined) return { jobId: unfinished };
  if (!host.hosting) return undefined;
  const next = host.has_unstarted ? undefined : await admitSmallSet(transaction, organization_id, limits, { reached });
  if (next === undefined) {
    await leave(transaction, capture, { organization_id, queue });
    return undefined;
  }
  await assignHost(transaction, { ...capture, pod }, next.jobId);
  await extendHosting(transaction, capture, leaseSeconds);
  return { jobId: next.jobId, admitted: next };
}

/** Renews the lease. @returns false if the capture must take no further set. @throws SupersededError */
export async function renewHosting(
  transaction: Queryable,
  capture: AttemptRef,
  leaseSeconds: number,
): Promise<boolean> {
  const { hosting } = await lockHost(transaction, capture);
  if (hosting) await extendHosting(transaction, capture, leaseSeconds);
  return hosting;
}

/** The capture takes no further set. A set that it has not finished gets a Job of its own. @throws SupersededError */
export async function leaveHosting(
  transaction: Queryable,
  capture: AttemptRef,
  { queue }: Pick<EventContext, 'queue'>,
): Promise<void> {
  const { hosting, organization_id } = await lockHost(transaction, capture);
  if (hosting) await leave(transaction, capture, { organization_id, queue });
}

/** Ends the hosting of one capture of the job, or of all of them. The controller looks at the job and at those that they work on. */
export async function stopHosting(transaction: Queryable, jobId: string, index?: number): Promise<void> {
  if (await endHosting(transaction, jobId, index)) await notifyJobAndHosted(transaction, jobId);
}

async function leave(
  transaction: Queryable,
  { jobId, index }: AttemptRef,
  { organization_id, queue }: Pick<HostState, 'organization_id'> & Pick<EventContext, 'queue'>,
): Promise<void> {
  await stopHosting(transaction, jobId, index);
  // Its place is free.
  await queue.enqueue(transaction, 'launch', { organization_id });
}

async function lockHost(db: Queryable, { jobId, index, attempt, pod }: AttemptRef): Promise<HostState> {
  const host = await readHost(db, { jobId, index });
  if (host?.attempt !== attempt || (pod !== undefined && host.pod !== pod))
    throw new SupersededError(`Attempt ${attempt} of index ${index} is not its current attempt.`);
  return host;
}
