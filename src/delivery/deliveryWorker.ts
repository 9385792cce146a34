/**
 * Takes the deliveries of one channel that are due, and runs their attempts at the same time. It looks for due deliveries
 * when a notification arrives, and once a second. Between, it claims from the lanes that it knows. For a quick receiver it
 * claims ahead, so that the next attempt begins without a wait for PostgreSQL.
 */
import { errorMessage } from '../lib/errorMessage.ts';
import type { Log } from '../lib/log.ts';
import { sleep } from '../lib/sleep.ts';
import type { Queryable } from '../store/database/database.ts';
import { type ClaimedDelivery, claimDeliveries, dueLanes, moveLeases } from '../store/deliveries/deliveryQueue.ts';
import type { DeliveryToSend } from '../store/deliveries/deliveryToSend.ts';
import type { DeliveryLimits } from './fairClaims.ts';
import { type Lane, Lanes } from './lanes.ts';

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
/** Between two claims, so that each takes what has become due in this time. */
const CLAIM_PAUSE_MS = 10;
const FAILURE_PAUSE_MS = 1_000;
/** Results that wait to be stored. More means that PostgreSQL is slow, and then nothing more is claimed. */
const MAX_UNSTORED = 1_000;

export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #lanes: Lanes;
  /** All claims of this worker, until the result is stored. */
  readonly #claims = new Map<string, ClaimedDelivery>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #unstored = 0;
  #mustSearch = true;
  #searchedAt = 0;
  #searchAfter = 0;
  #claimAfter = 0;
  #signal = Promise.withResolvers<void>();
  #isFilling = false;
  #isStopping = false;
  #running = Promise.resolve();
  #renewing: NodeJS.Timeout | undefined;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
    this.#lanes = new Lanes(options.limits);
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

  /** Gives back what is claimed ahead, because the receiver, its address or its secret may have changed. */
  readAgain(): void {
    void this.#giveBack(this.#lanes.giveBack()).then(() => this.wake());
  }

  /** Claims nothing more, waits for running attempts, at most `timeoutMs`, and aborts those that still run. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#signal.resolve();
    await this.#running;
    const timer = setTimeout(() => this.#abort.abort(), timeoutMs);
    await this.#giveBack(this.#lanes.giveBack());
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
        const early = this.#claimAfter - performance.now();
        if (early > 0 && !this.#isStopping) await sleep(early);
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
    await this.#giveBack(this.#lanes.giveBack(started));
    this.#lanes.setDue(await dueLanes(this.#options.db, this.#options.channel));
    this.#searchedAt = performance.now();
    this.#searchAfter = this.#searchedAt + Math.max(SEARCH_PAUSE_MS, (this.#searchedAt - started) / SEARCH_SHARE);
  }

  /** @returns whether it has begun an attempt. */
  async #claim(): Promise<boolean> {
    const { db, channel } = this.#options;
    if (this.#unstored > MAX_UNSTORED) return false;
    const started = performance.now();
    const lanes = this.#lanes.wanted(started);
    if (lanes.length === 0) return false;
    const claimed = await claimDeliveries(db, { channel, lanes, leaseSeconds: LEASE_SECONDS });
    const now = performance.now();
    this.#claimAfter = now + Math.max(CLAIM_PAUSE_MS, now - started);
    for (const delivery of claimed) this.#claims.set(delivery.id, delivery);
    this.#lanes.add(lanes, claimed, now);
    this.#fill();
    return claimed.length > 0;
  }

  /** Begins attempts in the slots that are free. */
  #fill(): void {
    if (this.#isStopping) return;
    for (const { lane, delivery } of this.#lanes.begin()) {
      const attempt = this.#attempt(delivery, lane).finally(() => {
        this.#attempts.delete(attempt);
        this.#claims.delete(delivery.id);
      });
      this.#attempts.add(attempt);
    }
  }

  /** Attempts that end in the same turn of the event loop share the work of choosing the next ones. */
  #fillSoon(): void {
    if (this.#isFilling) return;
    this.#isFilling = true;
    setImmediate(() => {
      this.#isFilling = false;
      this.#fill();
      this.#signal.resolve();
    });
  }

  /** Never rejects. After a failure the lease ends, and the attempt is repeated with the same webhook-id. */
  async #attempt(delivery: ClaimedDelivery, lane: Lane): Promise<void> {
    const { db, log, attempt } = this.#options;
    try {
      const store = await attempt(delivery, this.#abort.signal).finally(() => {
        // The receiver has its slot back before the result is stored.
        this.#lanes.end(lane, performance.now());
        this.#unstored += 1;
        this.#fillSoon();
      });
      await (store === undefined ? moveLeases(db, [delivery], 0) : store());
    } catch (err) {
      const message = 'the result of a delivery attempt could not be stored; the attempt is repeated';
      log.error({ err, delivery_id: delivery.id, reason: errorMessage(err) }, message);
    } finally {
      this.#unstored -= 1;
    }
  }

  async #renew(): Promise<void> {
    try {
      await moveLeases(this.#options.db, [...this.#claims.values()], LEASE_SECONDS);
    } catch (err) {
      this.#options.log.warn({ err }, 'the leases of deliveries could not be renewed; retrying');
    }
  }

  /** Makes claimed deliveries that were not begun due again. Without this, they are due when the lease ends. */
  async #giveBack(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    for (const { id } of deliveries) this.#claims.delete(id);
    try {
      await moveLeases(this.#options.db, deliveries, 0);
    } catch (err) {
      this.#options.log.warn({ err }, 'claimed deliveries could not be given back; their leases end');
    }
  }

  /** Waits for a signal, at most so long. */
  async #wait(ms: number): Promise<void> {
    const timer = setTimeout(this.#signal.resolve, this.#isStopping ? 0 : ms);
    await this.#signal.promise;
    clearTimeout(timer);
  }
}
