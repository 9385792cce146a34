/**
 * The table of deliveries is the work queue of deliveries. A delivery is due when its `next_attempt_at` has passed. A worker
 * claims it by moving this time to the end of a lease, so that no other worker sees it as due. If the worker ends, the
 * lease does, and the delivery is due again.
 */
import { sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import type { DeliveryTable } from '../database/schema.ts';
import {
  type DeliveryToSend,
  type DeliveryToSendRow,
  deliveryToSend,
  deliveryToSendColumns,
  joinedForSending,
} from './deliveryToSend.ts';

type Channel = DeliveryTable['channel'];

/** The deliveries of one organization to one receiver: the host of a webhook, or a bucket. */
export interface DeliveryLane {
  readonly organizationId: string;
  readonly receiver: string;
}

/** How many deliveries of a lane a worker wants. */
export interface LaneClaim extends DeliveryLane {
  readonly take: number;
}

/** A claim holds as long as neither a replay nor a stored attempt has changed the delivery. */
export interface ClaimedDelivery extends DeliveryToSend {
  readonly receiver: string;
}

/** The expression of the index `deliveries_queue`. */
const RECEIVER = sql.raw(`coalesce(lower(substring(target from '^[^:]+://(?:[^/?#]*@)?([^/?#]+)')), '')`);

/**
 * The lanes in which a delivery is due. Reads one row of each lane, however many wait behind it: the index leads from one
 * lane to the next one.
 */
export async function dueLanes(db: Queryable, channel: Channel): Promise<DeliveryLane[]> {
  const { rows } = await sql<DeliveryLane>`
    with recursive lanes as (
      (select organization_id, ${RECEIVER} as receiver, next_attempt_at from deliveries
       where status = 'pending' and channel = ${channel}
       order by organization_id, ${RECEIVER}, next_attempt_at limit 1)
      union all
      select following.* from lanes cross join lateral (
        select organization_id, ${RECEIVER} as receiver, next_attempt_at from deliveries
        where status = 'pending' and channel = ${channel}
          and (organization_id, ${RECEIVER}) > (lanes.organization_id, lanes.receiver)
        order by organization_id, ${RECEIVER}, next_attempt_at limit 1
      ) following
    )
    select organization_id as "organizationId", receiver from lanes where next_attempt_at <= now()`.execute(db);
  return rows;
}

/**
 * Claims the oldest due deliveries of each lane. Skips those that another worker claims at this moment.
 * @returns them with what they send, the oldest first, without those of disabled and deleted endpoints.
 */
export async function claimDeliveries(
  db: Queryable,
  { channel, lanes, leaseSeconds }: { channel: Channel; lanes: readonly LaneClaim[]; leaseSeconds: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<DeliveryToSendRow & { readonly receiver: string }>`
    with lanes as (
      select * from unnest(
        ${lanes.map(({ organizationId }) => organizationId)}::uuid[],
        ${lanes.map(({ receiver }) => receiver)}::text[],
        ${lanes.map(({ take }) => take)}::integer[]
      ) as lane(lane_organization, lane_receiver, take)
    ), picked as (
      select due.id, due.next_attempt_at as due_at, lane_receiver from lanes cross join lateral (
        select id, next_attempt_at from deliveries
        where status = 'pending' and channel = ${channel} and organization_id = lane_organization
          and ${RECEIVER} = lane_receiver and next_attempt_at <= now()
        order by next_attempt_at limit take for update skip locked
      ) due
    ), claimed as (
      update deliveries d set next_attempt_at = now() + make_interval(secs => ${leaseSeconds})
      from picked where d.id = picked.id
      returning d.*, picked.due_at, picked.lane_receiver
    )
    select ${deliveryToSendColumns}, d.lane_receiver as receiver from claimed d ${joinedForSending}
    order by d.due_at`.execute(db);
  return rows.map(({ receiver, ...row }) => ({ ...deliveryToSend(db, row), receiver }));
}

/** Moves the end of leases to so many seconds from now; 0 makes the deliveries due. Leaves lost claims alone. */
export async function moveLeases(
  db: Queryable,
  claimed: readonly Pick<ClaimedDelivery, 'id' | 'round' | 'attempts'>[],
  seconds: number,
): Promise<void> {
  if (claimed.length === 0) return;
  await sql`
    update deliveries d set next_attempt_at = now() + make_interval(secs => ${seconds})
    from unnest(
      ${claimed.map(({ id }) => id)}::uuid[],
      ${claimed.map(({ round }) => round)}::integer[],
      ${claimed.map(({ attempts }) => attempts)}::integer[]
    ) as held(id, round, attempts)
    where d.id = held.id and d.status = 'pending' and d.replays = held.round and d.attempts = held.attempts`.execute(
    db,
  );
}

/** How many deliveries are due, and for how long the oldest has been. */
export async function deliveryDepth(db: Queryable): Promise<{ depth: number; oldestAgeSeconds: number }> {
  const { rows } = await sql<{ depth: number; age: number | null }>`
    select count(*)::integer as depth, extract(epoch from now() - min(next_attempt_at))::float8 as age
    from deliveries where status = 'pending' and next_attempt_at <= now()`.execute(db);
  return { depth: rows[0]?.depth ?? 0, oldestAgeSeconds: rows[0]?.age ?? 0 };
}
