import { CdpError, type CdpSession } from './cdp.ts';

/** With a name, the world stays the same for one document. */
const WORLD = 'tearsheet';

/** Runs our scripts in the frames of a page. Each frame has an isolated world for them, which no script of the page sees. */
export class IsolatedWorlds {
  readonly #session: CdpSession;
  /** The context of the world in each frame; undefined until it is created. */
  readonly #contexts = new Map<string, number | undefined>();

  constructor(session: CdpSession) {
    this.#session = session;
    session.on('Page.frameNavigated', ({ frame }) => this.#contexts.set(frame.id, undefined));
    session.on('Page.frameAttached', ({ frameId }) => this.#contexts.set(frameId, undefined));
    session.on('Page.frameDetached', ({ frameId }) => this.#contexts.delete(frameId));
  }

  /** The ids of all frames that exist now. */
  frameIds(): readonly string[] {
    return [...this.#contexts.keys()];
  }

  /** @returns undefined if the script throws. @throws CdpError if another document replaces this one during the call. */
  async evaluate(frameId: string, expression: string): Promise<unknown> {
    try {
      const contextId = this.#contexts.get(frameId) ?? (await this.#createContext(frameId));
      const call = { contextId, expression, returnByValue: true };
      const { result, exceptionDetails } = await this.#session.send('Runtime.evaluate', call);
      return exceptionDetails ? undefined : result.value;
    } catch (error) {
      if (error instanceof CdpError && this.#contexts.has(frameId)) this.#contexts.set(frameId, undefined);
      throw error;
    }
  }

  async #createContext(frameId: string): Promise<number> {
    const world = { frameId, worldName: WORLD };
    const { executionContextId } = await this.#session.send('Page.createIsolatedWorld', world);
    this.#contexts.set(frameId, executionContextId);
    return executionContextId;
  }
}
