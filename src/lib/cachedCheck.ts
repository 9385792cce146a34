/** A probe asks every few seconds, and some checks are paid requests. */
const VALID_MS = 60_000;

/** @returns the check, which runs at most once a minute as long as it succeeds. */
export function cachedCheck(check: () => Promise<void>, now: () => number = () => performance.now()) {
  let validUntil = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  return async (): Promise<void> => {
    if (now() < validUntil) return;
    const startedAt = now();
    // A slow check is not begun again by each probe.
    running ??= check().finally(() => {
      running = undefined;
    });
    await running;
    validUntil = startedAt + VALID_MS;
  };
}
