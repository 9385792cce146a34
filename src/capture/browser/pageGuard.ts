import { CancelableTimer } from '../../lib/cancelableTimer.ts';
import type { CdpSession } from './cdp.ts';
import { isResponsive, terminateScript } from './mainThread.ts';
import { RenderingBlockedError } from './renderingBlocked.ts';

export interface PageGuardOptions {
  readonly signal: AbortSignal;
  /** What a reader of the record should know; added to. */
  readonly notes: Set<string>;
  /** While true, a page that does nothing is waited for. */
  readonly isLoading: () => boolean;
}

/** Real milliseconds between two looks at the page. */
export const TICK_MS = 250;
/** Real time without any progress after which a page is stuck, although its main thread answers and nothing is loading. */
const STUCK_MS = 6_000;
const MAX_ENDED_SCRIPTS = 3;

/** Sees to it that nothing that is asked of a page is waited for in vain. */
export class PageGuard {
  readonly #session: CdpSession;
  readonly #options: PageGuardOptions;
  readonly #crashed = Promise.withResolvers<never>();
  #endedScripts = 0;

  constructor(session: CdpSession, options: PageGuardOptions) {
    this.#session = session;
    this.#options = options;
    session.on('Inspector.targetCrashed', () =>
      this.#crashed.reject(
        new RenderingBlockedError('crash', 'The creative crashed the browser (it may need too much memory).'),
      ),
    );
    // Awaited in races only.
    this.#crashed.promise.catch(() => undefined);
  }

  /**
   * Awaits `work` against crash, abort, endless scripts and standstill; `tick` is called now and then.
   * @throws PageResistsError, the signal's reason, and what `work` throws
   */
  async waitFor<T>(work: Promise<T>, tick: () => Promise<void> = async () => undefined): Promise<T> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    const quit = Promise.withResolvers<never>();
    const abort = () => quit.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const timer = new CancelableTimer();
    try {
      const watching = this.#watchOver(timer, tick);
      return await Promise.race([work, this.#crashed.promise, quit.promise, watching]);
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', abort);
      // The race may have been lost by work that fails later.
      work.catch(() => undefined);
    }
  }

  async #watchOver(timer: CancelableTimer, tick: () => Promise<void>): Promise<never> {
    let stillMs = 0;
    while (await timer.wait(TICK_MS)) {
      const free = await isResponsive(this.#session);
      if (timer.canceled) break;
      if (!free) {
        await this.#endScript();
        stillMs = 0;
        continue;
      }
      await tick();
      if (this.#options.isLoading()) continue;
      stillMs += TICK_MS;
      if (stillMs >= STUCK_MS) throw new RenderingBlockedError('stuck', 'The creative stands still in stepped time.');
    }
    return new Promise<never>(() => undefined);
  }

  async #endScript(): Promise<void> {
    this.#endedScripts += 1;
    if (this.#endedScripts > MAX_ENDED_SCRIPTS)
      throw new RenderingBlockedError('endless_script', 'The creative has a script that never ends.');
    this.#options.notes.add('A script that did not end was stopped.');
    await terminateScript(this.#session);
  }
}
