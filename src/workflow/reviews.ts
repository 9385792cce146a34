/** What reviewers and clients do to a set. Each takes part in the caller's transaction. */
import { sql } from 'kysely';
import { conflict, notFound } from '../domain/failure.ts';
import { canMoveSet, type SetStatus } from '../domain/states.ts';
import type { Queryable } from '../store/database/database.ts';
import { notify } from '../store/database/notifications.ts';
import type { EventContext } from './eventContext.ts';
import { setEvent } from './events.ts';
import { failOrphanedAds } from './orphanedAds.ts';

interface Subject {
  readonly organizationId: string;
  readonly setId: string;
}

interface Review extends Subject {
  /** The reviewer's own words; null: those that are there stay. */
  readonly notes: string | null;
}

export interface Reviews {
  /** in_review → approved, and its subscribers are told. @throws Failure 404, 409 */
  approve(transaction: Queryable, review: Review): Promise<void>;
  /** in_review → rejected. @throws Failure 404, 409 */
  reject(transaction: Queryable, review: Review): Promise<void>;
  /** Ends a set that waits at once; one that is being captured ends a moment later. @throws Failure 404, 409 */
  cancel(transaction: Queryable, subject: Subject): Promise<void>;
}

export function createReviews(eventContext: EventContext): Reviews {
  return {
    approve: (transaction, review) => decide(transaction, { ...review, to: 'approved' }, eventContext),
    reject: (transaction, review) => decide(transaction, { ...review, to: 'rejected' }, eventContext),
    cancel: (transaction, subject) => cancel(transaction, subject, eventContext),
  };
}

async function decide(
  transaction: Queryable,
  { to, notes, ...subject }: Review & { to: 'approved' | 'rejected' },
  eventContext: EventContext,
): Promise<void> {
  const { status } = await lockSet(transaction, subject);
  // A set is approved by settling too, so the table of moves alone would let one through that is being captured.
  if (status !== 'in_review' || !canMoveSet(status, to)) throw forbidden(status, to);
  await transaction
    .updateTable('screenshot_sets')
    .set({
      status: to,
      ...(notes === null ? {} : { review_notes: notes }),
      ...(to === 'approved' ? { approved_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', subject.setId)
    .execute();
  await setEvent(transaction, { ...subject, topic: `screenshot_set.${to}` }, eventContext);
  await notify(transaction, { set: subject.setId });
}

async function cancel(transaction: Queryable, subject: Subject, eventContext: EventContext): Promise<void> {
  const { status, cancel_requested_at } = await lockSet(transaction, subject);
  if (!canMoveSet(status, 'canceled')) throw forbidden(status, 'canceled');
  const now = sql<Date>`now()`;
  const change =
    status === 'capturing'
      ? { cancel_requested_at: cancel_requested_at ?? now }
      : { status: 'canceled' as const, cancel_requested_at: now, settled_at: now };
  await transaction.updateTable('screenshot_sets').set(change).where('id', '=', subject.setId).execute();
  if (status === 'draft') await closeDraft(transaction, subject.setId, eventContext);
  await notify(transaction, { set: subject.setId });
}

/** A set without a job: nobody else will close its pictures. */
async function closeDraft(transaction: Queryable, setId: string, eventContext: EventContext): Promise<void> {
  const reason = 'The screenshot set was canceled.';
  const closed = await transaction
    .updateTable('screenshots')
    .set({ status: 'canceled', reason })
    .where('set_id', '=', setId)
    .where('status', '=', 'pending')
    .returning('ad_id')
    .execute();
  await failOrphanedAds(transaction, { adIds: [...new Set(closed.map(({ ad_id }) => ad_id))], reason }, eventContext);
}

async function lockSet(transaction: Queryable, { organizationId, setId }: Subject) {
  const set = await transaction
    .selectFrom('screenshot_sets')
    .select(['status', 'cancel_requested_at'])
    .where('id', '=', setId)
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst();
  if (set === undefined) throw notFound('id', `There is no screenshot set ${setId}.`);
  return set;
}

const DONE: Readonly<Partial<Record<SetStatus, string>>> = {
  approved: 'approved',
  rejected: 'rejected',
  canceled: 'canceled',
};

function forbidden(status: SetStatus, to: SetStatus) {
  return conflict('status', `is ${status}, so the set cannot be ${DONE[to] ?? to}.`);
}
