/**
 * Limits how many finished ScreenshotJobs stay in the cluster for operators to look at. The API server and our caches keep each object in
 * memory.
 */
export class Retention {
  readonly #max: number;
  /** In the order in which they were seen as finished. */
  readonly #kept = new Set<string>();
  readonly #excess = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @returns the name of the oldest one if it must now be deleted because there are too many. */
  keep(name: string): string | undefined {
    if (this.#excess.has(name) || this.#kept.has(name)) return undefined;
    this.#kept.add(name);
    if (this.#kept.size <= this.#max) return undefined;
    const [oldest = name] = this.#kept;
    this.#kept.delete(oldest);
    this.#excess.add(oldest);
    return oldest;
  }

  /** True if it must be deleted before its time to live has passed. */
  isExcess(name: string): boolean {
    return this.#excess.has(name);
  }

  forget(name: string): void {
    this.#kept.delete(name);
    this.#excess.delete(name);
  }
}
