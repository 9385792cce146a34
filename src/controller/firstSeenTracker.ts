/** Nothing is judged that was not seen for so long: its row, or its owner, may not be there yet. */
const YOUNG_MS = 120_000;

/**
 * Since when objects are known, by uid, on this process's own clock: the times that stand in objects are of other clocks, which
 * may be wrong by hours.
 */
export class FirstSeenTracker {
  readonly #clock: () => number;
  readonly #since = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** @returns in how many milliseconds it may be judged; 0: now. */
  timeLeft(uid: string): number {
    const now = this.#clock();
    const since = this.#since.get(uid) ?? now;
    this.#since.set(uid, since);
    return Math.max(0, since + YOUNG_MS - now);
  }

  /** Forgets all but these. */
  keep(uids: ReadonlySet<string>): void {
    for (const uid of this.#since.keys()) if (!uids.has(uid)) this.#since.delete(uid);
  }
}
