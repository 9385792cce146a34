import { CdpError, type CdpSession, CdpTimeoutError } from './cdp.ts';

/** A worker that does not answer for this real time is busy, and the clock no longer waits for it. */
const BUSY_MS = 5_000;

/** The workers of a page. Virtual time does not wait for them, so the clock of the page has to. */
export class PageWorkers {
  readonly #session: CdpSession;
  readonly #open: (sessionId: string) => CdpSession;
  readonly #running = new Set<string>();
  /** The workers for which the clock waits. */
  readonly #awaited = new Map<string, CdpSession>();
  readonly #starting = new Set<Promise<void>>();

  /** @param open opens the session of a worker. */
  constructor(session: CdpSession, open: (sessionId: string) => CdpSession) {
    this.#session = session;
    this.#open = open;
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker') this.#running.add(sessionId);
      const starting = this.#start(sessionId);
      this.#starting.add(starting);
      // If the browser is gone, every other call reports it.
      starting.finally(() => this.#starting.delete(starting)).catch(() => undefined);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => {
      this.#running.delete(sessionId);
      this.#forget(sessionId);
    });
  }

  get count(): number {
    return this.#running.size;
  }

  /** Called once, before the page loads anything. */
  async start(): Promise<void> {
    const options = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    await this.#session.send('Target.setAutoAttach', options);
  }

  /** Waits until each worker has started, and has done what is due at this moment. */
  async settle(): Promise<void> {
    await Promise.all(this.#starting);
    await Promise.all([...this.#awaited.keys()].map((sessionId) => this.#answer(sessionId)));
  }

  async #start(sessionId: string): Promise<void> {
    const worker = this.#open(sessionId);
    this.#awaited.set(sessionId, worker);
    await this.#ask(sessionId, () => worker.send('Runtime.runIfWaitingForDebugger', undefined, BUSY_MS));
    // The script of the worker runs before the second answer.
    await this.#answer(sessionId);
    await this.#answer(sessionId);
  }

  #answer(sessionId: string): Promise<void> {
    const call = { expression: '0' };
    return this.#ask(sessionId, async () => this.#awaited.get(sessionId)?.send('Runtime.evaluate', call, BUSY_MS));
  }

  async #ask(sessionId: string, call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (!(error instanceof CdpError || error instanceof CdpTimeoutError)) throw error;
      this.#forget(sessionId);
    }
  }

  #forget(sessionId: string): void {
    this.#awaited.get(sessionId)?.release();
    this.#awaited.delete(sessionId);
  }
}
