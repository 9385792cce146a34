const SHORTEST_MS = 10;
const LONGEST_MS = 200;

/**
 * Repeats a check until it holds: at once and often in the beginning, then after each tenth of the time that has passed, for
 * whoever asks all the time slows down what he waits for. @throws what it threw last, once `timeoutMs` are over.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 40_000): Promise<T> {
  const since = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() - since > timeoutMs) throw error;
    }
    const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, (performance.now() - since) / 10));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
