import type { SteppedBrowser } from '../browser/steppedBrowser.ts';

export interface BrowserPool {
  /** Runs `work` with a browser of its own; browsers that died are replaced. */
  use<T>(work: (browser: SteppedBrowser) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Those that are at work. */
  busy(): readonly SteppedBrowser[];
  close(): Promise<void>;
}

/** Keeps up to `size` browsers, started when they are first needed; each serves one creative at a time. */
export function createBrowserPool(
  start: () => Promise<SteppedBrowser>,
  first: SteppedBrowser,
  size: number,
): BrowserPool {
  const idle: SteppedBrowser[] = [first];
  const all = new Set<SteppedBrowser>([first]);
  const working = new Set<SteppedBrowser>();
  const waiting: (() => void)[] = [];
  let busy = 0;
  let closed = false;

  async function seat(signal: AbortSignal): Promise<void> {
    while (busy >= size) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      signal.throwIfAborted();
    }
    busy += 1;
  }

  async function take(): Promise<SteppedBrowser> {
    for (let browser = idle.pop(); browser; browser = idle.pop()) {
      if (browser.alive()) return browser;
      await drop(browser);
    }
    const browser = await start();
    all.add(browser);
    if (closed) await drop(browser);
    return browser;
  }

  async function drop(browser: SteppedBrowser): Promise<void> {
    all.delete(browser);
    await browser.close();
  }

  return {
    async use(work, signal) {
      if (closed) throw new Error('The creative renderer is closed.');
      await seat(signal);
      try {
        const browser = await take();
        working.add(browser);
        try {
          return await work(browser);
        } finally {
          working.delete(browser);
          if (browser.alive() && !closed) idle.push(browser);
          else await drop(browser);
        }
      } finally {
        busy -= 1;
        waiting.shift()?.();
      }
    },
    busy: () => [...working],
    async close() {
      closed = true;
      await Promise.all([...all].map(drop));
    },
  };
}
