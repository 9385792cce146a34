const SHORTEST_MS = 10;
const LONGEST_MS = 200;

/**
 * Repeats a check until it passes: often at the beginning, then after each tenth of the elapsed time. Constant polling would
 * slow down the system under test. @throws the last error of the check, after `timeoutMs`.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 100_000): Promise<T> {
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
