/**
 * Hosting: a capture that has finished its own index continues with small sets of the same organization, its guests.
 *
 * The host asks for a guest and is idle until the admission gives it one or ends its hosting. It holds a lease while it hosts. A guest whose
 * host ends or loses its lease gets a Job of its own, and is never hosted again.
 */
import type { Queryable } from '../store/database/database.ts';
import {
  assignGuest,
  endHosting,
  extendHosting,
  findGuest,
  type HostState,
  type IdleHost,
  notifyJobAndGuests,
  readHost,
} from '../store/jobs/hosting.ts';
import { type AttemptRef, SupersededError } from './attempts.ts';
import type { EventContext } from './eventContext.ts';

/** `asked`: the capture waits for the admission. `ended`: it must not wait any longer. */
export type GuestAnswer = { readonly guest: string } | 'asked' | 'ended';

/**
 * The capture asks for its next guest. The first call starts an admission. If its own job has an index that has not started, the
 * capture must end, because that index waits for its place. @throws SupersededError
 */
export async function askForGuest(
  transaction: Queryable,
  host: AttemptRef,
  { leaseSeconds, queue }: { readonly leaseSeconds: number } & Pick<EventContext, 'queue'>,
): Promise<GuestAnswer> {
  const state = await readCurrentHost(transaction, host, { lock: true });
  const guest = await guestOf(transaction, host, state);
  if (guest !== undefined) return { guest };
  if (!state.hosting) return 'ended';
  if (state.has_unstarted) {
    await stopHosting(transaction, host.jobId, host.index);
    return 'ended';
  }
  await extendHosting(transaction, host, { leaseSeconds, idle: true });
  if (state.idle_ms === null) await queue.enqueue(transaction, 'launch', { organization_id: state.organization_id });
  return 'asked';
}

/** @returns undefined as long as the admission has not decided. @throws SupersededError */
export async function readGuest(db: Queryable, host: AttemptRef): Promise<Exclude<GuestAnswer, 'asked'> | undefined> {
  // Without a lock, because the admission must not wait for those who wait for it.
  const state = await readCurrentHost(db, host, { lock: false });
  const guest = await guestOf(db, host, state);
  if (guest !== undefined) return { guest };
  return state.hosting ? undefined : 'ended';
}

/** Renews the lease. @returns false if the capture must take no further guest. @throws SupersededError */
export async function renewHosting(transaction: Queryable, host: AttemptRef, leaseSeconds: number): Promise<boolean> {
  const { hosting } = await readCurrentHost(transaction, host, { lock: true });
  if (hosting) await extendHosting(transaction, host, { leaseSeconds });
  return hosting;
}

/**
 * Ends the hosting of a capture that takes no further guest. An unfinished guest gets a Job of its own.
 * @param host.afterMs ends it only if the capture has waited for a guest for so long. @returns whether it still hosts.
 * @throws SupersededError
 */
export async function leaveHosting(
  transaction: Queryable,
  host: AttemptRef,
  { queue, afterMs = 0 }: Pick<EventContext, 'queue'> & { readonly afterMs?: number },
): Promise<boolean> {
  const state = await readCurrentHost(transaction, host, { lock: true });
  if (!state.hosting) return false;
  if (afterMs > 0 && (state.idle_ms === null || state.idle_ms < afterMs)) return true;
  await stopHosting(transaction, host.jobId, host.index);
  await queue.enqueue(transaction, 'launch', { organization_id: state.organization_id });
  return false;
}

/** Ends the hosting of one capture of the job, or of all of them. The controller looks at the job and its guests. */
export async function stopHosting(transaction: Queryable, jobId: string, index?: number): Promise<void> {
  if (await endHosting(transaction, jobId, index)) await notifyJobAndGuests(transaction, jobId);
}

/** The admission gives a new job to a host. */
export async function giveGuest(transaction: Queryable, host: IdleHost, guestId: string): Promise<void> {
  await assignGuest(transaction, host, guestId);
  await notifyJobAndGuests(transaction, host.jobId);
}

async function guestOf(
  transaction: Queryable,
  { jobId, index }: AttemptRef,
  { pod }: HostState,
): Promise<string | undefined> {
  return findGuest(transaction, { jobId, index, pod });
}

async function readCurrentHost(
  db: Queryable,
  { jobId, index, attempt, pod }: AttemptRef,
  options: { readonly lock: boolean },
): Promise<HostState> {
  const state = await readHost(db, { jobId, index }, options);
  if (state?.attempt !== attempt || (pod !== undefined && state.pod !== pod))
    throw new SupersededError(`Attempt ${attempt} of index ${index} is not its current attempt.`);
  return state;
}
