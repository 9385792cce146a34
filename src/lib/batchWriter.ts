import { sleep } from './sleep.ts';

/**
 * Stores items in batches. While one batch is written, the next one collects. A write begins at least `pauseMs` after the
 * one before, so that a steady flow makes large batches, and the first item after a while is written at once. If a batch fails, each of its items is written
 * alone, so that one bad item does not lose the others.
 */
export class BatchWriter<T> {
  readonly #write: (items: readonly T[]) => Promise<void>;
  readonly #maxItems: number;
  readonly #waiting: { readonly item: T; readonly done: PromiseWithResolvers<void> }[] = [];
  readonly #pauseMs: number;
  #isWriting = false;
  #startedAt = -Infinity;

  constructor(write: (items: readonly T[]) => Promise<void>, maxItems: number, pauseMs = 0) {
    this.#write = write;
    this.#maxItems = maxItems;
    this.#pauseMs = pauseMs;
  }

  /** Resolves when the item is stored. @throws the error of the write of this item alone. */
  add(item: T): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ item, done });
    if (!this.#isWriting) void this.#writeAll();
    return done.promise;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    // Items that are added in the same turn of the event loop share the first batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const early = this.#startedAt + this.#pauseMs - performance.now();
      if (early > 0) await sleep(early);
      this.#startedAt = performance.now();
      const batch = this.#waiting.splice(0, this.#maxItems);
      try {
        await this.#write(batch.map(({ item }) => item));
        for (const { done } of batch) done.resolve();
      } catch (error) {
        for (const { item, done } of batch) {
          if (batch.length === 1) done.reject(error);
          else await this.#write([item]).then(done.resolve, done.reject);
        }
      }
    }
    this.#isWriting = false;
  }
}
