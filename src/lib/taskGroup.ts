/** Tasks of which at most `limit` run at once. The first failure is thrown by every later call. */
export class TaskGroup {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#running.size;
  }

  get isFull(): boolean {
    return this.#running.size >= this.#limit;
  }

  /** Waits for room, then starts the task without waiting for its end. */
  async add(task: () => Promise<void>): Promise<void> {
    while (this.isFull) await this.oneDone();
    this.#throwFailure();
    const running = task()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when the next of the running tasks has ended; at once when there is none. */
  async oneDone(): Promise<void> {
    if (this.#running.size > 0) await Promise.race(this.#running);
    this.#throwFailure();
  }

  /** Resolves when all tasks have ended, also where one has failed. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
