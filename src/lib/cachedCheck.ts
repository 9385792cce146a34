/** A probe asks every few seconds, and some checks are paid requests. */
const VALID_MS = 60_000;

export interface CachedCheck {
  (): Promise<void>;
  /** Makes the next call run the check. */
  forget(): void;
}

/** @returns the check, which runs at most once a minute as long as it succeeds. */
export function cachedCheck(check: () => Promise<void>, now: () => number = () => performance.now()): CachedCheck {
  let validUntil = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    const startedAt = now();
    await check();
    validUntil = startedAt + VALID_MS;
  };
  const cached = async (): Promise<void> => {
    if (now() < validUntil) return;
    // A slow check is not begun again by each probe.
    running ??= run().finally(() => {
      running = undefined;
    });
    await running;
  };
  return Object.assign(cached, {
    forget: () => {
      validUntil = Number.NEGATIVE_INFINITY;
    },
  });
}
