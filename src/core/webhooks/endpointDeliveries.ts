/**
 * Pending deliveries follow their webhook endpoint: they end when it is disabled or deleted, and go to its new address. A dead
 * endpoint may have very many, so this happens in steps of one transaction each. Until the last step, no worker sends
 * anything to a disabled endpoint or to an old address, because workers read the endpoint.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Queryable } from '../../db/database.ts';
import type { Enqueuer } from '../../db/queuePayloads.ts';
import {
  changePendingDeliveries,
  type EndpointState,
  type PendingChange,
  readEndpointState,
} from './endpointEvents.ts';

/** Deliveries of one step, so that no transaction is long or holds many locks. */
const MOST = 1_000;
/** After a step that found only deliveries whose attempts are being stored. */
const PAUSE_MS = 100;

/** Makes the first step, in the transaction that changes the endpoint, and enqueues the others. */
export async function updatePendingDeliveries(tx: Queryable, endpointId: string, queue: Enqueuer): Promise<void> {
  const { isComplete } = await makeStep(tx, endpointId);
  if (!isComplete) await queue.enqueue(tx, 'update_deliveries', { endpoint_id: endpointId });
}

/** Makes the other steps. @throws the reason of `signal`, and errors of PostgreSQL; the queue then calls it again. */
export async function finishPendingDeliveries(db: Database, endpointId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { changed, isComplete } = await db.transaction().execute((tx) => makeStep(tx, endpointId));
    if (isComplete) return;
    if (changed === 0) await sleep(PAUSE_MS, undefined, { signal });
  }
}

async function makeStep(tx: Queryable, endpointId: string): Promise<{ changed: number; isComplete: boolean }> {
  const endpoint = await readEndpointState(tx, endpointId);
  if (endpoint === undefined) return { changed: 0, isComplete: true };
  return changePendingDeliveries(tx, endpointId, { change: changeFor(endpoint), most: MOST });
}

function changeFor({ url, is_deleted, is_disabled, disabled_reason }: EndpointState): PendingChange {
  if (is_deleted) return { reason: 'The webhook endpoint was deleted.' };
  if (!is_disabled) return { url };
  if (disabled_reason === null) return { reason: 'The webhook endpoint was disabled.' };
  return { reason: `The service disabled the webhook endpoint. ${disabled_reason}` };
}
