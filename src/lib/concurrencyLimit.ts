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

export interface TurnOptions {
  /** Calls that run at the same time, in all and of each key. */
  readonly inAll: number;
  readonly ofEach: number;
  /** Calls of each key that may wait; any number unless given. */
  readonly waiting?: number;
  readonly waitMs: number;
}

/** Work of one key waits for that key's other work first, so a key with much work takes only its share of the places. */
export class KeyedConcurrencyLimit {
  readonly #options: TurnOptions;
  readonly #all: ConcurrencyLimit;
  readonly #keys = new Map<string, { readonly limit: ConcurrencyLimit; users: number }>();

  constructor(options: TurnOptions) {
    this.#options = options;
    this.#all = new ConcurrencyLimit(options.inAll);
  }

  /** @throws what `tooMany` returns, if too many calls of the key wait, or if this one has waited too long for its turn. */
  async run<T>(key: string, work: () => Promise<T>, tooMany: () => Error): Promise<T> {
    const { ofEach, waiting = Number.POSITIVE_INFINITY, waitMs } = this.#options;
    const own = this.#keys.get(key) ?? { limit: new ConcurrencyLimit(ofEach), users: 0 };
    if (own.users >= ofEach + waiting) throw tooMany();
    this.#keys.set(key, own);
    own.users += 1;
    const wait = AbortSignal.timeout(waitMs);
    try {
      return await own.limit.run(() => this.#all.run(work, wait), wait);
    } catch (error) {
      throw wait.aborted && error === wait.reason ? tooMany() : error;
    } finally {
      own.users -= 1;
      if (own.users === 0) this.#keys.delete(key);
    }
  }
}
