import type { Change, Notifications } from '../../db/notifications.ts';

export interface WaitOptions {
  readonly notifications: Pick<Notifications, 'subscribe'>;
  /** Whether a change may have produced the result. */
  readonly concerns: (change: Change) => boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `read` now and after every change that `concerns` it, until `read` returns a value, the time is over or `signal` aborts. It does
 * not read after that: the database connections may be closed by then.
 * @returns the value, or undefined.
 */
export async function waitFor<T>(
  read: () => Promise<T | undefined>,
  { notifications, concerns, timeoutMs, signal }: WaitOptions,
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  let changed = false;
  let wake: () => void = () => undefined;
  // Subscribes before the first read, so that no change is missed.
  const unsubscribe = notifications.subscribe((change) => {
    if (!concerns(change)) return;
    changed = true;
    wake();
  });
  try {
    while (!signal.aborted) {
      changed = false;
      const found = await read();
      const left = deadline - performance.now();
      if (found !== undefined || left <= 0) return found;
      if (changed) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', wake, { once: true });
        if (signal.aborted) wake();
      });
      signal.removeEventListener('abort', wake);
    }
    return undefined;
  } finally {
    unsubscribe();
  }
}
