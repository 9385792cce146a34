import type { Change, Notifications } from '../../store/database/notifications.ts';

export interface WaitOptions {
  readonly notifications: Notifications;
  readonly concerns: (change: Change) => boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Asks `look` now and after every change that `concerns` it, until it finds something or the time is over.
 * @returns what it found, or undefined.
 */
export async function waitFor<T>(
  look: () => Promise<T | undefined>,
  { notifications, concerns, timeoutMs, signal }: WaitOptions,
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  let changed = false;
  let wake: () => void = () => undefined;
  // Subscribed before the first look, so that nothing falls between.
  const unsubscribe = notifications.subscribe((change) => {
    if (!concerns(change)) return;
    changed = true;
    wake();
  });
  try {
    for (;;) {
      changed = false;
      const found = await look();
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
