import { sleep } from '../../lib/sleep.ts';
import type { PageGuard } from './pageGuard.ts';

/** The time in which a page lives. */
export interface PageClock {
  /** Milliseconds of the page's own time. */
  readonly now: number;
  /** False once time goes on although something is loading. */
  readonly waitsForNetwork: boolean;
  /** Once, before anything loads. */
  start(): Promise<void>;
  /** Lets `ms` pass in the page. */
  advance(ms: number): Promise<void>;
  /** What a frame at this moment says about time; each later than the one before, so that the compositor takes them for different ones. */
  frameTime(): { readonly frameTimeTicks?: number };
  nextInstant(): void;
  /** For a frame that does not end, because it waits for the page's clock. */
  nudge(): Promise<void>;
}

/** Real time, for pages on which virtual time does not move. */
export class WallClock implements PageClock {
  readonly waitsForNetwork = true;
  readonly #guard: PageGuard;
  #now = 0;

  constructor(guard: PageGuard) {
    this.#guard = guard;
  }

  get now(): number {
    return this.#now;
  }

  async start(): Promise<void> {}

  async advance(ms: number): Promise<void> {
    await this.#guard.waitFor(sleep(ms));
    this.#now += ms;
  }

  frameTime(): { readonly frameTimeTicks?: number } {
    return {};
  }

  nextInstant(): void {}

  async nudge(): Promise<void> {}
}
