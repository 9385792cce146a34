/** Runs at most `atOnce` pieces of work at the same time, in the order of the calls. */
export class ConcurrencyLimit {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** The calls that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param signal ends the wait for a turn, not the work. @throws its reason if it aborts before. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #turn(signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.splice(this.#waiting.indexOf(take), 1);
      reject(signal?.reason);
    };
    const take = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    this.#waiting.push(take);
    signal?.addEventListener('abort', leave, { once: true });
    return promise;
  }
}
