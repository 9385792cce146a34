/** An object is not judged before this time has passed since it was first seen, because its row or its owner may not be visible yet. */
const MIN_AGE_MS = 120_000;

/**
 * When each object was first seen, by uid, on this process's own clock. The times in the objects come from other clocks, which may be wrong
 * by hours.
 */
export class FirstSeenTracker {
  readonly #clock: () => number;
  readonly #firstSeen = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** @returns milliseconds until the object may be judged; 0: now. The first call starts the time. */
  msUntilJudged(uid: string): number {
    const now = this.#clock();
    const firstSeen = this.#firstSeen.get(uid) ?? now;
    this.#firstSeen.set(uid, firstSeen);
    return Math.max(0, firstSeen + MIN_AGE_MS - now);
  }

  /** Forgets all objects except these. */
  keepOnly(uids: ReadonlySet<string>): void {
    for (const uid of this.#firstSeen.keys()) if (!uids.has(uid)) this.#firstSeen.delete(uid);
  }
}
