/**
 * Keys to be worked on. A key is worked on by one worker at a time; added while it is, it is worked on once more afterwards.
 * One that fails comes back after a pause that doubles; one that is done leaves no trace.
 */
export interface WorkQueue {
  add(key: string): void;
  /** The earlier of two times counts. */
  addAfter(key: string, ms: number): void;
  /** Takes nothing more and waits for what is being worked on. */
  stop(): Promise<void>;
}

export interface WorkQueueOptions {
  /** @returns in how many milliseconds to look at the key again; undefined: when it is added. */
  readonly work: (key: string) => Promise<number | undefined>;
  readonly concurrency: number;
  readonly failed: (key: string, error: unknown, failures: number) => void;
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { work, concurrency, failed, firstPauseMs = 100, longestPauseMs = 30_000 } = options;
  const dirty = new Set<string>();
  const processing = new Map<string, Promise<void>>();
  const failures = new Map<string, number>();
  const timers = new Map<string, { readonly due: number; readonly timer: NodeJS.Timeout }>();
  let stopped = false;

  const add = (key: string) => {
    if (stopped) return;
    dirty.add(key);
    start();
  };

  const addAfter = (key: string, ms: number) => {
    if (stopped) return;
    const due = performance.now() + ms;
    const known = timers.get(key);
    if (known !== undefined && known.due <= due) return;
    clearTimeout(known?.timer);
    // A delay beyond 2^31 ms would fire at once.
    const timer = setTimeout(
      () => {
        timers.delete(key);
        add(key);
      },
      Math.min(Math.max(0, ms), 3_600_000),
    );
    timers.set(key, { due, timer });
  };

  const start = () => {
    for (const key of dirty) {
      if (processing.size >= concurrency) return;
      if (processing.has(key)) continue;
      dirty.delete(key);
      processing.set(
        key,
        process(key).finally(() => {
          processing.delete(key);
          if (!stopped) start();
        }),
      );
    }
  };

  const process = async (key: string) => {
    try {
      const again = await work(key);
      failures.delete(key);
      if (again !== undefined) addAfter(key, again);
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      failed(key, error, count);
      addAfter(key, Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(count - 1, 20)));
    }
  };

  return {
    add,
    addAfter,
    async stop() {
      stopped = true;
      dirty.clear();
      for (const { timer } of timers.values()) clearTimeout(timer);
      timers.clear();
      await Promise.all(processing.values());
    },
  };
}
