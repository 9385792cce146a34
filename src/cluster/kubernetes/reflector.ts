/**
 * Keeps a store equal to what the API server holds of one kind: lists page by page, follows the watch from there, and lists again when
 * the server has forgotten where we were. Whatever fails, it goes on, ever more slowly; only `stop` ends it.
 */
import { apiErrorOf, isGone, SilenceError } from './apiError.ts';
import type { ApiServer, WatchEvent } from './apiServer.ts';
import { type Clock, systemClock } from './clock.ts';
import { Store, type Stored, type StoreOptions } from './store.ts';

interface ReflectorLog {
  warn(fields: object, message: string): void;
}

export interface ReflectorOptions<T extends Stored> extends StoreOptions<T> {
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
  readonly store: Store<T>;
  /** Once the first list is there. @throws when it takes longer */
  ready(timeoutMs: number): Promise<void>;
  /** Milliseconds since the store was last known to be up to date. */
  staleness(): number;
  stop(): Promise<void>;
}

const BACKOFF = { first: 500, most: 30_000 };
/** A page may be slow on a server that is busy. */
const LIST_DEADLINE_MS = 60_000;

export function startReflector<T extends Stored>(options: ReflectorOptions<T>): Reflector<T> {
  const { api, path, labelSelector, read, log, clock = systemClock } = options;
  const { pageSize = 100, watchSeconds = 300, idleMs = 75_000 } = options;
  const ending = new AbortController();
  const first = Promise.withResolvers<void>();
  const store = new Store<T>({
    ...options,
    changed: (change) => {
      try {
        options.changed(change);
      } catch (error) {
        log.warn({ path, err: error }, 'a handler of a change failed');
      }
    },
  });
  /** Where the watch goes on; undefined: the server no longer knows, or nothing was listed yet. */
  let version: string | undefined;
  let currentAt = clock.now();
  let failures = 0;

  const isCurrent = () => {
    currentAt = clock.now();
  };

  /** An object that cannot be read is left out, and holds up no other. */
  const readSafely = (object: unknown): T | undefined => {
    try {
      return read(object);
    } catch (error) {
      log.warn({ path, err: error }, 'an object could not be read');
      return undefined;
    }
  };

  async function list(): Promise<void> {
    const { signal } = ending;
    const objects: T[] = [];
    let page: List;
    let position: string | undefined;
    do {
      const query = { labelSelector, limit: pageSize, continue: position };
      page = asList(await api.call({ verb: 'list', path, query }, { deadlineMs: LIST_DEADLINE_MS, signal }));
      objects.push(...page.items.flatMap((item) => readSafely(item) ?? []));
      position = page.metadata.continue === '' ? undefined : page.metadata.continue;
    } while (position !== undefined);
    version = page.metadata.resourceVersion ?? '0';
    store.replace(objects, version);
    isCurrent();
    options.relisted?.(path);
    first.resolve();
  }

  async function follow(): Promise<void> {
    const begun = clock.now();
    // Not all at once after the server was away.
    const timeoutSeconds = Math.round(watchSeconds * (1 + clock.random()));
    const query = { labelSelector, resourceVersion: version, timeoutSeconds };
    let events = 0;
    for await (const event of api.watch({ path, query }, { signal: ending.signal, idleMs, heard: isCurrent })) {
      take(event);
      events += 1;
      failures = 0;
    }
    if (events === 0 && clock.now() - begun < 1_000) throw new Error('the watch ended as soon as it began');
    failures = 0;
  }

  function take({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      const status = object as { code?: number } | undefined;
      throw apiErrorOf(`watch ${path}`, status?.code ?? 500, JSON.stringify(object));
    }
    const at = (object as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion;
    if (type === 'BOOKMARK') store.advance(at ?? '0');
    else if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
      const known = readSafely(object);
      if (known !== undefined) store.apply(type, known);
    }
    if (at !== undefined) version = at;
  }

  async function cycle(): Promise<void> {
    try {
      if (version === undefined) await list();
      await follow();
    } catch (error) {
      // Where nothing happens nothing comes; a dead connection is left behind all the same.
      if (ending.signal.aborted || error instanceof SilenceError) return;
      failures += 1;
      const again = isGone(error);
      if (again) version = undefined;
      log.warn({ path, failures, again, err: error }, 'a watch broke');
      await clock.sleep(pauseAfter(failures, clock), ending.signal).catch(() => undefined);
    }
  }

  const running = (async () => {
    while (!ending.signal.aborted) await cycle();
  })();

  return {
    store,
    async ready(timeoutMs) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        const why = `Nothing could be listed at ${path} within ${timeoutMs / 1000} s.`;
        timer = setTimeout(() => reject(new Error(why)), timeoutMs);
      });
      await Promise.race([first.promise, late]).finally(() => clearTimeout(timer));
    },
    staleness: () => clock.now() - currentAt,
    async stop() {
      ending.abort();
      await running;
    },
  };
}

function pauseAfter(failures: number, clock: Clock): number {
  const most = Math.min(BACKOFF.most, BACKOFF.first * 2 ** Math.min(failures - 1, 10));
  return most / 2 + (most / 2) * clock.random();
}

interface List {
  readonly items: readonly unknown[];
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
}

function asList(body: unknown): List {
  const { items, metadata } = (body ?? {}) as Partial<List>;
  return { items: items ?? [], metadata: metadata ?? {} };
}
