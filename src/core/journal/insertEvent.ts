/** Stores events with their deliveries. */
import { randomUUID } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { Row } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';
import { timestamp } from '../../domain/time.ts';

interface NewEvent {
  readonly organizationId: string;
  readonly topic: Row<'events'>['topic'];
  readonly adId?: string | undefined;
  readonly setId?: string | undefined;
  readonly traceparent?: string | null;
}

type NewDelivery = Pick<
  Insertable<Schema['deliveries']>,
  'subscriber_id' | 'user_id' | 'chat_id' | 'channel' | 'target'
>;

/**
 * Stores an event with its deliveries, which are due at once. The commit wakes the workers.
 * @param object the JSON of `data.object`. @returns the ids of the deliveries.
 */
export async function insertEvent(
  transaction: Queryable,
  { organizationId, topic, adId, setId, traceparent = null }: NewEvent,
  object: string,
  deliveries: readonly NewDelivery[],
): Promise<string[]> {
  const [id, created_at] = [randomUUID(), new Date()];
  const envelope = { id: `evt_${id}`, type: 'event', created_at: timestamp(created_at), topic };
  const body = `${JSON.stringify(envelope).slice(0, -1)},"data":{"object":${object}}}`;
  const about = { organization_id: organizationId, ad_id: adId ?? null, set_id: setId ?? null };
  await transaction
    .insertInto('events')
    .values({ id, topic, body, created_at, ...about, traceparent })
    .execute();
  const rows = deliveries.map((delivery) => ({
    ...{ id: randomUUID(), event_id: id, ...about, ...delivery },
    next_attempt_at: sql<Date>`now()`,
  }));
  await transaction.insertInto('deliveries').values(rows).execute();
  await notify(transaction, { due: true });
  return rows.map((row) => row.id);
}
