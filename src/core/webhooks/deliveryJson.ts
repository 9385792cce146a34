/** Makes the JSON of deliveries. */
import type { DeliveryDetailRecord, DeliveryRecord } from '../../contract/records.ts';
import { maybeTimestamp, timestamp } from '../../domain/time.ts';
import type { DeliveryRow } from './listDeliveries.ts';

export function deliveryRecord(row: DeliveryRow): DeliveryRecord {
  return {
    type: 'delivery',
    id: row.id,
    event_id: `evt_${row.event_id}`,
    topic: row.topic,
    channel: row.channel,
    target: row.target,
    webhook_endpoint_id: row.endpoint_id,
    status: row.status,
    reason: row.reason,
    attempts: row.attempts,
    next_attempt_at: maybeTimestamp(row.next_attempt_at),
    created_at: timestamp(row.created_at),
    finished_at: maybeTimestamp(row.finished_at),
    ad_id: row.ad_id,
    screenshot_set_id: row.set_id,
    log: row.log.map(({ attempt, started_at, duration_ms, status_code, outcome, error, response_snippet }) => ({
      attempt,
      started_at: timestamp(started_at),
      duration_ms,
      status_code,
      outcome,
      error,
      response_snippet: response_snippet || null,
    })),
  };
}

/** @param row with the text of its event. */
export function deliveryDetailRecord(row: DeliveryRow & { readonly body: string }): DeliveryDetailRecord {
  const payload: DeliveryDetailRecord['payload'] = JSON.parse(row.body);
  return { ...deliveryRecord(row), payload };
}
