/** Finished resources that are kept for people to look at, so many at most: a cluster holds its objects in memory. */
export class Retention {
  readonly #most: number;
  /** In the order in which they finished, as far as it was seen. */
  readonly #kept = new Set<string>();
  readonly #excess = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns the one that has to go for it. */
  keep(name: string): string | undefined {
    if (this.#excess.has(name) || this.#kept.has(name)) return undefined;
    this.#kept.add(name);
    if (this.#kept.size <= this.#most) return undefined;
    const [oldest = name] = this.#kept;
    this.#kept.delete(oldest);
    this.#excess.add(oldest);
    return oldest;
  }

  /** Whether it is to go before its time. */
  isExcess(name: string): boolean {
    return this.#excess.has(name);
  }

  forget(name: string): void {
    this.#kept.delete(name);
    this.#excess.delete(name);
  }
}
