import { errorMessage } from '../lib/errorMessage.ts';
import type { Log } from '../lib/log.ts';

/**
 * Reports that a part of the installation is unavailable: one warning when it is lost, one when it is back. Everything that
 * needs the part fails until then, and an ERROR line for each failure would hide what else goes wrong.
 */
export class Outage {
  readonly #what: string;
  readonly #isCause: (error: unknown) => boolean;
  #reason: string | undefined;

  /** @param isCause whether the error says that this part is unavailable. */
  constructor(what: string, isCause: (error: unknown) => boolean) {
    this.#what = what;
    this.#isCause = isCause;
  }

  /** Why the part is unavailable; undefined if it is available. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** @returns whether the error is one of this outage, which is then reported. */
  claims(error: unknown, log: Pick<Log, 'warn'>): boolean {
    if (!this.#isCause(error)) return false;
    this.began(error, log);
    return true;
  }

  /** Called when a check of the part failed. */
  began(error: unknown, log: Pick<Log, 'warn'>): void {
    if (this.#reason === undefined)
      log.warn({ err: error }, `${this.#what} is unavailable; retrying work that needs it`);
    this.#reason = errorMessage(error);
  }

  /** Called when the part answers. */
  ended(log: Pick<Log, 'warn'>): void {
    if (this.#reason !== undefined) log.warn({}, `${this.#what} is available again`);
    this.#reason = undefined;
  }
}
