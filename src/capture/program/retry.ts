/** Retries a call that may succeed later, with exponential back-off and for a limited time. */
import { backOffMs } from '../../lib/repeat.ts';
import { sleep } from '../../lib/sleep.ts';

/** A failure that may be over soon: the call may be retried. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
  /** The Retry-After of the answer; 0 if it has none. */
  readonly retryAfterMs: number;

  constructor(message: string, { retryAfterMs = 0, ...options }: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** All retries failed. `message` tells how the last one failed. */
export class RetriesExhaustedError extends Error {
  override readonly name = 'RetriesExhaustedError';
}

export interface RetryOptions {
  /** No retry starts later than this after the first try. */
  readonly retryForMs: number;
  readonly firstDelayMs: number;
}

const MAX_DELAY_MS = 5_000;

/** @throws RetriesExhaustedError, any error of `call` that is not a TransientError, the reason of `signal`. */
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
