/** Makes the JSON of deliveries. */
import { recordOf } from '../../contract/recordOf.ts';
import { DeliveryAttempt, type DeliveryDetailRecord, DeliveryRecord } from '../../contract/records.ts';
import type { DeliveryRow } from './listDeliveries.ts';

export function deliveryRecord(row: DeliveryRow): DeliveryRecord {
  return recordOf(DeliveryRecord, row, {
    event_id: `evt_${row.event_id}`,
    webhook_endpoint_id: row.endpoint_id,
    screenshot_set_id: row.set_id,
    log: row.log.map((attempt) =>
      recordOf(DeliveryAttempt, attempt, { response_snippet: attempt.response_snippet || null }),
    ),
  });
}

/** @param row with the text of its event. */
export function deliveryDetailRecord(row: DeliveryRow & { readonly body: string }): DeliveryDetailRecord {
  const payload: DeliveryDetailRecord['payload'] = JSON.parse(row.body);
  return { ...deliveryRecord(row), payload };
}
