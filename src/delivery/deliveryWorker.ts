/**
 * Takes the deliveries of one channel that are due, and runs their attempts at the same time. It looks for due deliveries
 * when a notification arrives, and once a second. Between, it claims from the lanes that it knows.
 */
import { errorMessage } from '../lib/errorMessage.ts';
import type { Log } from '../lib/log.ts';
import type { Queryable } from '../store/database/database.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  type DeliveryLane,
  dueLanes,
  type LaneClaim,
  moveLeases,
} from '../store/deliveries/deliveryQueue.ts';
import { type DeliveryToSend, readDeliveriesToSend } from '../store/deliveries/deliveryToSend.ts';
import { type DeliveryLimits, planClaims } from './fairClaims.ts';

export interface DeliveryWorkerOptions {
  readonly db: Queryable;
  readonly channel: DeliveryToSend['channel'];
  readonly limits: DeliveryLimits;
  readonly log: Log;
  /**
   * Makes an attempt. @returns a function that stores its result, after which the claim ends; undefined if `signal` has aborted the
   * attempt, which makes the delivery due again.
   */
  attempt(delivery: DeliveryToSend, signal: AbortSignal): Promise<(() => Promise<void>) | undefined>;
}

/** Longer than an attempt of a webhook. A worker that is killed delays its deliveries by this time. */
const LEASE_SECONDS = 20;
const RENEW_MS = 5_000;
const POLL_MS = 1_000;
/** A search for due deliveries takes at most this share of the time, however many receivers there are. */
const SEARCH_SHARE = 1 / 5;
const SEARCH_PAUSE_MS = 20;
const FAILURE_PAUSE_MS = 1_000;
/** Results that wait to be stored. More means that PostgreSQL is slow, and then nothing more is claimed. */
const MAX_UNSTORED = 1_000;

export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #sending = new Map<string, ClaimedDelivery>();
  /** All claims of this worker, until the result is stored. */
  readonly #claims = new Map<string, ClaimedDelivery>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #lanes: readonly DeliveryLane[] = [];
  #mustSearch = true;
  #searchedAt = 0;
  #searchAfter = 0;
  #signal = Promise.withResolvers<void>();
  #isStopping = false;
  #running = Promise.resolve();
  #renewing: NodeJS.Timeout | undefined;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#renewing = setInterval(() => void this.#renew(), RENEW_MS);
    this.#running = this.#run();
  }

  /** Says that a delivery may have become due. */
  wake(): void {
    this.#mustSearch = true;
    this.#signal.resolve();
  }

  /** Claims nothing more, waits for running attempts, at most `timeoutMs`, and aborts those that still run. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#signal.resolve();
    await this.#running;
    const timer = setTimeout(() => this.#abort.abort(), timeoutMs);
    while (this.#attempts.size > 0) await Promise.all(this.#attempts);
    clearTimeout(timer);
    clearInterval(this.#renewing);
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#signal = Promise.withResolvers();
      try {
        if (this.#isSearchDue()) await this.#search();
        if (!(await this.#claim())) await this.#wait(this.#msUntilSearch());
      } catch (err) {
        this.#options.log.error({ err }, 'deliveries could not be read; retrying');
        await this.#wait(FAILURE_PAUSE_MS);
      }
    }
  }

  #isSearchDue(): boolean {
    const now = performance.now();
    return now >= this.#searchAfter && (this.#mustSearch || now - this.#searchedAt >= POLL_MS);
  }

  #msUntilSearch(): number {
    const dueAt = this.#mustSearch ? this.#searchAfter : Math.max(this.#searchAfter, this.#searchedAt + POLL_MS);
    return Math.max(1, dueAt - performance.now());
  }

  async #search(): Promise<void> {
    this.#mustSearch = false;
    const started = performance.now();
    this.#lanes = await dueLanes(this.#options.db, this.#options.channel);
    this.#searchedAt = performance.now();
    this.#searchAfter = this.#searchedAt + Math.max(SEARCH_PAUSE_MS, (this.#searchedAt - started) / SEARCH_SHARE);
  }

  /** @returns whether it has begun an attempt. */
  async #claim(): Promise<boolean> {
    const { db, channel, limits } = this.#options;
    if (this.#claims.size - this.#sending.size > MAX_UNSTORED) return false;
    const lanes = planClaims(this.#lanes, [...this.#sending.values()], limits);
    if (lanes.length === 0) return false;
    const claimed = await claimDeliveries(db, { channel, lanes, leaseSeconds: LEASE_SECONDS });
    this.#lanes = withoutEmpty(this.#lanes, lanes, claimed);
    if (claimed.length === 0) return false;
    const claims = new Map(claimed.map((claim) => [claim.id, claim]));
    const toSend = await readDeliveriesToSend(db, [...claims.keys()]);
    for (const delivery of toSend) {
      const claim = claims.get(delivery.id);
      if (claim !== undefined) this.#begin(delivery, claim);
    }
    return toSend.length > 0;
  }

  #begin(delivery: DeliveryToSend, claim: ClaimedDelivery): void {
    this.#sending.set(claim.id, claim);
    this.#claims.set(claim.id, claim);
    const attempt = this.#attempt(delivery, claim).finally(() => {
      this.#attempts.delete(attempt);
      this.#claims.delete(claim.id);
    });
    this.#attempts.add(attempt);
  }

  /** Never rejects. After a failure the lease ends, and the attempt is repeated with the same webhook-id. */
  async #attempt(delivery: DeliveryToSend, claim: ClaimedDelivery): Promise<void> {
    const { db, log, attempt } = this.#options;
    try {
      const store = await attempt(delivery, this.#abort.signal).finally(() => {
        // The receiver has its slot back before the result is stored.
        this.#sending.delete(claim.id);
        this.#signal.resolve();
      });
      await (store === undefined ? moveLeases(db, [claim], 0) : store());
    } catch (err) {
      const message = 'the result of a delivery attempt could not be stored; the attempt is repeated';
      log.error({ err, delivery_id: claim.id, reason: errorMessage(err) }, message);
    }
  }

  async #renew(): Promise<void> {
    try {
      await moveLeases(this.#options.db, [...this.#claims.values()], LEASE_SECONDS);
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

/** @returns the lanes without those that had less than was asked for. */
function withoutEmpty(
  lanes: readonly DeliveryLane[],
  asked: readonly LaneClaim[],
  claimed: readonly ClaimedDelivery[],
): DeliveryLane[] {
  const is = (a: DeliveryLane, b: DeliveryLane) => a.organizationId === b.organizationId && a.receiver === b.receiver;
  const empty = asked.filter((lane) => claimed.filter((claim) => is(claim, lane)).length < lane.take);
  return lanes.filter((lane) => !empty.some((other) => is(lane, other)));
}
