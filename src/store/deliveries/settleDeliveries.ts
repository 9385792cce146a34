import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import type { DeliveryAttemptTable, DeliveryTable } from '../database/schema.ts';

/** An attempt, and what follows if the delivery is still as it was claimed. */
export interface Settlement {
  readonly id: string;
  /** As claimed. */
  readonly round: number;
  readonly attempts: number;
  readonly status: Selectable<DeliveryTable>['status'];
  readonly reason: string | null;
  /** Until the next attempt; null if the delivery ends. */
  readonly wait_ms: number | null;
  readonly result: Omit<Selectable<DeliveryAttemptTable>, 'delivery_id' | 'attempt' | 'started_at'>;
}

export type SettledDelivery = Pick<Selectable<DeliveryTable>, 'id' | 'set_id' | 'ad_id'>;

/**
 * Stores attempts and the next steps of their deliveries in one statement. Locks the deliveries in the order of their ids,
 * so that two callers never wait for each other. @returns those that were still as claimed. Leaves the others alone.
 */
export async function settleDeliveries(
  transaction: Queryable,
  settlements: readonly Settlement[],
): Promise<SettledDelivery[]> {
  const column = <K extends keyof Settlement>(name: K) => settlements.map((one) => one[name]);
  const result = <K extends keyof Settlement['result']>(name: K) => settlements.map((one) => one.result[name]);
  const { rows } = await sql<SettledDelivery>`
    with made as (
      select * from unnest(
        ${column('id')}::uuid[], ${column('round')}::integer[], ${column('attempts')}::integer[],
        ${column('status')}::text[], ${column('reason')}::text[], ${column('wait_ms')}::float8[],
        ${result('duration_ms')}::integer[], ${result('status_code')}::integer[], ${result('outcome')}::text[],
        ${result('error')}::text[], ${result('response_snippet')}::text[]
      ) as made(id, round, attempts, status, reason, wait_ms, duration_ms, status_code, outcome, error, snippet)
    ), locked as materialized (
      select d.id from deliveries d join made m on m.id = d.id
      where d.status = 'pending' and d.replays = m.round and d.attempts = m.attempts
      order by d.id for no key update of d
    ), settled as (
      update deliveries d set status = m.status, reason = m.reason, attempts = d.attempts + 1, tries = d.tries + 1,
        next_attempt_at = now() + make_interval(secs => m.wait_ms / 1000),
        finished_at = case when m.wait_ms is null then now() end
      from locked join made m using (id) where d.id = locked.id
      returning d.id, d.set_id, d.ad_id, d.attempts
    ), stored as (
      insert into delivery_attempts
        (delivery_id, attempt, started_at, duration_ms, status_code, outcome, error, response_snippet)
      select id, settled.attempts, now() - make_interval(secs => duration_ms / 1000.0), duration_ms, status_code, outcome,
        error, snippet
      from settled join made using (id)
    )
    select id, set_id, ad_id from settled`.execute(transaction);
  return rows;
}
