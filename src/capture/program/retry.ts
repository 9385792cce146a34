/** Repeats a call that may succeed later, with growing pauses, for a bounded time. */
import { backOffMs } from '../../lib/backOff.ts';
import { sleep } from '../../lib/sleep.ts';

/** The call may be repeated. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
  /** Not sooner, by what was answered. */
  readonly retryAfterMs: number;

  constructor(message: string, { retryAfterMs = 0, ...options }: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** All repetitions failed; `message` says how the last one did. */
export class RetriesExhaustedError extends Error {
  override readonly name = 'UnreachableError';
}

export interface RetryOptions {
  /** No repetition begins later than this after the first try. */
  readonly retryForMs: number;
  readonly firstDelayMs: number;
}

const MAX_DELAY_MS = 5_000;

/** @throws UnreachableError; any error of `call` that is not transient; the reason of `signal`. */
export async function retry<T>(
  call: () => Promise<T>,
  { retryForMs, firstDelayMs, signal }: RetryOptions & { readonly signal: AbortSignal },
): Promise<T> {
  const end = performance.now() + retryForMs;
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TransientError)) throw error;
      const ownMs = backOffMs(tries, { firstMs: firstDelayMs, maxMs: MAX_DELAY_MS });
      const delayMs = Math.max(ownMs, Math.min(MAX_DELAY_MS, error.retryAfterMs));
      if (performance.now() + delayMs > end) {
        throw new RetriesExhaustedError(`${error.message} (${tries} tries)`, { cause: error });
      }
      await sleep(delayMs, signal).catch(() => signal.throwIfAborted());
    }
  }
}
