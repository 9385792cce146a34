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

/** Work of one key waits for that key's other work first, so a key with much work takes only its share of the places. */
export class KeyedConcurrencyLimit {
  readonly #all: ConcurrencyLimit;
  readonly #ofEach: number;
  readonly #keys = new Map<string, { readonly limit: ConcurrencyLimit; users: number }>();

  constructor({ inAll, ofEach }: { readonly inAll: number; readonly ofEach: number }) {
    this.#all = new ConcurrencyLimit(inAll);
    this.#ofEach = ofEach;
  }

  /** The calls of the key that run or wait for their turn. */
  users(key: string): number {
    return this.#keys.get(key)?.users ?? 0;
  }

  /** @param signal ends the wait for a turn, not the work. @throws its reason if it aborts before. */
  async run<T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const own = this.#keys.get(key) ?? { limit: new ConcurrencyLimit(this.#ofEach), users: 0 };
    this.#keys.set(key, own);
    own.users += 1;
    try {
      return await own.limit.run(() => this.#all.run(work, signal), signal);
    } finally {
      own.users -= 1;
      if (own.users === 0) this.#keys.delete(key);
    }
  }
}
