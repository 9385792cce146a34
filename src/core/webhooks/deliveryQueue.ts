/**
 * The table of deliveries is the work queue of deliveries. A delivery is due when its `next_attempt_at` has passed. A worker
 * claims it by moving this time to the end of a lease, so that no other worker sees it as due. If the worker ends, the
 * lease does, and the delivery is due again.
 */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { notification } from '../../db/notifications.ts';
import type { Row } from '../../db/rows.ts';
import { deliveryChange } from './deliveryChanges.ts';
import {
  type DeliveryToSend,
  type DeliveryToSendRow,
  deliveryToSend,
  deliveryToSendColumns,
  joinedForSending,
} from './deliveryToSend.ts';

/** A claim holds as long as neither a replay nor a stored attempt has changed the delivery. */
export interface ClaimedDelivery extends DeliveryToSend {
  /** The host of a webhook, or a bucket. */
  readonly receiver: string;
}

export interface ClaimOptions {
  readonly channel: Row<'deliveries'>['channel'];
  readonly leaseSeconds: number;
  /** The attempts that run in this process. */
  readonly running: Iterable<Pick<ClaimedDelivery, 'organization_id' | 'receiver'>>;
  /** The most attempts to add, and the most that may then run for one organization and for one receiver of it. */
  readonly free: number;
  readonly perOrganization: number;
  readonly perReceiver: number;
}

/** The expression of the index `deliveries_queue`. */
const RECEIVER = sql.raw(`coalesce(lower(substring(target from '^[^:]+://(?:[^/?#]*@)?([^/?#]+)')), '')`);

/**
 * Claims due deliveries in turns: first of the organizations that run the fewest attempts, in each of the receivers that
 * run the fewest, the oldest first. The index leads from one receiver to the next one, so the cost does not depend on how
 * many deliveries wait. Skips those that another worker claims at this moment.
 * @returns them with what they send, without those of disabled and deleted endpoints.
 */
export async function claimDeliveries(db: Queryable, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const { channel, leaseSeconds, free, perOrganization, perReceiver } = options;
  const running = [...options.running];
  const { rows } = await sql<DeliveryToSendRow & { readonly receiver: string }>`
    with recursive receivers as (
      (select organization_id, ${RECEIVER} as receiver, next_attempt_at from deliveries
       where status = 'pending' and channel = ${channel}
       order by organization_id, ${RECEIVER}, next_attempt_at limit 1)
      union all
      select following.* from receivers r cross join lateral (
        select organization_id, ${RECEIVER} as receiver, next_attempt_at from deliveries
        where status = 'pending' and channel = ${channel}
          and (organization_id, ${RECEIVER}) > (r.organization_id, r.receiver)
        order by organization_id, ${RECEIVER}, next_attempt_at limit 1
      ) following
    ), running as (
      select organization_id, receiver, count(*)::integer as used from unnest(
        ${running.map(({ organization_id }) => organization_id)}::uuid[],
        ${running.map(({ receiver }) => receiver)}::text[]
      ) as attempt(organization_id, receiver) group by organization_id, receiver
    ), due as (
      select d.id, d.next_attempt_at, organization_id, receiver, coalesce(used, 0)
        + row_number() over (partition by organization_id, receiver order by d.next_attempt_at) as receiver_turn
      from receivers left join running using (organization_id, receiver) cross join lateral (
        select id, next_attempt_at from deliveries
        where status = 'pending' and channel = ${channel} and next_attempt_at <= now()
          and organization_id = receivers.organization_id and ${RECEIVER} = receivers.receiver
        order by next_attempt_at limit least(${free}, greatest(0, ${perReceiver} - coalesce(used, 0)))
      ) d
      where receivers.next_attempt_at <= now()
    ), in_turns as (
      select due.*, coalesce(organization.used, 0)
        + row_number() over (partition by organization_id order by receiver_turn, next_attempt_at) as turn
      from due left join (
        select organization_id, sum(used) as used from running group by organization_id
      ) organization using (organization_id)
    ), chosen as (
      select id, receiver, next_attempt_at as due_at from in_turns where turn <= ${perOrganization}
      order by turn, next_attempt_at limit ${free}
    ), locked as (
      select d.id, chosen.receiver, chosen.due_at from deliveries d join chosen using (id)
      -- Another worker may have claimed it since.
      where d.next_attempt_at = chosen.due_at
      for update of d skip locked
    ), claimed as (
      update deliveries d set next_attempt_at = now() + make_interval(secs => ${leaseSeconds})
      from locked where d.id = locked.id
      returning d.*, locked.receiver, locked.due_at
    )
    select ${deliveryToSendColumns}, d.receiver from claimed d ${joinedForSending}
    order by d.due_at`.execute(db);
  return rows.map(({ receiver, ...row }) => ({ ...deliveryToSend(db, row), receiver }));
}

type Claim = Pick<ClaimedDelivery, 'id' | 'round' | 'attempts'>;

/** Moves the end of leases to so many seconds from now; 0 makes the deliveries due. Leaves lost claims alone. */
export async function moveLeases(db: Queryable, claims: readonly Claim[], seconds: number): Promise<void> {
  if (claims.length === 0) return;
  await sql`
    with held as materialized (
      select d.id from deliveries d join unnest(
        ${claims.map(({ id }) => id)}::uuid[],
        ${claims.map(({ round }) => round)}::integer[],
        ${claims.map(({ attempts }) => attempts)}::integer[]
      ) as claim(id, round, attempts) on claim.id = d.id
      where d.status = 'pending' and d.replays = claim.round and d.attempts = claim.attempts
      order by d.id for no key update of d
    )
    update deliveries d set next_attempt_at = now() + make_interval(secs => ${seconds})
    from held where d.id = held.id`.execute(db);
}

export interface AttemptResult {
  /** `refused`: the service does not connect to the address. */
  readonly outcome: 'delivered' | 'retry' | 'gone' | 'refused';
  readonly statusCode?: number | undefined;
  /** Why the attempt failed, for the customer. */
  readonly error?: string | undefined;
  readonly durationMs: number;
  readonly responseSnippet?: string | undefined;
}

/** The end of a delivery, or the delay before its next try. */
export type NextStep =
  | { readonly state: 'delivered' | 'gone' | 'refused' | 'retries_exhausted' }
  | { readonly state: 'waiting'; readonly waitMs: number };

/**
 * Stores an attempt and what follows, in one statement, and tells the pages. A success ends the delivery, also if a person
 * sent it again during the attempt.
 * @returns `superseded` if the delivery was sent again or ended during the attempt, so that its next step stays as it was;
 * undefined if it was removed.
 */
export async function storeAttempt(
  db: Queryable,
  delivery: Claim & Pick<ClaimedDelivery, 'set_id' | 'ad_id'>,
  { result, next }: { readonly result: AttemptResult; readonly next: NextStep },
): Promise<NextStep['state'] | 'superseded' | undefined> {
  const { id, round, attempts } = delivery;
  const { outcome, durationMs, statusCode = null, error = null, responseSnippet = null } = result;
  const status = next.state === 'waiting' ? 'pending' : next.state;
  const reason = next.state === 'refused' ? error : null;
  const waitMs = next.state === 'waiting' ? next.waitMs : null;
  const { rows } = await sql<{ readonly counts: boolean }>`
    with found as materialized (
      select id, status = 'pending'
        and (${outcome === 'delivered'}::boolean or replays = ${round} and attempts = ${attempts}) as counts
      from deliveries where id = ${id} for no key update
    ), changed as (
      update deliveries d set attempts = d.attempts + 1, tries = d.tries + counts::integer,
        status = case when counts then ${status} else d.status end,
        reason = case when counts then ${reason}::text else d.reason end,
        next_attempt_at = case when counts then now() + make_interval(secs => ${waitMs}::float8 / 1000)
          else d.next_attempt_at end,
        finished_at = case when not counts then d.finished_at when ${waitMs}::float8 is null then now() end
      from found where d.id = found.id
      returning d.id, d.attempts, counts
    ), stored as (
      insert into delivery_attempts
        (delivery_id, attempt, started_at, duration_ms, status_code, outcome, error, response_snippet)
      select id, attempts, now() - make_interval(secs => ${durationMs}::float8 / 1000), ${durationMs}, ${statusCode}::integer,
        ${outcome}, ${error}::text, ${responseSnippet}::text
      from changed
    )
    select counts, ${notification(deliveryChange(delivery))} from changed`.execute(db);
  return rows[0] && (rows[0].counts ? next.state : 'superseded');
}

/** How many deliveries are due, and for how long the oldest has been. */
export async function deliveryDepth(db: Queryable): Promise<{ depth: number; oldestAgeSeconds: number }> {
  const { rows } = await sql<{ depth: number; age: number | null }>`
    select count(*)::integer as depth, extract(epoch from now() - min(next_attempt_at))::float8 as age
    from deliveries where status = 'pending' and next_attempt_at <= now()`.execute(db);
  return { depth: rows[0]?.depth ?? 0, oldestAgeSeconds: rows[0]?.age ?? 0 };
}
