/**
 * Requests to the API server, JSON in and out. Each call has a deadline. A call waits and repeats its request when the API server
 * asks for it (429, 503), when a token has expired (401), and once when a connection breaks.
 */

import { errorMessage } from '../../../lib/errorMessage.ts';
import { secondsText } from '../../../lib/secondsText.ts';
import { sleep } from '../../../lib/sleep.ts';
import {
  type ApiCall,
  ApiError,
  apiErrorOf,
  nameOf,
  readLines,
  SilenceError,
  send,
  UnreachableError,
} from './apiRequest.ts';
import type { Credentials } from './credentials.ts';

/** A time limit of a request. */
interface Timer {
  /** Starts the time again. */
  restart(): void;
  stop(): void;
}

/** The time as the client and the caches read it. Tests pass a clock that they advance themselves. */
export interface Clock {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** @throws when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** @returns a number from 0 up to, but not including, 1. */
  random(): number;
  /** Calls `expired` after `ms`, unless the timer was stopped or started again. */
  startTimer(ms: number, expired: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep,
  random: Math.random,
  startTimer: (ms, expired) => {
    const timer = setTimeout(expired, ms);
    return { restart: () => void timer.refresh(), stop: () => clearTimeout(timer) };
  },
};

export interface CallOptions {
  /** For all tries together; 15 s unless set. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** The connection counts as dead after this time without a byte. */
  readonly idleMs: number;
  /** Called when the API server has accepted the watch, and for each chunk after that. */
  readonly onData?: () => void;
}

export interface WatchLine {
  readonly type: string;
  readonly object: unknown;
}

/** `resourceClient.ts` puts types on top of it. */
export interface ApiServer {
  /** @returns the JSON of the answer; `{}` if it is empty. @throws ApiError UnreachableError */
  call(call: ApiCall, options?: CallOptions): Promise<unknown>;
  /** Ends when the API server ends the watch. @throws ApiError UnreachableError SilenceError */
  watch(call: Omit<ApiCall, 'verb' | 'body'>, options: WatchOptions): AsyncIterable<WatchLine>;
  close(): Promise<void>;
}

export interface ApiResponse {
  readonly verb: string;
  readonly path: string;
  /** HTTP status code; 0 if no answer came. */
  readonly code: number;
  readonly seconds: number;
}

export interface ApiServerOptions {
  readonly credentials: Credentials;
  readonly clock?: Clock;
  readonly onResponse?: ((response: ApiResponse) => void) | undefined;
}

const DEADLINE_MS = 15_000;
/** The pause after an answer 429 or 503 without a usable `Retry-After`. */
const DEFAULT_PAUSE_MS = 1_000;
const MIN_PAUSE_MS = 100;

export function createApiServer(options: ApiServerOptions): ApiServer {
  return new ApiServerConnection(options);
}

/** The time limit of one call or watch. The caller, the limit or `close` ends it. */
interface RequestScope {
  readonly signal: AbortSignal;
  restartTimeout(): void;
  /** @returns the reason for the end if the scope was ended, otherwise the error. */
  errorFrom(error: unknown): Error;
  end(): void;
}

interface ScopeOptions {
  readonly timeoutMs: number;
  readonly timeoutError: Error;
  readonly signal: AbortSignal | undefined;
}

class ApiServerConnection implements ApiServer {
  readonly #options: ApiServerOptions;
  readonly #clock: Clock;
  readonly #openRequests = new Set<AbortController>();
  #closed = false;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async call(call: ApiCall, { deadlineMs = DEADLINE_MS, signal }: CallOptions = {}): Promise<unknown> {
    const timeoutError = new Error(`no answer within ${secondsText(deadlineMs)}`);
    const scope = this.#openScope(call, { timeoutMs: deadlineMs, timeoutError, signal });
    try {
      const text = await this.#sendWithRetries(call, this.#clock.now() + deadlineMs, scope.signal);
      return text === '' ? {} : JSON.parse(text);
    } catch (error) {
      throw scope.errorFrom(error);
    } finally {
      scope.end();
    }
  }

  async *watch(
    { path, query }: Omit<ApiCall, 'verb' | 'body'>,
    { signal, idleMs, onData }: WatchOptions,
  ): AsyncGenerator<WatchLine> {
    const call: ApiCall = { verb: 'watch', path, query: { ...query, watch: true, allowWatchBookmarks: true } };
    const timeoutError = new SilenceError(`${nameOf(call)}: no data for ${secondsText(idleMs)}`);
    const scope = this.#openScope(call, { timeoutMs: idleMs, timeoutError, signal });
    const handleData = () => {
      scope.restartTimeout();
      onData?.();
    };
    try {
      const body = await this.#openWatch(call, scope.signal);
      handleData();
      for await (const line of readLines(body, handleData)) yield JSON.parse(line);
    } catch (error) {
      throw scope.errorFrom(error);
    } finally {
      scope.end();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const request of this.#openRequests) request.abort(new Error('the connection is closed'));
    await this.#options.credentials.close();
  }

  #openScope(call: ApiCall, { timeoutMs, timeoutError, signal }: ScopeOptions): RequestScope {
    if (this.#closed) throw new UnreachableError(`${nameOf(call)}: the connection is closed`);
    const request = new AbortController();
    this.#openRequests.add(request);
    const timer = this.#clock.startTimer(timeoutMs, () => request.abort(timeoutError));
    const cancel = () => request.abort(new Error('the caller canceled the request'));
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted === true) cancel();
    return {
      signal: request.signal,
      restartTimeout: () => timer.restart(),
      errorFrom: (error) => asCallError(call, request.signal.aborted ? request.signal.reason : error),
      end: () => {
        timer.stop();
        signal?.removeEventListener('abort', cancel);
        this.#openRequests.delete(request);
        // A caller that stops reading a watch leaves its connection open otherwise.
        cancel();
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

  async #sendWithRetries(call: ApiCall, deadline: number, signal: AbortSignal): Promise<string> {
    let unauthorized = false;
    let connectionBroke = false;
    for (;;) {
      try {
        const response = await this.#send(call, signal, unauthorized);
        const text = await response.body.text();
        const code = response.statusCode;
        if (code < 300) return text;
        const pause = retryPauseMs(code, response.headers['retry-after']);
        if (code === 401 && !unauthorized) unauthorized = true;
        else if (pause === undefined || this.#clock.now() + pause >= deadline)
          throw apiErrorOf(nameOf(call), code, text);
        else await this.#clock.sleep(pause, signal);
      } catch (error) {
        // The API server may close an idle connection at any time. All our writes can be repeated safely.
        if (error instanceof ApiError || connectionBroke || signal.aborted) throw error;
        connectionBroke = true;
      }
    }
  }

  async #send(call: ApiCall, signal: AbortSignal, unauthorized: boolean) {
    const { credentials, onResponse } = this.#options;
    const startedAt = this.#clock.now();
    let code = 0;
    try {
      const response = await send(call, { credentials, signal, unauthorized });
      code = response.statusCode;
      return response;
    } finally {
      onResponse?.({ verb: call.verb, path: call.path, code, seconds: (this.#clock.now() - startedAt) / 1000 });
    }
  }
}

/** @returns undefined for an answer that must not be repeated. Many servers send 503 without `Retry-After`. */
function retryPauseMs(code: number, retryAfter: string | string[] | undefined): number | undefined {
  if (code !== 429 && code !== 503) return undefined;
  const seconds = Number(retryAfter);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.max(seconds * 1000, MIN_PAUSE_MS) : DEFAULT_PAUSE_MS;
}

function asCallError(call: ApiCall, error: unknown): Error {
  if (error instanceof ApiError || error instanceof UnreachableError || error instanceof SilenceError) return error;
  return new UnreachableError(`${nameOf(call)}: ${errorMessage(error)}`, { cause: error });
}
