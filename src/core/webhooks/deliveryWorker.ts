/**
 * Sends the deliveries of one channel: claims what is due, makes the attempts at the same time, and stores each result in a
 * statement of its own. If a process is killed before it stores a result, another one repeats the attempt with the same
 * webhook-id when the lease has ended.
 */

import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Notifications } from '../../db/notifications.ts';
import { type Channel, TEST_TOPIC } from '../../domain/topics.ts';
import { DISABLE_AFTER_DAYS } from '../../domain/webhookEndpoints.ts';
import { ConcurrencyLimit } from '../../lib/concurrencyLimit.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { sleep } from '../../lib/sleep.ts';
import { withSpan } from '../../observe/tracing.ts';
import type { ConnectorCheckOptions } from '../buckets/connectorCheck.ts';
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  moveLeases,
  storeAttempt,
} from './deliveryQueue.ts';
import { type CompleteDelivery, readEventBody } from './deliveryToSend.ts';
import { disableFailingEndpoint, recordEndpointResult } from './failingEndpoints.ts';
import { decideNext, MAX_ATTEMPTS } from './schedule.ts';

export interface DeliveryOptions extends ConnectorCheckOptions {
  readonly artifacts: ArtifactStore;
  /** Notifications of deliveries that become due. Without them, workers look once a second. */
  readonly subscribe?: Notifications['subscribe'];
  /** Delivery attempts of one channel that run at the same time in this process. */
  readonly limits?: Partial<DeliveryLimits>;
  readonly observe?: DeliveryObserver;
  /** The clock for signatures. */
  readonly now?: () => Date;
}

export interface DeliveryLimits {
  readonly total: number;
  readonly perOrganization: number;
  /** For one receiver of one organization. */
  readonly perReceiver: number;
}

/** Called after the result is stored. */
interface DeliveryObserver {
  /** Called for every delivery attempt with `delivered`, `retry`, `gone` or `refused`. */
  attempted?(made: { readonly channel: Channel; readonly outcome: string; readonly seconds: number }): void;
  /** Called for every ended delivery with `delivered`, `retries_exhausted`, `gone` or `refused`. */
  ended?(delivery: { readonly channel: Channel; readonly outcome: string }): void;
}

/** Makes an attempt. Errors of the receiver are results, not exceptions. */
export type SendDelivery = (delivery: CompleteDelivery, signal: AbortSignal) => Promise<SentDelivery>;

export interface SentDelivery extends Omit<AttemptResult, 'durationMs'> {
  /** How long the receiver asks us to wait. */
  readonly retryAfterMs?: number | undefined;
}

interface Attempt extends SentDelivery {
  readonly durationMs: number;
  /** The service could not make it, which says nothing about the receiver. */
  readonly isOurFailure?: boolean;
}

export interface DeliveryWorkerOptions extends DeliveryOptions {
  readonly channel: ClaimedDelivery['channel'];
  readonly limits: DeliveryLimits;
  readonly send: SendDelivery;
  /** The longest time between two looks at the table; a second unless given. */
  readonly pollMs?: number;
}

/** Longer than an attempt of a webhook. A worker that is killed delays its deliveries by this time. */
const LEASE_SECONDS = 20;
const RENEW_MS = 5_000;
const POLL_MS = 1_000;
/** Between two claims, so that each takes what has become due in this time. */
const CLAIM_PAUSE_MS = 20;
const FAILURE_PAUSE_MS = 1_000;
/** An organization takes at most this share of the free slots. So some stay free while a dozen organizations are slow. */
const SHARE_OF_FREE = 1 / 8;
/** The event of a set with many pictures has several megabytes. So many of these are in memory at the same time. */
const LARGE_BODIES = 8;
const DAY_SECONDS = 86_400;

export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  /** The claims of this worker, until the result is stored. */
  readonly #claims = new Map<string, ClaimedDelivery>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #largeBodies = new ConcurrencyLimit(LARGE_BODIES);
  /** The end of the last attempt with a large body of each organization. */
  readonly #largeBodyOf = new Map<string, Promise<unknown>>();
  #signal = Promise.withResolvers<void>();
  #isStopping = false;
  #running = Promise.resolve();
  #renewing: NodeJS.Timeout | undefined;
  #renewal = Promise.resolve();

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#renewing = setInterval(() => {
      this.#renewal = this.#renew();
    }, RENEW_MS);
    this.#running = this.#run();
  }

  /** Says that a delivery may have become due. */
  wake(): void {
    this.#signal.resolve();
  }

  /** Claims nothing more, waits for running attempts, at most `timeoutMs`, and aborts those that still run. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#signal.resolve();
    await this.#running;
    const timer = setTimeout(() => {
      clearInterval(this.#renewing);
      this.#abort.abort();
    }, timeoutMs);
    while (this.#attempts.size > 0) await Promise.all(this.#attempts);
    clearTimeout(timer);
    clearInterval(this.#renewing);
  }

  /** Claims after each signal: the end of an attempt, or a notification; and once a second. */
  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#signal = Promise.withResolvers();
      const started = performance.now();
      try {
        for (const delivery of await this.#claim()) this.#begin(delivery);
        // At least half of the time is free of claims, however many receivers there are.
        await sleep(Math.max(CLAIM_PAUSE_MS, performance.now() - started));
        await this.#wait(this.#options.pollMs ?? POLL_MS);
      } catch (err) {
        this.#options.log.error({ err }, 'deliveries could not be read; retrying');
        await this.#wait(FAILURE_PAUSE_MS);
      }
    }
  }

  async #claim(): Promise<ClaimedDelivery[]> {
    const { store, channel, limits } = this.#options;
    const free = limits.total - this.#claims.size;
    if (free <= 0) return [];
    return claimDeliveries(store.db, {
      ...{ channel, leaseSeconds: LEASE_SECONDS, running: this.#claims.values(), free },
      perOrganization: Math.min(limits.perOrganization, Math.ceil(free * SHARE_OF_FREE)),
      perReceiver: limits.perReceiver,
    });
  }

  #begin(delivery: ClaimedDelivery): void {
    this.#claims.set(delivery.id, delivery);
    const attempt = this.#attempt(delivery).finally(() => {
      this.#attempts.delete(attempt);
      this.#claims.delete(delivery.id);
      this.#signal.resolve();
    });
    this.#attempts.add(attempt);
  }

  /** Never rejects. After a failure the lease ends, and the attempt is repeated with the same webhook-id. */
  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { store, log } = this.#options;
    try {
      const made = await this.#traced(delivery, () =>
        this.#withBody(delivery, (body) => this.#send({ ...delivery, body })),
      );
      // A shutdown aborted the attempt, not the receiver.
      const isAborted = this.#abort.signal.aborted && made.outcome === 'retry';
      if (!isAborted) return await this.#store(delivery, made);
      // A renewal that ends later would keep the delivery from being due.
      await this.#renewal;
      await moveLeases(store.db, [delivery], 0);
    } catch (err) {
      const message = 'the result of a delivery attempt could not be stored; the attempt is repeated';
      log.error({ err, delivery_id: delivery.id, reason: errorMessage(err) }, message);
    }
  }

  #traced(delivery: ClaimedDelivery, send: () => Promise<Attempt>): Promise<Attempt> {
    const { id, event_id, topic, channel, traceparent, tries } = delivery;
    const attributes = {
      'messaging.system': `tearsheet.${channel}`,
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.destination.name': topic,
      'messaging.message.id': `evt_${event_id}`,
      'tearsheet.delivery_id': id,
      'tearsheet.try': tries + 1,
    };
    return withSpan(`send ${topic}`, { kind: 'producer', parent: traceparent, attributes }, async (span) => {
      const made = await send();
      if (made.outcome !== 'delivered') span.fail(String(made.statusCode ?? made.outcome));
      return made;
    });
  }

  /** Reads a large body when it is its turn. An organization has one of them at a time. */
  async #withBody<T>({ body, event_id, organization_id }: ClaimedDelivery, use: (body: string) => Promise<T>) {
    if (body !== null) return use(body);
    const before = this.#largeBodyOf.get(organization_id) ?? Promise.resolve();
    const work = async () => use(await readEventBody(this.#options.store.db, event_id));
    const result = before.then(() => this.#largeBodies.run(work));
    const end = result.catch(() => undefined);
    this.#largeBodyOf.set(organization_id, end);
    return result.finally(() => {
      if (this.#largeBodyOf.get(organization_id) === end) this.#largeBodyOf.delete(organization_id);
    });
  }

  async #send(delivery: CompleteDelivery): Promise<Attempt> {
    const started = performance.now();
    const durationMs = () => Math.round(performance.now() - started);
    try {
      const made = await this.#options.send(delivery, this.#abort.signal);
      return { ...made, durationMs: durationMs() };
    } catch (err) {
      // For example a picture that cannot be read. It counts as an attempt, so that retries end.
      this.#options.log.error({ err, delivery_id: delivery.id }, 'a delivery attempt failed on our side');
      const error = `The service could not make this attempt: ${errorMessage(err)}`;
      return { outcome: 'retry', error, durationMs: durationMs(), isOurFailure: true };
    }
  }

  async #store(delivery: ClaimedDelivery, made: Attempt): Promise<void> {
    const { store, log, observe } = this.#options;
    const { id, event_id, topic, channel, set_id, ad_id } = delivery;
    const { outcome, statusCode, error, durationMs, retryAfterMs } = made;
    const endpointId = made.isOurFailure === true ? null : delivery.endpoint_id;
    const maxAttempts = topic === TEST_TOPIC ? 1 : MAX_ATTEMPTS;
    const next = decideNext({ outcome, attempts: delivery.tries + 1, retryAfterMs, maxAttempts });
    const isDelivered = outcome === 'delivered';
    // Most results change nothing, so a busy endpoint has no hot row.
    if (endpointId !== null && isDelivered !== (delivery.failing_seconds === null))
      await recordEndpointResult(store.db, endpointId, isDelivered);
    const state = await storeAttempt(store.db, delivery, { result: made, next });
    observe?.attempted?.({ channel, outcome, seconds: durationMs / 1000 });
    if (state !== undefined && state !== 'waiting' && state !== 'superseded')
      observe?.ended?.({ channel, outcome: state });
    const ids = { delivery_id: id, event_id, set_id, ad_id };
    log.info({ ...ids, topic, channel, state, statusCode, error, durationMs }, 'delivery attempted');
    if (endpointId !== null && !isDelivered) await this.#disableIfFailing(delivery, endpointId);
  }

  /** A failure here loses no result: the next failed attempt comes back to it. */
  async #disableIfFailing(
    { failing_seconds: seconds, organization_id: organizationId }: ClaimedDelivery,
    id: string,
  ): Promise<void> {
    const { store, queue, log } = this.#options;
    if (seconds === null || seconds < DISABLE_AFTER_DAYS * DAY_SECONDS) return;
    try {
      const one = { organizationId, id };
      const row = await store.db.transaction().execute((tx) => disableFailingEndpoint(tx, one, queue));
      if (row === undefined) return;
      const ids = { webhook_endpoint_id: id, organization_id: organizationId };
      log.warn({ ...ids, reason: row.disabled_reason }, 'webhook endpoint disabled');
    } catch (err) {
      log.error({ err, webhook_endpoint_id: id }, 'a failing webhook endpoint could not be disabled; retrying later');
    }
  }

  async #renew(): Promise<void> {
    try {
      await moveLeases(this.#options.store.db, [...this.#claims.values()], LEASE_SECONDS);
    } catch (err) {
      this.#options.log.warn({ err }, 'the leases of deliveries could not be renewed; retrying');
    }
  }

  /** Waits for a signal, at most so long. */
  async #wait(ms: number): Promise<void> {
    const timer = setTimeout(this.#signal.resolve, this.#isStopping ? 0 : ms);
    await this.#signal.promise;
    clearTimeout(timer);
  }
}
