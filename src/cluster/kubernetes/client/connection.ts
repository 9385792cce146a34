/**
 * The client library builds each request and reads each answer. This file is its HTTP library, which adds what it lacks: kept connections
 * and a deadline for each call. A call is repeated when the API server asks for it (429, 503), when a token has expired (401), and once when
 * a connection breaks.
 */
import { StringDecoder } from 'node:string_decoder';
import type { HttpLibrary, KubeConfig, RequestContext, ResponseContext } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { errorMessage } from '../../../lib/errorMessage.ts';
import { secondsText } from '../../../lib/secondsText.ts';
import { type Access, type AccessReader, type Library, readAccess } from './access.ts';
import { ApiError, apiErrorOf, SilenceError, UnreachableError } from './apiErrors.ts';
import { type Clock, systemClock } from './clock.ts';
import { CONTROLLER, type RequestName, requestName } from './names.ts';

export interface CallOptions {
  /** For all tries together; 15 s unless set. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Sent in place of the body that the library has. The library drops fields that it does not know and fails at wrong types, but the API server
   * must see and reject them.
   */
  readonly body?: object;
}

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** The connection counts as dead after this time without a byte. */
  readonly idleMs: number;
  /** Called when the API server has accepted the watch, and for each chunk after that. */
  readonly onData?: () => void;
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** The object of a bookmark has nothing but a resourceVersion. Times are strings, unlike in a list. */
  readonly object: T;
}

export type WatchQuery = Readonly<Record<string, string | number | undefined>>;

export interface ApiResponse extends RequestName {
  /** HTTP status code; 0 if no answer came. */
  readonly code: number;
  readonly seconds: number;
}

export interface ConnectionOptions {
  /** Path of a kubeconfig. Without it: $KUBECONFIG, ~/.kube/config, or the service account of the pod. */
  readonly kubeconfig?: string | undefined;
  /** Fills an empty KubeConfig; tests pass their own. */
  readonly load?: (config: KubeConfig) => void;
  /** For one read of the credentials; 15 s unless set. */
  readonly readMs?: number;
  readonly clock?: Clock;
  readonly onResponse?: ((response: ApiResponse) => void) | undefined;
}

const DEADLINE_MS = 15_000;
/** The pause after an answer 429 or 503 without a usable `Retry-After`. */
const DEFAULT_PAUSE_MS = 1_000;
const MIN_PAUSE_MS = 100;
/** etcd stores at most 1.5 MB for an object, so no line of a watch is longer. */
const MAX_LINE_LENGTH = 8 * 1024 * 1024;
const EVENTS: ReadonlySet<unknown> = new Set<WatchEvent<never>['type']>(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);
/** The library builds requests for it. They are sent to the server of the kubeconfig, which may be read again. */
const ANY_SERVER = 'http://kubernetes';

/** Sends no request yet. @throws Error if the current context of the kubeconfig names no cluster. */
export async function connect(options: ConnectionOptions): Promise<ClusterConnection> {
  // The library takes about 80 MiB of memory, so only a process that talks to a cluster loads it.
  return new ClusterConnection(await import('@kubernetes/client-node'), options);
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

/** All calls throw ApiError and UnreachableError. */
export class ClusterConnection {
  readonly apis: ReturnType<typeof createApis>;
  readonly #library: Library;
  readonly #access: AccessReader;
  readonly #clock: Clock;
  readonly #onResponse: ConnectionOptions['onResponse'];
  readonly #openRequests = new Set<AbortController>();
  #closed = false;

  constructor(library: Library, { kubeconfig, load, readMs, clock = systemClock, onResponse }: ConnectionOptions) {
    const loadDefault = (config: KubeConfig) =>
      kubeconfig === undefined ? config.loadFromDefault() : config.loadFromFile(kubeconfig);
    this.#library = library;
    this.#access = readAccess(library, load ?? loadDefault, readMs);
    this.#clock = clock;
    this.#onResponse = onResponse;
    this.apis = createApis(library, this.options());
  }

  /** The last argument of a call of `apis`, for other than the usual limits. */
  readonly options = (call: CallOptions = {}) => ({
    httpApi: this.#library.wrapHttpLibrary({ send: (request) => this.#call(request, call) }),
  });

  /**
   * Reads a watch through a request of the library, because its own `Watch` ends after 30 s without data and drops lines that it cannot parse.
   * @returns events until the API server ends the watch. @throws SilenceError, and ApiError for an event of type ERROR
   */
  async *watch<T>(
    path: string,
    query: WatchQuery,
    { signal, idleMs, onData }: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>> {
    const request = new this.#library.RequestContext(`${ANY_SERVER}${path}`, this.#library.HttpMethod.GET);
    const all = { ...query, watch: true, allowWatchBookmarks: true };
    for (const [name, value] of Object.entries(all)) if (value !== undefined) request.setQueryParam(name, `${value}`);
    const name = requestName(request);
    const timeoutError = new SilenceError(`${name.verb} ${path}: no data for ${secondsText(idleMs)}`);
    const scope = this.#openScope(name, { timeoutMs: idleMs, timeoutError, signal });
    const handleData = () => {
      scope.restartTimeout();
      onData?.();
    };
    try {
      const body = await this.#openWatch(request, scope.signal);
      handleData();
      for await (const line of readLines(body, handleData)) {
        const { type, object } = JSON.parse(line);
        if (type === 'ERROR') throw apiErrorOf(textOf(name), object.code ?? 500, JSON.stringify(object));
        // Later versions of Kubernetes may have more types.
        if (EVENTS.has(type)) yield { type, object };
      }
    } catch (error) {
      throw scope.errorFrom(error);
    } finally {
      scope.end();
    }
  }

  /** A time of a Lease. The API server expects microseconds. */
  microTime(): InstanceType<Library['V1MicroTime']> {
    return new this.#library.V1MicroTime();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const request of this.#openRequests) request.abort(new Error('the connection is closed'));
    await this.#access.close();
  }

  async #call(request: RequestContext, options: CallOptions): Promise<ResponseContext> {
    const { deadlineMs = DEADLINE_MS, signal, body } = options;
    const { PATCH, POST, PUT } = this.#library.HttpMethod;
    const method = request.getHttpMethod();
    if (body !== undefined) request.setBody(JSON.stringify(body));
    if (method === PATCH || method === POST || method === PUT) request.setQueryParam('fieldManager', CONTROLLER);
    if (method === PATCH) request.setHeaderParam('Content-Type', this.#library.PatchStrategy.MergePatch);
    const timeoutError = new Error(`no answer within ${secondsText(deadlineMs)}`);
    const scope = this.#openScope(requestName(request), { timeoutMs: deadlineMs, timeoutError, signal });
    try {
      const text = await this.#sendWithRetries(request, this.#clock.now() + deadlineMs, scope.signal);
      requireObject(text);
      return new this.#library.ResponseContext(200, { 'content-type': 'application/json' }, bodyOf(text));
    } catch (error) {
      throw scope.errorFrom(error);
    } finally {
      scope.end();
    }
  }

  #openScope(name: RequestName, { timeoutMs, timeoutError, signal }: ScopeOptions): RequestScope {
    if (this.#closed) throw new UnreachableError(`${textOf(name)}: the connection is closed`);
    const request = new AbortController();
    this.#openRequests.add(request);
    const timer = this.#clock.startTimer(timeoutMs, () => request.abort(timeoutError));
    const cancel = () => request.abort(new Error('the caller canceled the request'));
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted === true) cancel();
    return {
      signal: request.signal,
      restartTimeout: () => timer.restart(),
      errorFrom: (error) => asCallError(name, request.signal.aborted ? request.signal.reason : error),
      end: () => {
        timer.stop();
        signal?.removeEventListener('abort', cancel);
        this.#openRequests.delete(request);
        // A caller that stops reading a watch leaves its connection open otherwise.
        cancel();
      },
    };
  }

  async #openWatch(request: RequestContext, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#sendAuthorized(request, signal);
    if (response.statusCode === 200) return response.body;
    throw apiErrorOf(textOf(requestName(request)), response.statusCode, await response.body.text());
  }

  async #sendWithRetries(request: RequestContext, deadline: number, signal: AbortSignal): Promise<string> {
    let connectionBroke = false;
    for (;;) {
      try {
        const response = await this.#sendAuthorized(request, signal);
        const text = await response.body.text();
        const code = response.statusCode;
        if (code < 300) return text;
        const pause = retryPauseMs(code, response.headers['retry-after']);
        if (pause === undefined || this.#clock.now() + pause >= deadline)
          throw apiErrorOf(textOf(requestName(request)), code, text);
        await this.#clock.sleep(pause, signal);
      } catch (error) {
        // The API server may close an idle connection at any time. All our writes can be repeated safely.
        if (error instanceof ApiError || connectionBroke || signal.aborted) throw error;
        connectionBroke = true;
      }
    }
  }

  /** Reads the kubeconfig again and repeats the request once if the API server answers 401. */
  async #sendAuthorized(request: RequestContext, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const access = await this.#readAccess(signal);
    const response = await this.#send(request, access, signal);
    if (response.statusCode !== 401) return response;
    await response.body.dump();
    return this.#send(request, await this.#readAccess(signal, access), signal);
  }

  /** A credential plug-in may hang, so the time limit of the call ends this wait too. */
  async #readAccess(signal: AbortSignal, rejected?: Access): Promise<Access> {
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([this.#access.read(rejected), aborted]);
  }

  /** Resolves when the status and the headers have arrived. */
  async #send(request: RequestContext, access: Access, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { pathname, search } = new URL(request.getUrl());
    const options: Dispatcher.RequestOptions & { readonly allowH2: boolean } = {
      // HTTP/1.1 uses one connection for each request, so a slow watch cannot delay other requests.
      allowH2: false,
      origin: access.server.origin,
      path: `${access.server.pathname.replace(/\/+$/, '')}${pathname}${search}`,
      method: request.getHttpMethod(),
      headers: { ...request.getHeaders(), ...access.headers, 'user-agent': CONTROLLER },
      body: (request.getBody() as string | undefined) ?? null,
      signal,
      bodyTimeout: 0,
    };
    const startedAt = this.#clock.now();
    let code = 0;
    try {
      const response = await access.dispatcher.request(options);
      code = response.statusCode;
      return response;
    } finally {
      this.#onResponse?.({ ...requestName(request), code, seconds: (this.#clock.now() - startedAt) / 1000 });
    }
  }
}

function createApis(library: Library, { httpApi }: { readonly httpApi: HttpLibrary }) {
  const baseServer = new library.ServerConfiguration(ANY_SERVER, {});
  const configuration = library.createConfiguration({ baseServer, httpApi });
  return {
    batch: new library.BatchV1Api(configuration),
    core: new library.CoreV1Api(configuration),
    coordination: new library.CoordinationV1Api(configuration),
    custom: new library.CustomObjectsApi(configuration),
    authentication: new library.AuthenticationV1Api(configuration),
  };
}

function bodyOf(text: string): ResponseContext['body'] {
  return { text: async () => text || '{}', binary: async () => Buffer.from(text), stream: () => null };
}

/** A proxy may answer in its own format. The library would throw a SyntaxError that does not name the call. Each answer of Kubernetes is an object. */
function requireObject(text: string): void {
  if (!/^\s*(\{|$)/.test(text)) throw new Error(`the answer is not JSON: ${text.slice(0, 500)}`);
}

/** @param onData is called for each chunk, also for a part of a line. */
async function* readLines(body: AsyncIterable<Uint8Array>, onData: () => void): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of body) {
    onData();
    const lines = (rest + decoder.write(Buffer.from(chunk))).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH) throw new Error(`a line is longer than ${MAX_LINE_LENGTH} characters`);
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}

/** @returns undefined for an answer that must not be repeated. Many servers send 503 without `Retry-After`. */
function retryPauseMs(code: number, retryAfter: string | string[] | undefined): number | undefined {
  if (code !== 429 && code !== 503) return undefined;
  const seconds = Number(retryAfter);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.max(seconds * 1000, MIN_PAUSE_MS) : DEFAULT_PAUSE_MS;
}

/** For error messages: `list /api/v1/nodes`. */
function textOf({ verb, path }: RequestName): string {
  return `${verb} ${path}`;
}

function asCallError(name: RequestName, error: unknown): Error {
  if (error instanceof ApiError || error instanceof UnreachableError || error instanceof SilenceError) return error;
  return new UnreachableError(`${textOf(name)}: ${errorMessage(error)}`, { cause: error });
}
