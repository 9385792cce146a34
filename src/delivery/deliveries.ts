/**
 * Sends deliveries. Webhooks and S3 have a worker each, so that neither takes the slots of the other. The table of deliveries
 * is their work queue. If a process is killed before it stores the result of an attempt, another one repeats the attempt
 * with the same webhook-id when the lease has ended.
 */
import { TEST_TOPIC } from '../domain/topics.ts';
import type { GuardedFetch } from '../egress/ports.ts';
import { BatchWriter } from '../lib/batchWriter.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import type { CompleteDelivery, DeliveryToSend } from '../store/deliveries/deliveryToSend.ts';
import {
  type DeliveryAttemptResult,
  type MadeAttempt,
  type RecordedState,
  recordDeliveryAttempts,
} from '../workflow/deliveryAttempts.ts';
import { disableFailingEndpoint } from '../workflow/failingEndpoints.ts';
import { startUploadAborts } from './abandonedUploads.ts';
import { deliverToBucket } from './bucketDelivery.ts';
import { startConnectorChecks } from './connectorCheck.ts';
import { DeliveryWorker } from './deliveryWorker.ts';
import { startEndpointUpdates } from './endpointUpdates.ts';
import { LargeBodies } from './largeBodies.ts';
import type { DeliveryOptions } from './options.ts';
import { startPeriodReplays } from './periodReplays.ts';
import { decideNext, MAX_ATTEMPTS } from './schedule.ts';
import { createWebhookFetch, sendWebhook } from './webhook.ts';

const LIMITS = {
  webhook: { total: 512, perOrganization: 64, perReceiver: 16 },
  s3: { total: 16, perOrganization: 2, perReceiver: 2 },
} as const;
const DAY_SECONDS = 86_400;
/** Results in one transaction. */
const MAX_BATCH = 200;
/** Between the beginnings of two such transactions. */
const STORE_PAUSE_MS = 25;

export interface Deliveries {
  /** Claims nothing more, and waits for running attempts, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

/** Starts the workers of deliveries, and those of other queues, which stop with the queue. */
export async function startDeliveries(options: DeliveryOptions): Promise<Deliveries> {
  const { store, log, limits, subscribe } = options;
  await startConnectorChecks(options);
  await startPeriodReplays(options);
  await startEndpointUpdates(options);
  await startUploadAborts(options);
  const sender = new Sender(options);
  const workers = (['webhook', 's3'] as const).map((channel) => {
    const attempt = (delivery: DeliveryToSend, signal: AbortSignal) => sender.attempt(delivery, signal);
    return new DeliveryWorker({ db: store.db, channel, log, limits: { ...LIMITS[channel], ...limits }, attempt });
  });
  for (const worker of workers) worker.start();
  const unsubscribe = subscribe?.((change) => {
    // An empty change follows a lost connection.
    const isLost = Object.keys(change).length === 0;
    for (const worker of workers) {
      if (change.endpoint !== undefined || isLost) worker.readAgain();
      if (change.due === true || isLost) worker.wake();
    }
  });
  return {
    stop: async (timeoutMs) => {
      unsubscribe?.();
      await Promise.all(workers.map((worker) => worker.stop(timeoutMs)));
    },
  };
}

interface Outcome {
  readonly made: DeliveryAttemptResult;
  readonly retryAfterMs?: number | undefined;
  /** The service could not make the attempt. */
  readonly isOurFailure?: boolean;
}

class Sender {
  readonly #options: DeliveryOptions;
  readonly #fetch: GuardedFetch;
  readonly #bodies: LargeBodies;
  readonly #results: BatchWriter<{ readonly attempt: MadeAttempt; recorded: RecordedState | undefined }>;

  constructor(options: DeliveryOptions) {
    const { db } = options.store;
    this.#options = options;
    this.#fetch = createWebhookFetch(options.guard);
    this.#bodies = new LargeBodies(db);
    this.#results = new BatchWriter(
      async (results) => {
        const attempts = results.map(({ attempt }) => attempt);
        const states = await db.transaction().execute((tx) => recordDeliveryAttempts(tx, attempts));
        for (const result of results) result.recorded = states.get(result.attempt.deliveryId);
      },
      MAX_BATCH,
      STORE_PAUSE_MS,
    );
  }

  /** @returns a function that stores the result; undefined if a shutdown aborted the attempt, not the receiver. */
  async attempt(delivery: DeliveryToSend, signal: AbortSignal): Promise<(() => Promise<void>) | undefined> {
    const outcome = await this.#bodies.use(delivery, (body) => this.#make({ ...delivery, body }, signal));
    return signal.aborted && outcome.made.outcome === 'retry' ? undefined : () => this.#store(delivery, outcome);
  }

  async #make(delivery: CompleteDelivery, signal: AbortSignal): Promise<Outcome> {
    const started = performance.now();
    try {
      if (delivery.channel === 's3') return await deliverToBucket(delivery, this.#options, signal);
      return await this.#sendWebhook(delivery, signal);
    } catch (error) {
      // For example a picture that cannot be read. It counts as an attempt, so that retries end.
      this.#options.log.error({ err: error, delivery_id: delivery.id }, 'a delivery attempt failed on our side');
      const durationMs = Math.round(performance.now() - started);
      const reason = `The service could not make this attempt: ${errorMessage(error)}`;
      return {
        made: { outcome: 'retry', statusCode: undefined, error: reason, responseSnippet: undefined, durationMs },
        isOurFailure: true,
      };
    }
  }

  async #sendWebhook(delivery: CompleteDelivery, signal: AbortSignal): Promise<Outcome> {
    const { outcome, statusCode, error, durationMs, responseSnippet, retryAfterMs } = await sendWebhook({
      url: delivery.target,
      eventId: `evt_${delivery.event_id}`,
      payload: delivery.body,
      ...delivery.open(),
      fetch: this.#fetch,
      now: this.#options.now ?? (() => new Date()),
      signal,
    });
    return { made: { outcome, statusCode, error, durationMs, responseSnippet }, retryAfterMs };
  }

  async #store(delivery: DeliveryToSend, { made, retryAfterMs, isOurFailure = false }: Outcome): Promise<void> {
    const { log, observe } = this.#options;
    const { id, round, attempts, tries, event_id, topic, channel, set_id, ad_id, endpoint_id } = delivery;
    const { outcome, statusCode, error, durationMs } = made;
    const maxAttempts = topic === TEST_TOPIC ? 1 : MAX_ATTEMPTS;
    const decide = (count: number) => decideNext({ outcome, attempts: count, retryAfterMs, maxAttempts });
    const endpointId = isOurFailure ? undefined : (endpoint_id ?? undefined);
    const result = {
      attempt: { deliveryId: id, round, attempts, tries, result: made, endpointId, decide },
      recorded: undefined,
    };
    await this.#results.add(result);
    const state: RecordedState | undefined = result.recorded;
    observe?.attempted?.({ channel, outcome, seconds: durationMs / 1000 });
    if (state !== undefined && state !== 'waiting' && state !== 'superseded')
      observe?.ended?.({ channel, outcome: state });
    const ids = { delivery_id: id, event_id, set_id, ad_id };
    log.info({ ...ids, topic, channel, state, statusCode, error, durationMs }, 'delivery attempted');
    if (endpointId !== undefined && outcome !== 'delivered') await this.#disableIfFailing(delivery, endpointId);
  }

  /** A failure here loses no result: the next failed attempt comes back to it. */
  async #disableIfFailing(
    { failing_seconds: seconds, organization_id: organizationId }: DeliveryToSend,
    id: string,
  ): Promise<void> {
    const { store, queue, log, observe, disableAfterDays: days = 0 } = this.#options;
    if (days === 0 || seconds === null || seconds < days * DAY_SECONDS) return;
    try {
      const one = { organizationId, id };
      const row = await store.db.transaction().execute((tx) => disableFailingEndpoint(tx, one, { days, queue }));
      if (row === undefined) return;
      observe?.endpointDisabled?.();
      const ids = { webhook_endpoint_id: id, organization_id: organizationId };
      log.warn({ ...ids, reason: row.disabled_reason }, 'webhook endpoint disabled');
    } catch (err) {
      log.error({ err, webhook_endpoint_id: id }, 'a failing webhook endpoint could not be disabled; retrying later');
    }
  }
}
