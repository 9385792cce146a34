/** The engine of a capture program. It stays for the attempts of all guests, because starting browsers is most of the cost of a small set. */
import type { SlotLists } from '../../slotLists/slotLists.ts';
import type { Engine } from '../engine/engine.ts';

type StartEngine = (slotLists: Promise<SlotLists | undefined>) => Promise<Engine>;

export interface WantedLists {
  /** Identifies the filter lists. An engine keeps its lists, so other lists need another engine. */
  readonly version: string | undefined;
  readonly load: () => Promise<SlotLists | undefined>;
}

export class WarmEngine {
  readonly #start: StartEngine;
  #current: { readonly version: string | undefined; readonly engine: Promise<Engine> } | undefined;

  constructor(start: StartEngine) {
    this.#start = start;
  }

  /** @throws the errors of the engine's start. */
  async get({ version, load }: WantedLists): Promise<Engine> {
    if (this.#current !== undefined && this.#current.version !== version) await this.close();
    this.#current ??= { version, engine: this.#start(load()) };
    return this.#current.engine;
  }

  /** Never throws. */
  async close(): Promise<void> {
    const engine = await this.#current?.engine.catch(() => undefined);
    this.#current = undefined;
    await engine?.close();
  }
}
