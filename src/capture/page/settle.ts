import { withDeadline } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import type { CdpSession } from '../browser/cdp.ts';
import type { Frame } from '../browser/frame.ts';

const SCREENS = 30;
const STEP_MS = 120;
const QUIET_MS = 300;
/** Requests that take longer do not count, for example an endless image stream or a held response. */
const HANGS_MS = 2_000;
/** From this many requests on, an address counts as polled. */
const POLL_REQUESTS = 8;

/** The time that is left for a page. Its phases share it. */
export class TimeBudget {
  readonly #endsAt: number;

  constructor(ms: number) {
    this.#endsAt = performance.now() + ms;
  }

  /** @returns milliseconds, at most `atMost`, never below 0. */
  left(atMost = Number.POSITIVE_INFINITY): number {
    return Math.max(0, Math.min(atMost, this.#endsAt - performance.now()));
  }
}

export interface PageRequest {
  readonly url: string;
  /** `Document`, `Script`, `XHR` and so on, as the DevTools protocol names them. */
  readonly type: string;
}

/** Measures how long a page has made no request. Endless requests and polling do not count. */
export class NetworkActivity {
  /** When each open request began, by its id. */
  readonly #open = new Map<string, number>();
  readonly #asked = new Map<string, number>();
  #lastAt = performance.now();

  constructor(session: Pick<CdpSession, 'on'>, ignored: (request: PageRequest) => boolean) {
    session.on('Network.requestWillBeSent', ({ requestId, request: { url }, type = 'Other' }) => {
      if (!/^(https?|wss?):/.test(url) || ignored({ url, type }) || this.#isPoll({ url, type })) return;
      this.#lastAt = performance.now();
      this.#open.set(requestId, this.#lastAt);
    });
    const ended = ({ requestId }: { requestId: string }) => {
      if (this.#open.delete(requestId)) this.#lastAt = performance.now();
    };
    session.on('Network.loadingFinished', ended);
    session.on('Network.loadingFailed', ended);
  }

  /** Resolves when the page has made no request for `QUIET_MS`, or after `ms`. */
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

  #isPoll({ url, type }: PageRequest): boolean {
    if (!['Fetch', 'XHR', 'Ping'].includes(type)) return false;
    const { origin, pathname } = new URL(url);
    const times = (this.#asked.get(origin + pathname) ?? 0) + 1;
    this.#asked.set(origin + pathname, times);
    return times > POLL_REQUESTS;
  }
}

/** Scrolls down the page and back, so that lazy content loads. Ends after `ms`, or as soon as `stop` returns true. */
export async function scrollThrough(page: Frame, ms: number, stop: () => boolean = () => false): Promise<void> {
  const budget = new TimeBudget(ms);
  for (let screen = 1; screen <= SCREENS && budget.left() > STEP_MS && !stop(); screen++) {
    const more = await withDeadline(Math.max(500, budget.left()), page.evaluate(scrollTo, screen));
    await sleep(STEP_MS);
    if (!more) break;
  }
  await withDeadline(2_000, page.evaluate(scrollTo, 0));
}

/** Runs in the page. @returns whether the page continues below, after its scripts have received the scroll events. */
function scrollTo(screen: number): Promise<boolean> {
  // A script of the page may have a function of its own with the name scrollTo.
  (document.scrollingElement ?? window).scrollTo({ left: 0, top: screen * innerHeight, behavior: 'instant' });
  const height = (document.scrollingElement ?? document.documentElement).scrollHeight;
  const more = scrollY + innerHeight < height - 2;
  return new Promise((resolve) => {
    // Scroll events come with the next frame, which a busy machine draws late.
    requestAnimationFrame(() => resolve(more));
    setTimeout(() => resolve(more), 250);
  });
}
