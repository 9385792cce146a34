/** Calls of an API server: JSON in and out, a deadline on each, patience where the server asks for it, and errors that say what it said. */
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

export function createApiServer({ credentials, clock = systemClock, answered }: ApiServerOptions): ApiServer {
  const open = new Set<AbortController>();
  let closed = false;

  /** What may be ended: by its limit, by whoever asked for it, by us. */
  const begin = (call: ApiCall, limit: { ms: number; late: Error; signal: AbortSignal | undefined }) => {
    if (closed) throw new UnreachableError(`${nameOf(call)}: the connection is closed`);
    const abort = new AbortController();
    open.add(abort);
    const timer = setTimeout(() => abort.abort(limit.late), limit.ms);
    const stop = () => abort.abort(new Error('it was ended'));
    limit.signal?.addEventListener('abort', stop);
    if (limit.signal?.aborted === true) stop();
    const end = () => {
      clearTimeout(timer);
      limit.signal?.removeEventListener('abort', stop);
      open.delete(abort);
      // Whoever stops reading leaves nothing open.
      stop();
    };
    const failed = (error: unknown) => asFailure(call, abort.signal.aborted ? abort.signal.reason : error);
    return { signal: abort.signal, alive: () => timer.refresh(), end, failed };
  };

  async function head(call: ApiCall, signal: AbortSignal, refused: boolean) {
    const begun = clock.now();
    let code = 0;
    try {
      const response = await send(call, { credentials, signal, refused });
      code = response.statusCode;
      return response;
    } finally {
      answered?.({ verb: call.verb, path: call.path, code, seconds: (clock.now() - begun) / 1000 });
    }
  }

  /** Tries until there is an answer that stands. */
  async function persist(call: ApiCall, end: number, signal: AbortSignal): Promise<string> {
    let refused = false;
    let broken = false;
    for (;;) {
      try {
        const response = await head(call, signal, refused);
        const text = await response.body.text();
        const code = response.statusCode;
        if (code < 300) return text;
        const pause = pauseOf(code, response.headers['retry-after']);
        if (code === 401 && !refused) refused = true;
        else if (pause === undefined || clock.now() + pause >= end) throw apiErrorOf(nameOf(call), code, text);
        else await clock.sleep(pause, signal);
      } catch (error) {
        // A kept connection that the server has closed meanwhile; each write of ours may be repeated.
        if (error instanceof ApiError || broken || signal.aborted) throw error;
        broken = true;
      }
    }
  }

  return {
    async call(call, { deadlineMs = DEADLINE_MS, signal: ended } = {}) {
      const { signal, end, failed } = begin(call, {
        ...{ ms: deadlineMs, signal: ended },
        late: new Error(`no answer within ${deadlineMs / 1000} s`),
      });
      try {
        const text = await persist(call, clock.now() + deadlineMs, signal);
        return text === '' ? undefined : JSON.parse(text);
      } catch (error) {
        throw failed(error);
      } finally {
        end();
      }
    },

    async *watch({ path, query }, { signal: ended, idleMs, heard }) {
      const call: ApiCall = { verb: 'watch', path, query: { ...query, watch: true, allowWatchBookmarks: true } };
      const late = new SilenceError(`${nameOf(call)}: nothing came for ${idleMs / 1000} s`);
      const { signal, alive, end, failed } = begin(call, { ms: idleMs, late, signal: ended });
      const listen = () => {
        alive();
        heard?.();
      };
      try {
        let response = await head(call, signal, false);
        if (response.statusCode === 401) {
          await response.body.dump();
          response = await head(call, signal, true);
        }
        if (response.statusCode !== 200)
          throw apiErrorOf(nameOf(call), response.statusCode, await response.body.text());
        listen();
        for await (const line of readLines(response.body, listen)) yield JSON.parse(line) as WatchEvent;
      } catch (error) {
        throw failed(error);
      } finally {
        end();
      }
    },

    async close() {
      closed = true;
      for (const abort of open) abort.abort(new Error('the connection is closed'));
      await credentials.close();
    },
  };
}

/** How long the server asks to wait; undefined: it does not. A 503 says nothing often, and is worth a wait too. */
function pauseOf(code: number, retryAfter: string | string[] | undefined): number | undefined {
  if (code !== 429 && code !== 503) return undefined;
  const seconds = Number(retryAfter);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.max(seconds * 1000, 100) : DEFAULT_PAUSE_MS;
}

function asFailure(call: ApiCall, error: unknown): Error {
  if (error instanceof ApiError || error instanceof UnreachableError || error instanceof SilenceError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new UnreachableError(`${nameOf(call)}: ${message}`, { cause: error });
}
