/** Queries that read or change the status of a set. */
import { sql, type Updateable } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';
import type { Priority } from '../../domain/priorities.ts';
import type { SetStatus } from '../../domain/states.ts';

export interface SetTime {
  /** Since the service accepted the set, on PostgreSQL's clock. */
  readonly seconds: number;
  readonly priority: Priority;
}

const SET_TIME = [
  sql<number>`extract(epoch from clock_timestamp() - created_at)::float8`.as('seconds'),
  'priority',
] as const;

const LOCKED = [
  ...(['id', 'name', 'status', 'campaign_id', 'instructions', 'metadata', 'original_id'] as const),
  ...(['cancel_requested_at', 'traceparent'] as const),
] as const;

export type LockedSet = Pick<Row<'screenshot_sets'>, (typeof LOCKED)[number]>;

/** Locks a set of this organization until the transaction ends. */
export async function lockSet(
  transaction: Queryable,
  { organizationId, setId }: { readonly organizationId: string; readonly setId: string },
): Promise<LockedSet | undefined> {
  return transaction
    .selectFrom('screenshot_sets')
    .select(LOCKED)
    .where('id', '=', setId)
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst();
}

/** Locks the set, so that no cancellation can be requested before the transaction ends. */
export async function lockCancelRequest(transaction: Queryable, setId: string): Promise<boolean> {
  const set = await transaction
    .selectFrom('screenshot_sets')
    .select('cancel_requested_at')
    .where('id', '=', setId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return set.cancel_requested_at !== null;
}

export async function requestCancel(transaction: Queryable, setId: string): Promise<void> {
  await transaction
    .updateTable('screenshot_sets')
    .set({ cancel_requested_at: sql<Date>`coalesce(cancel_requested_at, now())` })
    .where('id', '=', setId)
    .execute();
}

/** Ends a set that has no job. */
export async function cancelDraft(transaction: Queryable, setId: string): Promise<void> {
  const now = sql<Date>`now()`;
  await transaction
    .updateTable('screenshot_sets')
    .set({ status: 'canceled', cancel_requested_at: now, settled_at: now })
    .where('id', '=', setId)
    .execute();
}

/** Ends the review of a set, or opens it again. @param notes null keeps the stored notes. */
export async function decideReview(
  transaction: Queryable,
  { setId, status, notes }: { setId: string; status: 'approved' | 'rejected' | 'in_review'; notes: string | null },
): Promise<void> {
  const change: Updateable<Schema['screenshot_sets']> = { status };
  if (notes !== null) change.review_notes = notes;
  await transaction
    .updateTable('screenshot_sets')
    .set({ ...change, approved_at: status === 'approved' ? sql<Date>`now()` : null })
    .where('id', '=', setId)
    .execute();
}

/** Moves a set from `draft` to `capturing`. @returns undefined if it is not a draft or was canceled. */
export async function startCapturing(transaction: Queryable, setId: string): Promise<SetTime | undefined> {
  return transaction
    .updateTable('screenshot_sets')
    .set({ status: 'capturing' })
    .where('id', '=', setId)
    .where('status', '=', 'draft')
    .where('cancel_requested_at', 'is', null)
    .returning(SET_TIME)
    .executeTakeFirst();
}

export interface SetOutcome {
  readonly review: Row<'organizations'>['review'];
  readonly uploaded: number;
  readonly total: number;
}

/** Reads the facts that decide the final status of a set. */
export async function readSetOutcome(db: Queryable, setId: string): Promise<SetOutcome> {
  const { rows } = await sql<SetOutcome>`
    select o.review, count(*) filter (where p.status = 'uploaded')::integer as uploaded, count(p.id)::integer as total
    from screenshot_sets s join organizations o on o.id = s.organization_id left join screenshots p on p.set_id = s.id
    where s.id = ${setId} group by o.review`.execute(db);
  const [outcome] = rows;
  if (outcome === undefined) throw new Error(`unreachable: the set ${setId} was removed while it is being captured`);
  return outcome;
}

export async function markSetSettled(transaction: Queryable, setId: string, status: SetStatus): Promise<SetTime> {
  const now = sql<Date>`now()`;
  return transaction
    .updateTable('screenshot_sets')
    .set({ status, settled_at: now, ...(status === 'approved' ? { approved_at: now } : {}) })
    .where('id', '=', setId)
    .returning(SET_TIME)
    .executeTakeFirstOrThrow();
}

/** @returns undefined if another transaction has stored its first picture. */
export async function markFirstPicture(transaction: Queryable, setId: string): Promise<SetTime | undefined> {
  return transaction
    .updateTable('screenshot_sets')
    .set({ first_picture_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', setId)
    .where('first_picture_at', 'is', null)
    .returning(SET_TIME)
    .executeTakeFirst();
}
