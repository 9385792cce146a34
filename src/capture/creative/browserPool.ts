import type { SteppedBrowser } from '../browser/steppedBrowser.ts';

/** Keeps up to `size` browsers and starts each when it is first needed. A browser renders one creative at a time. */
export class BrowserPool {
  readonly #start: () => Promise<SteppedBrowser>;
  readonly #size: number;
  readonly #idle: SteppedBrowser[] = [];
  readonly #all = new Set<SteppedBrowser>();
  readonly #starting = new Set<Promise<SteppedBrowser>>();
  readonly #working = new Set<SteppedBrowser>();
  readonly #waiting = new Set<() => void>();
  #taken = 0;
  #closed = false;

  constructor(start: () => Promise<SteppedBrowser>, size: number) {
    this.#start = start;
    this.#size = size;
  }

  /** Runs `work` with a browser that no other caller uses. Replaces browsers that died. */
  async use<T>(work: (browser: SteppedBrowser) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#closed) throw new Error('The creative renderer is closed.');
    await this.#acquire(signal);
    try {
      return await this.#useBrowser(work);
    } finally {
      this.#taken -= 1;
      this.#wakeNext();
    }
  }

  /** @returns the browsers that are rendering now. */
  busy(): readonly SteppedBrowser[] {
    return [...this.#working];
  }

  /** Ends all browsers. Waits for those that are still starting, so that none is left behind. */
  async close(): Promise<void> {
    this.#closed = true;
    // `use` throws the error of a start that fails.
    const starts = Promise.allSettled(this.#starting);
    await Promise.all([starts, ...[...this.#all].map((browser) => this.#drop(browser))]);
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    while (this.#taken >= this.#size && !signal.aborted) await this.#waitForTurn(signal);
    if (signal.aborted) {
      // A turn that was already passed to this caller goes to the next one.
      this.#wakeNext();
      throw signal.reason;
    }
    this.#taken += 1;
  }

  async #waitForTurn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
  }

  #wakeNext(): void {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }

  async #useBrowser<T>(work: (browser: SteppedBrowser) => Promise<T>): Promise<T> {
    const browser = await this.#takeBrowser();
    this.#working.add(browser);
    try {
      return await work(browser);
    } finally {
      this.#working.delete(browser);
      if (browser.isAlive() && !this.#closed) this.#idle.push(browser);
      else await this.#drop(browser);
    }
  }

  async #takeBrowser(): Promise<SteppedBrowser> {
    for (let browser = this.#idle.pop(); browser; browser = this.#idle.pop()) {
      if (browser.isAlive()) return browser;
      await this.#drop(browser);
    }
    const starting = this.#startBrowser();
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #startBrowser(): Promise<SteppedBrowser> {
    const browser = await this.#start();
    this.#all.add(browser);
    if (!this.#closed) return browser;
    await this.#drop(browser);
    throw new Error('The creative renderer was closed while its browser started.');
  }

  async #drop(browser: SteppedBrowser): Promise<void> {
    this.#all.delete(browser);
    await browser.close();
  }
}
