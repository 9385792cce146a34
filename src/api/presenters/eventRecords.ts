/** Makes the JSON of stored events. */

import type { EventReplayRecord } from '../../contract/eventReplays.ts';
import type { EventDetailRecord, EventRecord } from '../../contract/events.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { EventReplayRow } from '../../store/deliveries/eventReplays.ts';
import type { EventRow } from '../../store/deliveries/events.ts';
import type { DeliveryRow } from '../../store/deliveries/listDeliveries.ts';
import { deliveryRecord } from './listItems.ts';

export function eventRecord({ id, topic, created_at, ad_id, set_id }: EventRow): EventRecord {
  return { type: 'event', id: `evt_${id}`, topic, created_at: timestamp(created_at), ad_id, screenshot_set_id: set_id };
}

export function eventReplayRecord(row: EventReplayRow): EventReplayRecord {
  return {
    type: 'event_replay',
    id: row.id,
    status: row.status,
    reason: row.reason,
    from: timestamp(row.range_from),
    to: timestamp(row.range_to),
    topic: row.topic,
    webhook_endpoint_id: row.endpoint_id,
    only_failed: row.only_failed,
    events: row.events,
    events_done: row.events_done,
    deliveries: row.deliveries,
    created_at: timestamp(row.created_at),
    finished_at: maybeTimestamp(row.finished_at),
  };
}

/** @param row with the text of the event. */
export function eventDetailRecord(
  row: EventRow & { readonly body: string },
  deliveries: readonly DeliveryRow[],
): EventDetailRecord {
  const { data }: Pick<EventDetailRecord, 'data'> = JSON.parse(row.body);
  return { ...eventRecord(row), data, deliveries: deliveries.map(deliveryRecord) };
}
