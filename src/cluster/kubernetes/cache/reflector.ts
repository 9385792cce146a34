/**
 * Keeps an object cache equal to what the API server has of one kind.
 *
 * A reflector is in one of three states:
 * - Listing: it reads all objects page by page, and replaces the cache with them.
 * - Watching: it applies each event to the cache. The API server ends a watch after some minutes, and a watch without data for
 *   `idleMs` counts as dead. In both cases the reflector watches again from the last version that it saw.
 * - Backing off: after any other error it waits, longer after each failure in a row, and then watches again. It lists again if the
 *   error was 410 (Gone): the API server no longer has the history since the last version.
 *
 * Only `stop` ends it.
 */

import { errorMessage } from '../../../lib/errorMessage.ts';
import type { Log } from '../../../lib/log.ts';
import { backOffMs } from '../../../lib/repeat.ts';
import { secondsText } from '../../../lib/secondsText.ts';
import { isGone, SilenceError } from '../client/apiErrors.ts';
import { type Clock, systemClock } from '../client/clock.ts';
import type { WatchEvent } from '../client/connection.ts';
import type { ListedKind, VersionedObject } from '../client/kinds.ts';
import { type CachedObject, ObjectCache, type ObjectCacheOptions, type ObjectChange } from './objectCache.ts';

export interface ReflectorOptions<Source extends VersionedObject, T extends CachedObject>
  extends ObjectCacheOptions<T> {
  readonly client: ListedKind<Source>;
  readonly labelSelector?: string;
  /** Takes the fields to keep from an object. */
  readonly read: (object: Source) => T;
  readonly log: Pick<Log, 'warn'>;
  readonly clock?: Clock;
  readonly pageSize?: number;
  /** The API server ends a watch after a random time between this and twice this. */
  readonly watchSeconds?: number;
  readonly idleMs?: number;
}

const BACK_OFF = { firstMs: 500, maxMs: 30_000 };
/** A busy API server may need long for one page. */
const LIST_DEADLINE_MS = 60_000;

const DEFAULTS = { clock: systemClock, pageSize: 100, watchSeconds: 300, idleMs: 75_000 };

export class Reflector<Source extends VersionedObject, T extends CachedObject> {
  readonly cache: ObjectCache<T>;
  readonly #options: ReflectorOptions<Source, T> & typeof DEFAULTS;
  readonly #stopping = new AbortController();
  readonly #firstList = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  /** The version from which to watch; undefined: list first. */
  #version: string | undefined;
  #currentAt: number;
  #failures = 0;
  /** Part of the error of `ready`, because a missing permission looks like a slow server otherwise. */
  #lastFailure = '';

  constructor(options: ReflectorOptions<Source, T>) {
    this.#options = { ...DEFAULTS, ...options };
    this.cache = new ObjectCache<T>({ changed: (change) => this.#notify(change) });
    this.#currentAt = this.#options.clock.now();
    this.#running = this.#run();
  }

  /** Resolves when the first list is in the cache. @throws Error if that takes longer than `timeoutMs`. */
  async ready(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const message = `Nothing could be listed at ${this.#options.client.path} within ${secondsText(timeoutMs)}.`;
      timer = setTimeout(() => reject(new Error(`${message}${this.#lastFailure}`)), timeoutMs);
    });
    await Promise.race([this.#firstList.promise, timeout]).finally(() => clearTimeout(timer));
  }

  /** Milliseconds since the cache was last known to be up to date. */
  staleness(): number {
    return this.#options.clock.now() - this.#currentAt;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) await this.#listAndWatch();
  }

  async #listAndWatch(): Promise<void> {
    try {
      this.#version ??= await this.#list();
      await this.#watch(this.#version);
    } catch (error) {
      // Silence is normal if nothing changes. A new watch finds out whether the connection is dead.
      if (this.#stopping.signal.aborted || error instanceof SilenceError) return;
      await this.#backOff(error);
    }
  }

  async #backOff(error: unknown): Promise<void> {
    const { client, clock, log } = this.#options;
    this.#failures += 1;
    this.#lastFailure = ` The last error: ${errorMessage(error)}.`;
    const willRelist = isGone(error);
    if (willRelist) this.#version = undefined;
    const fields = { path: client.path, failures: this.#failures, relist: willRelist, err: error };
    log.warn(fields, 'a list or watch of the API server failed; retrying');
    const pause = backOffMs(this.#failures, BACK_OFF, clock.random);
    await clock.sleep(pause, this.#stopping.signal).catch(() => undefined);
  }

  /** @returns the version of the list. */
  async #list(): Promise<string> {
    const { client, labelSelector, pageSize } = this.#options;
    const query = { ...(labelSelector !== undefined && { labelSelector }), limit: pageSize };
    const limits = { deadlineMs: LIST_DEADLINE_MS, signal: this.#stopping.signal };
    const objects: T[] = [];
    let page = await client.list(query, limits);
    objects.push(...this.#readAll(page.items));
    for (let next = page.metadata?._continue; next; next = page.metadata?._continue) {
      page = await client.list({ ...query, _continue: next }, limits);
      objects.push(...this.#readAll(page.items));
    }
    const version = page.metadata?.resourceVersion ?? '0';
    this.cache.replace(objects, version);
    this.#setCurrent();
    this.#firstList.resolve();
    return version;
  }

  async #watch(resourceVersion: string): Promise<void> {
    const { client, labelSelector, clock, watchSeconds, idleMs } = this.#options;
    const startedAt = clock.now();
    // The random part spreads the watches, so that they do not all come back at the same moment.
    const timeoutSeconds = Math.round(watchSeconds * (1 + clock.random()));
    const query = { labelSelector, resourceVersion, timeoutSeconds };
    const options = { signal: this.#stopping.signal, idleMs, onData: () => this.#setCurrent() };
    let events = 0;
    for await (const event of client.watch(query, options)) {
      this.#apply(event);
      events += 1;
      this.#failures = 0;
    }
    if (events === 0 && clock.now() - startedAt < 1_000) throw new Error('the watch ended as soon as it began');
    this.#failures = 0;
  }

  #apply({ type, object }: WatchEvent<Source>): void {
    const version = object.metadata?.resourceVersion;
    if (type === 'BOOKMARK') this.cache.advance(version ?? '0');
    else for (const state of this.#readAll([object])) this.cache.apply(type, state);
    if (version !== undefined) this.#version = version;
  }

  /** Leaves out an object that cannot be read, so that it does not block the others. */
  #readAll(objects: readonly Source[]): T[] {
    const { read, log, client } = this.#options;
    return objects.flatMap((object) => {
      try {
        return [read(object)];
      } catch (error) {
        log.warn({ path: client.path, err: error }, 'an object could not be read; ignoring it');
        return [];
      }
    });
  }

  #notify(change: ObjectChange<T>): void {
    const { changed, log, client } = this.#options;
    try {
      changed(change);
    } catch (error) {
      log.warn({ path: client.path, err: error }, 'a change handler failed');
    }
  }

  #setCurrent(): void {
    this.#currentAt = this.#options.clock.now();
  }
}
