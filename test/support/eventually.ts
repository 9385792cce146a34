/** Repeats a check until it holds. @throws what it threw last, once `timeoutMs` are over. */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 40_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
