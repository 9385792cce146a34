import { firstOf } from '../../domain/text.ts';
import { sleep } from '../../lib/sleep.ts';
import type { CdpSession } from './cdp.ts';
import { type PageGuard, TICK_MS } from './pageGuard.ts';
import type { NetworkBudget, PageRequests } from './requests.ts';

export interface SteppedClockOptions {
  readonly session: CdpSession;
  readonly guard: PageGuard;
  readonly requests: PageRequests;
  readonly networkBudget: NetworkBudget;
  /** The time of day at which the clock starts. Milliseconds since 1970. */
  readonly startDate: number;
  /** Facts for the provenance record; the clock adds to them. */
  readonly notes: Set<string>;
}

/**
 * A browser rounds `performance.now()` up or down to this unit, at random for times in between. Virtual time starts at a
 * whole unit, so that a page reads the same time in every rendering.
 */
const CLOCK_UNIT_MS = 0.1;
/** Virtual milliseconds between two frames of the same moment. */
const INSTANT_MS = 0.001;
const NUDGE_MS = 1;
/** Makes a time of whole microseconds never fall below them. */
const ROUNDING_MS = 0.0001;
/** Real time that requests may take in all, if they start after the network budget was spent. */
const LATE_BUDGET_MS = 2_000;
/** Each pass may wait this long for the network, even if earlier passes have spent the budget. */
const MIN_PASS_MS = 1_000;
/** Tasks that may run at one virtual instant. The limit keeps endless message loops from stopping the clock. */
const MAX_TASKS_PER_INSTANT = 2_000;

/** Virtual time: it moves only in `advance`, and pauses while requests are open. */
export class SteppedClock implements PageClock {
  readonly #options: SteppedClockOptions;
  #base = 0;
  #now = 0;
  /** Virtual time since `#now`, to tell the frames of one moment apart. */
  #instant = 0;
  #waitLeftMs: number;
  #lateSpentMs = 0;
  #policy: 'pauseIfNetworkFetchesPending' | 'advance' = 'pauseIfNetworkFetchesPending';

  constructor(options: SteppedClockOptions) {
    this.#options = options;
    this.#waitLeftMs = Math.max(options.networkBudget.leftMs, MIN_PASS_MS);
  }

  get now(): number {
    return this.#now;
  }

  timeOf(timestamp: number): number {
    return Math.round((timestamp * 1000 - this.#base) * 1000) / 1000;
  }

  get waitsForNetwork(): boolean {
    return this.#policy !== 'advance';
  }

  async start(): Promise<void> {
    const { session, startDate } = this.#options;
    const { virtualTimeTicksBase } = await session.send('Emulation.setVirtualTimePolicy', {
      policy: 'pause',
      initialVirtualTime: startDate / 1000,
    });
    this.#base = virtualTimeTicksBase;
    await this.advance(CLOCK_UNIT_MS - (virtualTimeTicksBase % CLOCK_UNIT_MS));
    this.#base += this.#now;
    this.#now = 0;
  }

  async advance(ms: number): Promise<void> {
    if (!this.waitsForNetwork) await this.#waitForLateRequests();
    // The browser cuts off fractions of a microsecond, so that their sum would fall behind.
    const microseconds = Math.max(1, Math.round(ms * 1000));
    const { expired, started } = this.#grantBudget(microseconds / 1000 + ROUNDING_MS);
    await this.#options.guard.waitFor(Promise.all([started, expired]), () => this.#checkNetworkBudget());
    this.#now = (Math.round(this.#now * 1000) + microseconds) / 1000;
    this.#instant = 0;
  }

  frameTime(): { readonly frameTimeTicks: number } {
    return { frameTimeTicks: this.#base + this.#now + this.#instant + ROUNDING_MS };
  }

  nextInstant(): void {
    this.#instant += INSTANT_MS;
  }

  async nudge(): Promise<void> {
    await this.#options.session.send('Emulation.setVirtualTimePolicy', { policy: this.#policy, budget: NUDGE_MS });
    this.#now += NUDGE_MS;
  }

  #grantBudget(ms: number): { expired: Promise<void>; started: Promise<unknown> } {
    const { session } = this.#options;
    const { promise: expired, resolve } = Promise.withResolvers<void>();
    const off = session.on('Emulation.virtualTimeBudgetExpired', () => {
      off();
      resolve();
    });
    const started = session.send('Emulation.setVirtualTimePolicy', {
      policy: this.#policy,
      budget: ms,
      maxVirtualTimeTaskStarvationCount: MAX_TASKS_PER_INSTANT,
    });
    return { expired, started };
  }

  /** When the network budget is spent, lets the clock run although requests are open. */
  async #checkNetworkBudget(): Promise<void> {
    const { session, requests, networkBudget, notes } = this.#options;
    if (!this.waitsForNetwork || requests.openCount === 0) return;
    this.#waitLeftMs -= TICK_MS;
    networkBudget.leftMs -= TICK_MS;
    if (this.#waitLeftMs > 0) return;
    const hung = requests.abandonOpen();
    for (const [url, type] of hung) networkBudget.hung.set(url, type);
    this.#policy = 'advance';
    notes.add(`These requests did not finish in time: ${namesOf(hung.map(([url]) => url))}.`);
    // Without a budget, because the open grant keeps its own and still sends its event.
    await session.send('Emulation.setVirtualTimePolicy', { policy: 'advance' });
  }

  async #waitForLateRequests(): Promise<void> {
    const { guard, requests } = this.#options;
    while (requests.openCount > 0 && this.#lateSpentMs < LATE_BUDGET_MS) {
      await guard.waitFor(sleep(10));
      this.#lateSpentMs += 10;
    }
  }
}

function namesOf(urls: readonly string[]): string {
  return firstOf(urls, 3, (url) => {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`.slice(0, 120);
  });
}

/** The clock of a page. */
export interface PageClock {
  /** Milliseconds of the page's own time. */
  readonly now: number;
  /** @param timestamp of an event of the browser, in seconds. @returns the time of the event by this clock. */
  timeOf(timestamp: number): number;
  /** False once the clock advances although requests are open. */
  readonly waitsForNetwork: boolean;
  /** Called once, before the page loads anything. */
  start(): Promise<void>;
  /** Advances the page's time by `ms`. Virtual time counts whole microseconds. */
  advance(ms: number): Promise<void>;
  /** The time of the next frame. The compositor skips a frame whose time is not later than that of the previous frame. */
  frameTime(): { readonly frameTimeTicks?: number };
  /** Makes the time of the next frame differ from that of the previous one, although the clock stands still. */
  nextInstant(): void;
  /** Advances the clock a little, for a frame that waits for it. */
  nudge(): Promise<void>;
}

/** Real time, for pages whose virtual time does not advance. */
export class WallClock implements PageClock {
  readonly waitsForNetwork = true;
  readonly #guard: PageGuard;
  #startedAt = performance.now();

  constructor(guard: PageGuard) {
    this.#guard = guard;
  }

  /** Includes the time that the work between two calls of `advance` took. */
  get now(): number {
    return performance.now() - this.#startedAt;
  }

  /** The event has just come. */
  timeOf(): number {
    return this.now;
  }

  async start(): Promise<void> {
    this.#startedAt = performance.now();
  }

  async advance(ms: number): Promise<void> {
    await this.#guard.waitFor(sleep(ms));
  }

  frameTime(): { readonly frameTimeTicks?: number } {
    return {};
  }

  nextInstant(): void {}

  async nudge(): Promise<void> {}
}
