import type { Change, Notifications } from '../../store/database/notifications.ts';

export interface WaitOptions {
  readonly notifications: Notifications;
  /** Whether a change may have produced the result. */
  readonly concerns: (change: Change) => boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `read` now and after every change that `concerns` it, until `read` returns a value or the time is over.
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
    for (;;) {
      changed = false;
      const found = await read();
      const left = deadline - performance.now();
      if (found !== undefined || left <= 0 || signal.aborted) return found;
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
  } finally {
    unsubscribe();
  }
}
