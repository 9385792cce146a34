/** Makes the JSON of stored events. */
import type { EventDetailRecord, EventRecord } from '../../contract/events.ts';
import { timestamp } from '../../domain/time.ts';
import { deliveryRecord } from '../sets/listItems.ts';
import type { EventRow } from './eventQueries.ts';
import type { DeliveryRow } from './listDeliveries.ts';

export function eventRecord({ id, topic, created_at, ad_id, set_id }: EventRow): EventRecord {
  return { type: 'event', id: `evt_${id}`, topic, created_at: timestamp(created_at), ad_id, screenshot_set_id: set_id };
}

/** @param row with the text of the event. */
export function eventDetailRecord(
  row: EventRow & { readonly body: string },
  deliveries: readonly DeliveryRow[],
): EventDetailRecord {
  const { data }: Pick<EventDetailRecord, 'data'> = JSON.parse(row.body);
  return { ...eventRecord(row), data, deliveries: deliveries.map(deliveryRecord) };
}
