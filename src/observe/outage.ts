import type { Log } from '../lib/log.ts';

/**
 * Reports that a part of the installation does not answer: one warning when it is lost, one line when it is back. Everything
 * that needs the part fails meanwhile, and an ERROR line for each failure would hide what else goes wrong.
 */
export class Outage {
  readonly #what: string;
  readonly #isCause: (error: unknown) => boolean;
  #isLost = false;

  /** @param isCause whether the error says that this part does not answer. */
  constructor(what: string, isCause: (error: unknown) => boolean) {
    this.#what = what;
    this.#isCause = isCause;
  }

  /** @returns whether the error is one of this outage, which is then reported. */
  claims(error: unknown, log: Pick<Log, 'warn'>): boolean {
    if (!this.#isCause(error)) return false;
    if (!this.#isLost) log.warn({ err: error }, `${this.#what} does not answer; work that needs it is retried`);
    this.#isLost = true;
    return true;
  }

  /** Called when the part answers. */
  ended(log: Pick<Log, 'info'>): void {
    if (this.#isLost) log.info({}, `${this.#what} answers again`);
    this.#isLost = false;
  }
}
