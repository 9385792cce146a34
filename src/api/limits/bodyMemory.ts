import { Failure } from '../../domain/failure.ts';

const PATIENCE_MS = 30_000;

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

interface Account {
  taken: number;
  readonly waiting: Waiting[];
}

/** Memory for bodies under way, so much for each sender: what finds none waits its turn, unread. */
export class BodyMemory {
  readonly #bytes: number;
  readonly #patienceMs: number;
  readonly #accounts = new Map<string, Account>();

  constructor(bytes: number, patienceMs = PATIENCE_MS) {
    this.#bytes = bytes;
    this.#patienceMs = patienceMs;
  }

  /**
   * @param bytes at most all that there is.
   * @returns what gives the room back, to be called once. @throws Failure (429) where there was none in time.
   */
  async enter(sender: string, bytes: number): Promise<() => void> {
    const account = this.#accounts.get(sender) ?? { taken: 0, waiting: [] };
    this.#accounts.set(sender, account);
    if (account.waiting.length > 0 || account.taken + bytes > this.#bytes) await this.#turn(account, bytes);
    else account.taken += bytes;
    return () => {
      account.taken -= bytes;
      this.#admit(account);
      if (account.taken === 0 && account.waiting.length === 0) this.#accounts.delete(sender);
    };
  }

  #turn(account: Account, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        bytes,
        admit: () => {
          clearTimeout(timer);
          account.taken += bytes;
          resolve();
        },
      };
      const timer = setTimeout(() => {
        account.waiting.splice(account.waiting.indexOf(waiting), 1);
        this.#admit(account);
        reject(tooMuch(this.#bytes));
      }, this.#patienceMs);
      account.waiting.push(waiting);
    });
  }

  /** In the order they came. */
  #admit(account: Account): void {
    for (let [next] = account.waiting; next && account.taken + next.bytes <= this.#bytes; [next] = account.waiting) {
      account.waiting.shift();
      next.admit();
    }
  }
}

function tooMuch(bytes: number): Failure {
  const text = `Your requests of together ${bytes.toLocaleString('en')} bytes are still under way: send fewer at once.`;
  return new Failure({
    status: 429,
    code: 'rate_limited',
    errors: { rate_limit: [text] },
    headers: { 'Retry-After': '1' },
  });
}
