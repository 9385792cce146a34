import { setTimeout as delay } from 'node:timers/promises';

/** Waits. @throws the reason of `signal` as soon as it aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal && { signal });
}
