/** Calls of an API server: JSON in and out, a deadline on each, patience where the server asks for it, and errors that say what it said. */
import { errorMessage } from '../../../lib/errorMessage.ts';
import { ApiError, apiErrorOf, SilenceError, UnreachableError } from './apiError.ts';
import { type ApiCall, nameOf, send } from './apiRequest.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Credentials } from './credentials.ts';
import { readLines } from './lines.ts';

export interface CallOptions {
  /** Over all tries. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** Without a byte for so long, the connection counts as dead. */
  readonly idleMs: number;
  /** The server has answered, or something came. */
  readonly heard?: () => void;
}

/** A line of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

export interface ApiServer {
  /** @throws ApiError UnreachableError */
  call(call: ApiCall, options?: CallOptions): Promise<unknown>;
  /** Ends when the server ends it. @throws ApiError UnreachableError SilenceError */
  watch(call: Omit<ApiCall, 'verb' | 'body'>, options: WatchOptions): AsyncIterable<WatchEvent>;
  close(): Promise<void>;
}

export interface Answered {
  readonly verb: string;
  readonly path: string;
  /** 0: no answer. */
  readonly code: number;
  readonly seconds: number;
}

export interface ApiServerOptions {
  readonly credentials: Credentials;
  readonly clock?: Clock;
  readonly answered?: ((answer: Answered) => void) | undefined;
}

const DEADLINE_MS = 15_000;
/** A server that says nothing about how long to wait. */
const DEFAULT_PAUSE_MS = 1_000;

export function createApiServer(options: ApiServerOptions): ApiServer {
  return new Connection(options);
}

/** Something that is asked, and ends: by its limit, by whoever asked for it, or by us. */
interface RequestScope {
  readonly signal: AbortSignal;
  /** Its limit begins anew. */
  alive(): void;
  /** Why it failed, whatever the failure looked like. */
  failure(error: unknown): Error;
  end(): void;
}

class Connection implements ApiServer {
  readonly #options: ApiServerOptions;
  readonly #clock: Clock;
  readonly #open = new Set<AbortController>();
  #closed = false;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async call(call: ApiCall, { deadlineMs = DEADLINE_MS, signal }: CallOptions = {}): Promise<unknown> {
    const late = new Error(`no answer within ${deadlineMs / 1000} s`);
    const undertaking = this.#begin(call, { ms: deadlineMs, late, signal });
    try {
      const text = await this.#persist(call, this.#clock.now() + deadlineMs, undertaking.signal);
      return text === '' ? undefined : JSON.parse(text);
    } catch (error) {
      throw undertaking.failure(error);
    } finally {
      undertaking.end();
    }
  }

  async *watch(what: Omit<ApiCall, 'verb' | 'body'>, options: WatchOptions): AsyncGenerator<WatchEvent> {
    const { signal, idleMs, heard } = options;
    const query = { ...what.query, watch: true, allowWatchBookmarks: true };
    const call: ApiCall = { verb: 'watch', path: what.path, query };
    const late = new SilenceError(`${nameOf(call)}: nothing came for ${idleMs / 1000} s`);
    const undertaking = this.#begin(call, { ms: idleMs, late, signal });
    const listen = () => {
      undertaking.alive();
      heard?.();
    };
    try {
      const body = await this.#openWatch(call, undertaking.signal);
      listen();
      for await (const line of readLines(body, listen)) yield JSON.parse(line) as WatchEvent;
    } catch (error) {
      throw undertaking.failure(error);
    } finally {
      undertaking.end();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const abort of this.#open) abort.abort(new Error('the connection is closed'));
    await this.#options.credentials.close();
  }

  #begin(call: ApiCall, limit: { ms: number; late: Error; signal: AbortSignal | undefined }): RequestScope {
    if (this.#closed) throw new UnreachableError(`${nameOf(call)}: the connection is closed`);
    const abort = new AbortController();
    this.#open.add(abort);
    const timer = setTimeout(() => abort.abort(limit.late), limit.ms);
    const stop = () => abort.abort(new Error('it was ended'));
    limit.signal?.addEventListener('abort', stop);
    if (limit.signal?.aborted === true) stop();
    return {
      signal: abort.signal,
      alive: () => void timer.refresh(),
      failure: (error) => asFailure(call, abort.signal.aborted ? abort.signal.reason : error),
      end: () => {
        clearTimeout(timer);
        limit.signal?.removeEventListener('abort', stop);
        this.#open.delete(abort);
        // Whoever stops reading leaves nothing open.
        stop();
      },
    };
  }

  async #openWatch(call: ApiCall, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    let response = await this.#send(call, signal, false);
    if (response.statusCode === 401) {
      await response.body.dump();
      response = await this.#send(call, signal, true);
    }
    if (response.statusCode === 200) return response.body;
    throw apiErrorOf(nameOf(call), response.statusCode, await response.body.text());
  }

  /** Tries until there is an answer that stands. */
  async #persist(call: ApiCall, end: number, signal: AbortSignal): Promise<string> {
    let refused = false;
    let broken = false;
    for (;;) {
      try {
        const response = await this.#send(call, signal, refused);
        const text = await response.body.text();
        const code = response.statusCode;
        if (code < 300) return text;
        const pause = pauseOf(code, response.headers['retry-after']);
        if (code === 401 && !refused) refused = true;
        else if (pause === undefined || this.#clock.now() + pause >= end) throw apiErrorOf(nameOf(call), code, text);
        else await this.#clock.sleep(pause, signal);
      } catch (error) {
        // A kept connection that the server has closed meanwhile; each write of ours may be repeated.
        if (error instanceof ApiError || broken || signal.aborted) throw error;
        broken = true;
      }
    }
  }

  async #send(call: ApiCall, signal: AbortSignal, refused: boolean) {
    const { credentials, answered } = this.#options;
    const begun = this.#clock.now();
    let code = 0;
    try {
      const response = await send(call, { credentials, signal, refused });
      code = response.statusCode;
      return response;
    } finally {
      answered?.({ verb: call.verb, path: call.path, code, seconds: (this.#clock.now() - begun) / 1000 });
    }
  }
}

/** How long the server asks to wait; undefined: it does not. A 503 often says nothing, and is worth a wait too. */
function pauseOf(code: number, retryAfter: string | string[] | undefined): number | undefined {
  if (code !== 429 && code !== 503) return undefined;
  const seconds = Number(retryAfter);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.max(seconds * 1000, 100) : DEFAULT_PAUSE_MS;
}

function asFailure(call: ApiCall, error: unknown): Error {
  if (error instanceof ApiError || error instanceof UnreachableError || error instanceof SilenceError) return error;
  const message = errorMessage(error);
  return new UnreachableError(`${nameOf(call)}: ${message}`, { cause: error });
}
