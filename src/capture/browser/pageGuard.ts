import { sleptFully } from '../../lib/sleep.ts';
import { CdpError, type CdpSession, CdpTimeoutError, RenderingBlockedError } from './cdp.ts';

export interface PageGuardOptions {
  readonly signal: AbortSignal;
  /** Facts for the provenance record; the guard adds to them. */
  readonly notes: Set<string>;
  /** While it returns true, a page without progress does not count as stuck. */
  readonly isLoading: () => boolean;
}

/** Real milliseconds between two checks of the page. */
export const TICK_MS = 250;
/** A page is stuck after this real time without progress, if its main thread responds and nothing is loading. */
const STUCK_MS = 6_000;
const MAX_TERMINATED_SCRIPTS = 3;
/** A script that blocks the page for this real time counts as endless. On a busy node a page may get no processor for seconds. */
const BLOCKED_MS = 4_000;
const TERMINATION_TIMEOUT_MS = 2_000;

/** Bounds every wait for a page: ends endless scripts, and fails on an abort or a page that is stuck. */
export class PageGuard {
  readonly #session: CdpSession;
  readonly #options: PageGuardOptions;
  #terminatedScripts = 0;

  constructor(session: CdpSession, options: PageGuardOptions) {
    this.#session = session;
    this.#options = options;
  }

  /**
   * Awaits `work` until it ends, or until the page is stuck or runs an endless script. A page that crashes ends its
   * browser, which ends `work`.
   * @param tick called at each check of the page.
   * @throws RenderingBlockedError, the signal's reason, and the error of `work`.
   */
  async waitFor<T>(work: Promise<T>, tick: () => Promise<void> = async () => undefined): Promise<T> {
    const { signal } = this.#options;
    // If another promise wins the race, or the signal has aborted, `work` may still reject later.
    work.catch(() => undefined);
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const settled = new AbortController();
    try {
      const stuck = this.#detectStuckPage(settled.signal, tick);
      return await Promise.race([work, aborted.promise, stuck]);
    } finally {
      settled.abort();
      signal.removeEventListener('abort', abort);
    }
  }

  async #detectStuckPage(settled: AbortSignal, tick: () => Promise<void>): Promise<never> {
    let idleMs = 0;
    while (await sleptFully(TICK_MS, settled)) {
      const responsive = await isResponsive(this.#session);
      if (settled.aborted) break;
      if (!responsive) {
        await this.#terminateScript();
        idleMs = 0;
        continue;
      }
      await tick();
      if (this.#options.isLoading()) continue;
      idleMs += TICK_MS;
      if (idleMs >= STUCK_MS) {
        throw new RenderingBlockedError('stuck', 'The creative makes no progress in stepped time.');
      }
    }
    return new Promise<never>(() => undefined);
  }

  async #terminateScript(): Promise<void> {
    this.#terminatedScripts += 1;
    if (this.#terminatedScripts > MAX_TERMINATED_SCRIPTS)
      throw new RenderingBlockedError('endless_script', 'The creative has a script that never ends.');
    this.#options.notes.add('A script that did not end was stopped.');
    await terminateScript(this.#session);
  }
}

/** @returns false while a script blocks the page's main thread. */
async function isResponsive(session: CdpSession): Promise<boolean> {
  try {
    await session.send('Runtime.evaluate', { expression: '1' }, BLOCKED_MS);
    return true;
  } catch (error) {
    // Between two documents no context can answer, but no script blocks the thread.
    if (error instanceof CdpError) return true;
    if (error instanceof CdpTimeoutError) return false;
    throw error;
  }
}

/** Ends the script that is running. Later scripts run as before. */
async function terminateScript(session: CdpSession): Promise<void> {
  try {
    await session.send('Runtime.terminateExecution', undefined, TERMINATION_TIMEOUT_MS);
  } catch (error) {
    // If the call is too late or finds no script, the next check shows it.
    if (!(error instanceof CdpError || error instanceof CdpTimeoutError)) throw error;
  }
}
