/** Inserts events with a delivery and its attempt, as they are some days after they were sent. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';

export interface StoredEvents {
  readonly organizationId: string;
  readonly count?: number;
  /** Age of the events in days. */
  readonly age: number;
  /** Days since the deliveries ended; as `age` unless given. Null: they are pending. */
  readonly ended?: number | null;
  readonly setId?: string;
  readonly adId?: string;
  /** The receiver; one of a test event unless given. */
  readonly subscriberId?: string;
}

/** @returns the ids of the events and of their deliveries. */
export async function insertEvents(
  pool: pg.Pool,
  { organizationId, count = 1, age, ended = age, setId, adId, subscriberId }: StoredEvents,
): Promise<{ events: string[]; deliveries: string[] }> {
  const subscriber = subscriberId ?? randomUUID();
  if (subscriberId === undefined)
    await pool.query(
      `insert into subscribers (id, organization_id, seq, webhook_url, set_id, ad_id)
       values ($1, $2, 0, 'https://you.example/hook', $3, $4)`,
      [subscriber, organizationId, setId ?? null, adId ?? null],
    );
  const { rows } = await pool.query<{ event_id: string; id: string }>(
    `with e as (
       insert into events (id, organization_id, topic, body, created_at, set_id, ad_id)
       select gen_random_uuid(), $1, 'ad.uploaded', '{"data":{"object":{}}}', now() - make_interval(days => $2), $6::uuid, $7::uuid
       from generate_series(1, $3::integer) returning id, created_at),
     d as (
       insert into deliveries (id, organization_id, event_id, subscriber_id, set_id, ad_id, channel, target, status,
         attempts, tries, created_at, finished_at, next_attempt_at)
       select gen_random_uuid(), $1, e.id, $4, $6::uuid, $7::uuid, 'webhook', 'https://you.example/hook',
         case when $5::integer is null then 'pending' else 'delivered' end, 1, 1, e.created_at,
         now() - make_interval(days => $5::integer), case when $5::integer is null then now() + interval '1 hour' end
       from e returning id, event_id),
     a as (
       insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, outcome, response_snippet)
       select id, 1, now(), 5, 'delivered', 'Thank you' from d)
     select event_id, id from d`,
    [organizationId, age, count, subscriber, ended, setId ?? null, adId ?? null],
  );
  return { events: rows.map((row) => row.event_id), deliveries: rows.map((row) => row.id) };
}
