import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../database/database.ts';

/**
 * Deletes deliveries with their attempts, and events that no other delivery needs.
 * @param isWanted the condition on `deliveries`.
 * @returns how many deliveries.
 */
export async function deleteDeliveriesOf(tx: Queryable, isWanted: RawBuilder<unknown>, most: number): Promise<number> {
  const { rows } = await sql<{ id: string; event_id: string }>`
    select id, event_id from deliveries where ${isWanted} limit ${most} for update skip locked`.execute(tx);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  const events = [...new Set(rows.map(({ event_id }) => event_id))];
  await sql`delete from delivery_attempts where delivery_id = any(${ids}::uuid[])`.execute(tx);
  await sql`delete from deliveries where id = any(${ids}::uuid[])`.execute(tx);
  await sql`delete from events e where id = any(${events}::uuid[])
    and not exists (select from deliveries d where d.event_id = e.id)`.execute(tx);
  return rows.length;
}

/** Deletes events whose deliveries were removed before. @param isWanted the condition on `events`. @returns how many. */
export async function deleteLoneEventsOf(tx: Queryable, isWanted: RawBuilder<unknown>, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from events e where id = any(array(select id from events where ${isWanted} limit ${most} for update))
      and not exists (select from deliveries d where d.event_id = e.id)`.execute(tx);
  return Number(numAffectedRows);
}
