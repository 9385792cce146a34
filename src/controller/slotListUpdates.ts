/**
 * Keeps the filter lists up to date. The leader reads the files and fetches the addresses, stores the last good copy of each, and compiles
 * all into one bundle, which the internal API serves to captures. A list that cannot be read or fetched keeps its last good copy.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { GuardedFetch } from '../egress/ports.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import type { Log } from '../lib/log.ts';
import { sha256Of } from '../lib/sha256.ts';
import { BUNDLE_FORMAT, type ListText } from '../slotLists/compile.ts';
import { compileInWorker } from '../slotLists/compileInWorker.ts';
import { parseListHeader } from '../slotLists/listHeader.ts';
import { listTextOf, SlotListError } from '../slotLists/listText.ts';
import { readListFiles } from '../slotLists/readFiles.ts';
import type { Store } from '../store/database/database.ts';
import {
  deleteBundle,
  keepOnlyLists,
  type ListCopy,
  postponeList,
  readBundleKey,
  readListCopies,
  saveBundle,
  saveListCopy,
} from '../store/slotLists/slotLists.ts';

export interface SlotListOptions {
  readonly store: Store;
  /** Files and http(s) addresses. */
  readonly sources: readonly string[];
  readonly fetch: GuardedFetch;
  readonly log: Log;
  /** Milliseconds since 1970; tests pass their own. */
  readonly now?: () => number;
}

const isListAddress = (source: string) => /^https?:\/\//i.test(source);

const HOUR_MS = 3_600_000;
const DAILY_MS = 24 * HOUR_MS;
/** Lists with another expiry would be fetched all the time, or never again. */
const EXPIRY = { min: HOUR_MS, max: 14 * DAILY_MS };
const RETRY_MS = HOUR_MS / 4;
/** How often the leader looks for lists that are due, and for changed files. */
const LOOK_MS = 5 * 60_000;

export class SlotListUpdates {
  readonly #options: SlotListOptions;
  /** Sources that have failed without a copy, and when to try them again. */
  readonly #retryAt = new Map<string, number>();
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlotListOptions) {
    this.#options = options;
  }

  /** @returns after the first update, or after `maxMs`; the update then continues. */
  async start(maxMs: number): Promise<void> {
    this.#timer = setInterval(() => void this.update(), LOOK_MS).unref();
    const { promise: waited, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxMs);
    await Promise.race([this.update(), waited]);
    clearTimeout(timer);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Never throws. */
  update(): Promise<void> {
    this.#running ??= this.#update()
      .catch((error: unknown) => {
        this.#options.log.error({ err: error }, 'the filter lists could not be updated; retrying within 5 minutes');
      })
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #update(): Promise<void> {
    const { store, sources } = this.#options;
    await keepOnlyLists(store.db, sources);
    const copies = new Map((await readListCopies(store.db)).map((copy) => [copy.source, copy]));
    for (const source of sources) {
      const copy = copies.get(source);
      try {
        await (isListAddress(source) ? this.#fetchIfDue(source, copy) : this.#readFile(source, copy));
      } catch (error) {
        await this.#reportFailure(source, copy, error);
      }
    }
    await this.#compileIfChanged();
  }

  async #readFile(source: string, copy: ListCopy | undefined): Promise<void> {
    const [list] = readListFiles([source]);
    if (list === undefined || sha256Of(Buffer.from(list.text)) === copy?.sha256) return;
    await this.#save(list, null, this.#now());
  }

  async #fetchIfDue(source: string, copy: ListCopy | undefined): Promise<void> {
    const now = this.#now();
    if (now < (copy?.check_at.getTime() ?? this.#retryAt.get(source) ?? 0)) return;
    const { fetch, store, log } = this.#options;
    const headers: Record<string, string> = copy?.etag ? { 'if-none-match': copy.etag } : {};
    const answer = await fetch(source, { headers });
    if (answer.status === 304 && copy !== undefined) {
      const text = (await promisify(gunzip)(copy.content)).toString('utf8');
      return postponeList(store.db, source, new Date(now + validityOf(text)));
    }
    if (answer.status !== 200) throw new SlotListError(`${source} answered ${answer.status}.`);
    const text = listTextOf(source, answer.body);
    await this.#save({ source, text }, answer.headers.get('etag'), now + validityOf(text));
    log.info({ source, version: parseListHeader(text).version }, 'a filter list was fetched');
  }

  async #save({ source, text }: ListText, etag: string | null, checkAt: number): Promise<void> {
    const content = await promisify(gzip)(text);
    const sha256 = sha256Of(Buffer.from(text));
    this.#retryAt.delete(source);
    await saveListCopy(this.#options.store.db, { source, content, sha256, etag, check_at: new Date(checkAt) });
  }

  async #reportFailure(source: string, copy: ListCopy | undefined, error: unknown): Promise<void> {
    const { store, log } = this.#options;
    const retryAt = this.#now() + RETRY_MS;
    this.#retryAt.set(source, retryAt);
    if (copy !== undefined) await postponeList(store.db, source, new Date(retryAt));
    const kept =
      copy === undefined
        ? 'pictures are taken without it'
        : `the copy of ${copy.fetched_at.toISOString()} stays in use`;
    log.warn(
      { source, reason: errorMessage(error) },
      `the filter list ${source} could not be updated: ${errorMessage(error)} Until the next try, ${kept}`,
    );
  }

  async #compileIfChanged(): Promise<void> {
    const { store, sources, log } = this.#options;
    const copies = await readListCopies(store.db);
    const used = sources.flatMap((source) => copies.filter((copy) => copy.source === source));
    if (used.length === 0) return deleteBundle(store.db);
    const input = sha256Of(
      Buffer.from(JSON.stringify([BUNDLE_FORMAT, used.map((copy) => [copy.source, copy.sha256])])),
    );
    if ((await readBundleKey(store.db))?.input === input) return;
    const texts = used.map(async ({ source, content }) => ({
      source,
      text: (await promisify(gunzip)(content)).toString('utf8'),
    }));
    const startedAt = performance.now();
    const content = await compileInWorker(await Promise.all(texts));
    await saveBundle(store.db, { format: BUNDLE_FORMAT, input, content, sha256: sha256Of(content) });
    const ms = Math.round(performance.now() - startedAt);
    log.info({ lists: used.map(({ source }) => source), bytes: content.length, ms }, 'the filter lists were compiled');
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

/** Until the list expires by its header; a day if it does not say it. */
function validityOf(text: string): number {
  const { expiresMs } = parseListHeader(text);
  return Math.min(EXPIRY.max, Math.max(EXPIRY.min, expiresMs ?? DAILY_MS));
}
