import { Failure } from '../../domain/failure.ts';

const MAX_WAIT_MS = 30_000;

interface WaitingBody {
  readonly bytes: number;
  readonly admit: () => void;
}

interface SenderMemory {
  used: number;
  readonly waiting: WaitingBody[];
}

/** Limits the memory that the request bodies of each sender use at once. A body over the limit waits, unread, in order of arrival. */
export class BodyMemory {
  readonly #bytesPerSender: number;
  readonly #maxWaitMs: number;
  readonly #senders = new Map<string, SenderMemory>();

  constructor(bytesPerSender: number, maxWaitMs = MAX_WAIT_MS) {
    this.#bytesPerSender = bytesPerSender;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * @param bytes at most the limit of one sender.
   * @returns a function that releases the memory; call it once. @throws Failure (429) if no memory was free in time.
   */
  async acquire(sender: string, bytes: number): Promise<() => void> {
    const memory = this.#senders.get(sender) ?? { used: 0, waiting: [] };
    this.#senders.set(sender, memory);
    if (memory.waiting.length > 0 || memory.used + bytes > this.#bytesPerSender) await this.#wait(memory, bytes);
    else memory.used += bytes;
    return () => {
      memory.used -= bytes;
      this.#admitWaiting(memory);
      if (memory.used === 0 && memory.waiting.length === 0) this.#senders.delete(sender);
    };
  }

  #wait(memory: SenderMemory, bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const body = {
        bytes,
        admit: () => {
          clearTimeout(timer);
          memory.used += bytes;
          resolve();
        },
      };
      const timer = setTimeout(() => {
        memory.waiting.splice(memory.waiting.indexOf(body), 1);
        this.#admitWaiting(memory);
        reject(tooManyBytes(this.#bytesPerSender));
      }, this.#maxWaitMs);
      memory.waiting.push(body);
    });
  }

  #admitWaiting(memory: SenderMemory): void {
    const { waiting } = memory;
    for (let [next] = waiting; next && memory.used + next.bytes <= this.#bytesPerSender; [next] = waiting) {
      waiting.shift();
      next.admit();
    }
  }
}

function tooManyBytes(bytes: number): Failure {
  const text = `Your running requests have more than ${bytes.toLocaleString('en')} bytes in total: send fewer at once.`;
  return new Failure({
    status: 429,
    code: 'rate_limited',
    errors: { rate_limit: [text] },
    headers: { 'Retry-After': '1' },
  });
}
