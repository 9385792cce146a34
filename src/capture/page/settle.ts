import type { Page, Request } from 'playwright';
import { withDeadline } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';

const SCREENS = 30;
const STEP_MS = 120;
const QUIET_MS = 300;
/** A request that takes longer is not waited for: a picture without end, an answer that is held back. */
const HANGS_MS = 2_000;
/** An address that is asked for so often is asked for again and again. */
const OFTEN = 8;

/** Time that is left for a page; phases share it. */
export class Budget {
  readonly #endsAt: number;

  constructor(ms: number) {
    this.#endsAt = performance.now() + ms;
  }

  /** @returns milliseconds, at most `atMost`, never below 0. */
  left(atMost = Number.POSITIVE_INFINITY): number {
    return Math.max(0, Math.min(atMost, this.#endsAt - performance.now()));
  }
}

export type Asked = Pick<Request, 'url' | 'resourceType'>;

/** The part of a page that tells of its requests. */
export interface Asking {
  on(event: 'request', listener: (request: Asked) => void): unknown;
  on(event: 'requestfinished', listener: (request: Asked) => void): unknown;
  on(event: 'requestfailed', listener: (request: Asked) => void): unknown;
}

/** Knows how long a page has asked for nothing; what never ends, or never stops being asked for, does not count. */
export class Traffic {
  readonly #open = new Map<Asked, number>();
  readonly #asked = new Map<string, number>();
  #lastAt = performance.now();

  constructor(page: Asking, ignored: (request: Asked) => boolean) {
    page.on('request', (request) => {
      if (ignored(request) || this.#isPoll(request)) return;
      this.#lastAt = performance.now();
      this.#open.set(request, this.#lastAt);
    });
    const ended = (request: Asked) => {
      if (this.#open.delete(request)) this.#lastAt = performance.now();
    };
    page.on('requestfinished', ended);
    page.on('requestfailed', ended);
  }

  /** Resolves when nothing was asked for during a moment, or when the time is over. */
  async quiet(ms: number): Promise<void> {
    const endsAt = performance.now() + ms;
    while (performance.now() < endsAt) {
      if (!this.#isWaiting() && performance.now() - this.#lastAt >= QUIET_MS) return;
      await sleep(25);
    }
  }

  #isWaiting(): boolean {
    const since = performance.now() - HANGS_MS;
    return [...this.#open.values()].some((askedAt) => askedAt > since);
  }

  #isPoll(request: Asked): boolean {
    if (!['fetch', 'xhr', 'ping'].includes(request.resourceType())) return false;
    const { origin, pathname } = new URL(request.url());
    const times = (this.#asked.get(origin + pathname) ?? 0) + 1;
    this.#asked.set(origin + pathname, times);
    return times > OFTEN;
  }
}

/** Once down the page and back, for what loads only when it comes near; stops when the time is over, or when told to. */
export async function scrollThrough(page: Page, ms: number, stop: () => boolean = () => false): Promise<void> {
  const budget = new Budget(ms);
  for (let screen = 1; screen <= SCREENS && budget.left() > STEP_MS && !stop(); screen++) {
    const more = await withDeadline(Math.max(500, budget.left()), page.evaluate(scrollTo, screen));
    await sleep(STEP_MS);
    if (!more) break;
  }
  await withDeadline(2_000, page.evaluate(scrollTo, 0));
}

/** Runs in the page. @returns whether there is more below. */
function scrollTo(screen: number): boolean {
  window.scrollTo({ left: 0, top: screen * innerHeight, behavior: 'instant' });
  return scrollY + innerHeight < (document.scrollingElement?.scrollHeight ?? 0) - 2;
}
