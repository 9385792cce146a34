/**
 * Keeps a store equal to what the API server holds of one kind: lists page by page, follows the watch from there, and lists again when
 * the server has forgotten where we were. Whatever fails, it goes on, ever more slowly; only `stop` ends it.
 */
import { backOffMs } from '../../../lib/backOff.ts';
import { errorMessage } from '../../../lib/errorMessage.ts';
import { apiErrorOf, isGone, SilenceError } from '../client/apiError.ts';
import type { ApiServer, WatchEvent } from '../client/apiServer.ts';
import { type Clock, systemClock } from '../client/clock.ts';
import { type Change, ObjectStore, type ObjectStoreOptions, type Stored } from './objectStore.ts';

interface ReflectorLog {
  warn(fields: object, message: string): void;
}

export interface ReflectorOptions<T extends Stored> extends ObjectStoreOptions<T> {
  readonly api: ApiServer;
  /** Of the collection. */
  readonly path: string;
  readonly labelSelector?: string;
  /** Takes what is needed out of an object; the rest of it is not kept. */
  readonly read: (object: unknown) => T;
  readonly log: ReflectorLog;
  readonly clock?: Clock;
  readonly pageSize?: number;
  /** The server ends a watch between this and twice this. */
  readonly watchSeconds?: number;
  readonly idleMs?: number;
  readonly relisted?: ((path: string) => void) | undefined;
}

export interface Reflector<T extends Stored> {
  readonly store: ObjectStore<T>;
  /** Once the first list is there. @throws when it takes longer */
  ready(timeoutMs: number): Promise<void>;
  /** Milliseconds since the store was last known to be up to date. */
  staleness(): number;
  stop(): Promise<void>;
}

const BACK_OFF = { firstMs: 500, maxMs: 30_000 };
/** A page may be slow on a server that is busy. */
const LIST_DEADLINE_MS = 60_000;

export function startReflector<T extends Stored>(options: ReflectorOptions<T>): Reflector<T> {
  return new ListWatch(options);
}

const DEFAULTS = { clock: systemClock, pageSize: 100, watchSeconds: 300, idleMs: 75_000 };

class ListWatch<T extends Stored> implements Reflector<T> {
  readonly store: ObjectStore<T>;
  readonly #options: ReflectorOptions<T> & typeof DEFAULTS;
  readonly #ending = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  /** Where the watch goes on; undefined: the server no longer knows, or nothing was listed yet. */
  #version: string | undefined;
  #currentAt: number;
  #failures = 0;
  /** Said to whoever waits in vain: a missing right looks like a slow server otherwise. */
  #lastFailure = '';

  constructor(options: ReflectorOptions<T>) {
    this.#options = { ...DEFAULTS, ...options };
    this.store = new ObjectStore<T>({ ...options, changed: (change) => this.#tell(change) });
    this.#currentAt = this.#options.clock.now();
    this.#running = this.#run();
  }

  async ready(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const why = `Nothing could be listed at ${this.#options.path} within ${timeoutMs / 1000} s.`;
      timer = setTimeout(() => reject(new Error(`${why}${this.#lastFailure}`)), timeoutMs);
    });
    await Promise.race([this.#first.promise, late]).finally(() => clearTimeout(timer));
  }

  staleness(): number {
    return this.#options.clock.now() - this.#currentAt;
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#ending.signal.aborted) await this.#cycle();
  }

  async #cycle(): Promise<void> {
    try {
      if (this.#version === undefined) await this.#list();
      await this.#follow();
    } catch (error) {
      // Where nothing happens nothing comes; a dead connection is left behind all the same.
      if (this.#ending.signal.aborted || error instanceof SilenceError) return;
      await this.#recover(error);
    }
  }

  async #recover(error: unknown): Promise<void> {
    const { clock, log, path } = this.#options;
    this.#failures += 1;
    this.#lastFailure = ` The last try: ${errorMessage(error)}.`;
    const again = isGone(error);
    if (again) this.#version = undefined;
    log.warn({ path, failures: this.#failures, again, err: error }, 'a watch broke');
    await clock.sleep(backOffMs(this.#failures, BACK_OFF, clock.random), this.#ending.signal).catch(() => undefined);
  }

  async #list(): Promise<void> {
    const { api, path, labelSelector, pageSize, relisted } = this.#options;
    const limits = { deadlineMs: LIST_DEADLINE_MS, signal: this.#ending.signal };
    const objects: T[] = [];
    let page: List;
    let position: string | undefined;
    do {
      const query = { labelSelector, limit: pageSize, continue: position };
      page = asList(await api.call({ verb: 'list', path, query }, limits));
      objects.push(...page.items.flatMap((item) => this.#read(item) ?? []));
      position = page.metadata.continue === '' ? undefined : page.metadata.continue;
    } while (position !== undefined);
    this.#version = page.metadata.resourceVersion ?? '0';
    this.store.replace(objects, this.#version);
    this.#isCurrent();
    relisted?.(path);
    this.#first.resolve();
  }

  async #follow(): Promise<void> {
    const { api, path, labelSelector, clock, watchSeconds, idleMs } = this.#options;
    const begun = clock.now();
    // Not all at once after the server was away.
    const timeoutSeconds = Math.round(watchSeconds * (1 + clock.random()));
    const query = { labelSelector, resourceVersion: this.#version, timeoutSeconds };
    const limits = { signal: this.#ending.signal, idleMs, heard: () => this.#isCurrent() };
    let events = 0;
    for await (const event of api.watch({ path, query }, limits)) {
      this.#take(event);
      events += 1;
      this.#failures = 0;
    }
    if (events === 0 && clock.now() - begun < 1_000) throw new Error('the watch ended as soon as it began');
    this.#failures = 0;
  }

  #take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      const status = object as { code?: number } | undefined;
      throw apiErrorOf(`watch ${this.#options.path}`, status?.code ?? 500, JSON.stringify(object));
    }
    const at = (object as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion;
    if (type === 'BOOKMARK') this.store.advance(at ?? '0');
    else if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
      const known = this.#read(object);
      if (known !== undefined) this.store.apply(type, known);
    }
    if (at !== undefined) this.#version = at;
  }

  /** An object that cannot be read is left out, and holds up no other. */
  #read(object: unknown): T | undefined {
    const { read, log, path } = this.#options;
    try {
      return read(object);
    } catch (error) {
      log.warn({ path, err: error }, 'an object could not be read');
      return undefined;
    }
  }

  #tell(change: Change<T>): void {
    const { changed, log, path } = this.#options;
    try {
      changed(change);
    } catch (error) {
      log.warn({ path, err: error }, 'a handler of a change failed');
    }
  }

  #isCurrent(): void {
    this.#currentAt = this.#options.clock.now();
  }
}

interface List {
  readonly items: readonly unknown[];
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
}

function asList(body: unknown): List {
  const { items, metadata } = (body ?? {}) as Partial<List>;
  return { items: items ?? [], metadata: metadata ?? {} };
}
