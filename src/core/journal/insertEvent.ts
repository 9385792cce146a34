/** Stores events with their deliveries. */
import { type Insertable, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { Schema } from '../../db/schema.ts';

export type NewDelivery = Omit<Insertable<Schema['deliveries']>, 'event_id' | 'organization_id' | 'next_attempt_at'>;

/** Stores an event with its deliveries, which are due at once. The commit wakes the workers. */
export async function insertEvent(
  transaction: Queryable,
  event: Insertable<Schema['events']>,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  await transaction.insertInto('events').values(event).execute();
  const owner = { event_id: event.id, organization_id: event.organization_id };
  const rows = deliveries.map((delivery) => ({ ...delivery, ...owner, next_attempt_at: sql<Date>`now()` }));
  await transaction.insertInto('deliveries').values(rows).execute();
  await notify(transaction, { due: true });
}
