import { sleep } from '../../lib/sleep.ts';
import type { CdpSession } from './cdp.ts';
import { type NetworkBudget, waitMsOfPass } from './networkBudget.ts';
import type { PageClock } from './pageClock.ts';
import { type PageGuard, TICK_MS } from './pageGuard.ts';
import type { PendingRequests } from './pendingRequests.ts';

export interface SteppedClockOptions {
  readonly session: CdpSession;
  readonly guard: PageGuard;
  readonly requests: PendingRequests;
  readonly networkBudget: NetworkBudget;
  /** What a reader of the record should know; added to. */
  readonly notes: Set<string>;
}

/** Milliseconds between the frames of one moment. */
const INSTANT_MS = 0.001;
const NUDGE_MS = 1;
/** Real time that requests made after the network budget was spent may take, in all. */
const LATE_BUDGET_MS = 2_000;
/** Tasks that may run at one virtual instant, so that endless message loops do not hold the clock. */
const MAX_TASKS_AN_INSTANT = 2_000;

/** Virtual time: stands still until it is told to move, and while something is loading. */
export class SteppedClock implements PageClock {
  readonly #options: SteppedClockOptions;
  #base = 0;
  #now = 0;
  /** Of the frames of this moment. */
  #instant = 0;
  #waitLeftMs: number;
  #lateSpentMs = 0;
  #policy: 'pauseIfNetworkFetchesPending' | 'advance' = 'pauseIfNetworkFetchesPending';

  constructor(options: SteppedClockOptions) {
    this.#options = options;
    this.#waitLeftMs = waitMsOfPass(options.networkBudget);
  }

  get now(): number {
    return this.#now;
  }

  get waitsForNetwork(): boolean {
    return this.#policy !== 'advance';
  }

  async start(): Promise<void> {
    const { session } = this.#options;
    const { virtualTimeTicksBase } = await session.send('Emulation.setVirtualTimePolicy', { policy: 'pause' });
    this.#base = virtualTimeTicksBase;
  }

  async advance(ms: number): Promise<void> {
    if (!this.waitsForNetwork) await this.#waitForLateRequests();
    const { expired, started } = this.#grant(ms);
    await this.#options.guard.waitFor(Promise.all([started, expired]), () => this.#giveUpOnNetwork());
    this.#now += ms;
    this.#instant = 0;
  }

  frameTime(): { readonly frameTimeTicks: number } {
    return { frameTimeTicks: this.#base + this.#now + this.#instant };
  }

  nextInstant(): void {
    this.#instant += INSTANT_MS;
  }

  async nudge(): Promise<void> {
    await this.#options.session.send('Emulation.setVirtualTimePolicy', { policy: this.#policy, budget: NUDGE_MS });
    this.#now += NUDGE_MS;
  }

  #grant(ms: number): { expired: Promise<void>; started: Promise<unknown> } {
    const { session } = this.#options;
    const { promise: expired, resolve } = Promise.withResolvers<void>();
    const off = session.on('Emulation.virtualTimeBudgetExpired', () => {
      off();
      resolve();
    });
    const started = session.send('Emulation.setVirtualTimePolicy', {
      policy: this.#policy,
      budget: ms,
      maxVirtualTimeTaskStarvationCount: MAX_TASKS_AN_INSTANT,
    });
    return { expired, started };
  }

  /** When the budget for waiting is spent: time goes on without what is still loading. */
  async #giveUpOnNetwork(): Promise<void> {
    const { session, requests, networkBudget, notes } = this.#options;
    if (!this.waitsForNetwork || requests.openCount() === 0) return;
    this.#waitLeftMs -= TICK_MS;
    networkBudget.leftMs -= TICK_MS;
    if (this.#waitLeftMs > 0) return;
    const hung = requests.abandonOpen();
    for (const [url, type] of hung) networkBudget.hung.set(url, type);
    this.#policy = 'advance';
    notes.add(`Not waited for any longer: ${namesOf(hung.map(([url]) => url))}.`);
    // Without a budget: the grant that is open keeps its own, and its event comes.
    await session.send('Emulation.setVirtualTimePolicy', { policy: 'advance' });
  }

  async #waitForLateRequests(): Promise<void> {
    const { guard, requests } = this.#options;
    while (requests.openCount() > 0 && this.#lateSpentMs < LATE_BUDGET_MS) {
      await guard.waitFor(sleep(10));
      this.#lateSpentMs += 10;
    }
  }
}

function namesOf(urls: readonly string[]): string {
  const shown = urls.slice(0, 3).map((url) => {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`.slice(0, 120);
  });
  return shown.join(', ') + (urls.length > shown.length ? ` and ${urls.length - shown.length} more` : '');
}
