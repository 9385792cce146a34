/** Records attempts of deliveries, and when the next ones are due. */
import type { Queryable } from '../store/database/database.ts';
import {
  insertDeliveryAttempts,
  type LockedDelivery,
  lockDeliveries,
  updateDeliveries,
} from '../store/deliveries/deliveryStatus.ts';
import { type Settlement, settleDeliveries } from '../store/deliveries/settleDeliveries.ts';
import { recordEndpointResults } from '../store/webhookEndpoints/failingEndpoints.ts';
import { notifyOfDeliveries } from './deliveryNotifications.ts';

export interface DeliveryAttemptResult {
  readonly durationMs: number;
  readonly statusCode: number | undefined;
  readonly outcome: 'delivered' | 'retry' | 'gone' | 'refused';
  readonly error: string | undefined;
  readonly responseSnippet: string | undefined;
}

/** The end of a delivery, or the delay before its next try. */
export type NextStep =
  | { readonly state: 'delivered' | 'gone' | 'refused' | 'retries_exhausted' }
  | { readonly state: 'waiting'; readonly waitMs: number };

export interface MadeAttempt {
  readonly deliveryId: string;
  /** The round in which the attempt began, and the attempts before it: all, and those of the round. */
  readonly round: number;
  readonly attempts: number;
  readonly tries: number;
  readonly result: DeliveryAttemptResult;
  /** The webhook endpoint whose success or failure this is. Undefined for other receivers, and if the service failed. */
  readonly endpointId?: string | undefined;
  /** Gets the number of attempts in this round, including this one. */
  readonly decide: (tries: number) => NextStep;
}

export type RecordedState = NextStep['state'] | 'superseded';

/**
 * Stores attempts of different deliveries and the next step of each.
 * @returns the state of each delivery by its id. One that was removed in the meantime is absent.
 */
export async function recordDeliveryAttempts(
  transaction: Queryable,
  made: readonly MadeAttempt[],
): Promise<Map<string, RecordedState>> {
  await recordEndpointResults(
    transaction,
    made.flatMap(({ endpointId, result }) =>
      endpointId === undefined ? [] : [{ endpointId, isDelivered: result.outcome === 'delivered' }],
    ),
  );
  const next = new Map(made.map((attempt) => [attempt.deliveryId, attempt.decide(attempt.tries + 1)]));
  const settled = await settleDeliveries(
    transaction,
    made.map((attempt) => settlementOf(attempt, next.get(attempt.deliveryId))),
  );
  const states = new Map<string, RecordedState>();
  for (const { id } of settled) states.set(id, next.get(id)?.state ?? 'superseded');
  const changed = made.filter(({ deliveryId }) => !states.has(deliveryId));
  const others = changed.length === 0 ? [] : await recordChanged(transaction, changed, states);
  if (settled.length + others.length > 0) await notifyOfDeliveries(transaction, [...settled, ...others]);
  return states;
}

/** Stores attempts of deliveries that were sent again or ended after they were claimed. Adds their states. */
async function recordChanged(
  transaction: Queryable,
  made: readonly MadeAttempt[],
  states: Map<string, RecordedState>,
): Promise<LockedDelivery[]> {
  const locked = await lockDeliveries(
    transaction,
    made.map(({ deliveryId }) => deliveryId),
  );
  const byId = new Map(locked.map((delivery) => [delivery.id, delivery]));
  const present = made.flatMap((attempt) => {
    const delivery = byId.get(attempt.deliveryId);
    return delivery === undefined ? [] : [{ delivery, result: attempt.result, state: nextState(delivery, attempt) }];
  });
  if (present.length === 0) return [];
  await insertDeliveryAttempts(
    transaction,
    present.map(({ delivery, result }) => attemptRow(delivery, result)),
  );
  await updateDeliveries(
    transaction,
    present.map(({ delivery, state, result }) => ({ id: delivery.id, ...changeOf(delivery, state, result) })),
  );
  for (const { delivery, state } of present) states.set(delivery.id, state.state);
  return locked;
}

function settlementOf({ deliveryId, round, attempts, result }: MadeAttempt, next: NextStep | undefined): Settlement {
  const { durationMs, statusCode, outcome, error, responseSnippet } = result;
  const state = next?.state ?? 'waiting';
  return {
    ...{ id: deliveryId, round, attempts },
    status: state === 'waiting' ? 'pending' : state,
    reason: state === 'refused' ? (error ?? null) : null,
    wait_ms: next?.state === 'waiting' ? next.waitMs : null,
    result: {
      ...{ duration_ms: durationMs, status_code: statusCode ?? null, outcome },
      ...{ error: error ?? null, response_snippet: responseSnippet ?? null },
    },
  };
}

function nextState(
  delivery: LockedDelivery,
  { round, result, decide }: MadeAttempt,
): NextStep | { state: 'superseded' } {
  // A person sent it again during this attempt. Only a success ends the new round.
  const isPast = delivery.replays !== round && result.outcome !== 'delivered';
  return delivery.status !== 'pending' || isPast ? { state: 'superseded' } : decide(delivery.tries + 1);
}

function changeOf(
  delivery: LockedDelivery,
  next: NextStep | { state: 'superseded' },
  { error = null }: { readonly error?: string | null | undefined },
) {
  const attempts = delivery.attempts + 1;
  const { status, reason, tries, next_attempt_at, finished_at, now } = delivery;
  if (next.state === 'superseded') return { attempts, status, reason, tries, next_attempt_at, finished_at };
  const counted = { attempts, tries: tries + 1 };
  if (next.state !== 'waiting') {
    const why = next.state === 'refused' ? error : null;
    return { ...counted, status: next.state, reason: why, next_attempt_at: null, finished_at: now };
  }
  // On PostgreSQL's clock, by which workers find what is due.
  const dueAt = new Date(now.getTime() + next.waitMs);
  return { ...counted, status, reason: null, next_attempt_at: dueAt, finished_at: null };
}

function attemptRow({ id, attempts, now }: LockedDelivery, result: DeliveryAttemptResult) {
  return {
    delivery_id: id,
    attempt: attempts + 1,
    started_at: new Date(now.getTime() - result.durationMs),
    duration_ms: result.durationMs,
    status_code: result.statusCode ?? null,
    outcome: result.outcome,
    error: result.error ?? null,
    response_snippet: result.responseSnippet ?? null,
  };
}
