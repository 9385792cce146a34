import { sleep } from '../../lib/sleep.ts';
import type { PageGuard } from './pageGuard.ts';

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
