import type { Call, CallOptions, ClientOptions, Page } from './call.ts';
import { ApiError, ConnectionError, type FailureBody } from './errors.ts';
import { sleep } from './sleep.ts';

const LONGEST_DELAY_MS = 30_000;
/** The service did nothing yet when it answers these. */
const REFUSALS = [429, 503];
/** A proxy answers these; the service may have done the work. */
const LOST = [502, 504];

/** Sends requests, repeats them where that is safe, and reads lists page by page. */
export class Caller {
  readonly #options: ClientOptions;
  readonly #base: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    const base = options.baseUrl.replace(/\/+$/, '');
    this.#base = `${base}/api/v1/orgs/${encodeURIComponent(options.organization)}`;
  }

  protected async call<T>(call: Call, options: CallOptions): Promise<T> {
    const url = this.#base + call.path + queryString(call.query);
    const request = this.#request(call, options);
    const { maxRetries = 4 } = this.#options;
    for (let retries = 0; ; retries += 1) {
      const outcome = await this.#send(url, request, options.signal);
      if (outcome instanceof Response && outcome.ok) return (await read(outcome)) as T;
      const delay = retries < maxRetries ? this.#delay(call, outcome, retries) : undefined;
      if (delay === undefined) throw outcome instanceof Response ? await failure(outcome) : outcome;
      if (outcome instanceof Response) await outcome.body?.cancel();
      await sleep(delay, options.signal);
    }
  }

  protected async *iterate<T>(list: (page: number) => Promise<Page<T>>, first = 1): AsyncGenerator<T, void> {
    let before = new Set<string>();
    for (let page = first; ; page += 1) {
      const { data, total, per_page } = await list(page);
      const ids = new Set(data.map(idOf));
      // A new object moves the last one of a page to the next page.
      for (const each of data) if (!before.has(idOf(each))) yield each;
      if (data.length === 0 || page * per_page >= total) return;
      before = ids;
    }
  }

  #request({ method, body }: Call, { idempotencyKey }: CallOptions): RequestInit {
    const isFile = typeof body === 'string' || body instanceof Blob || isBytes(body);
    const headers = new Headers({ authorization: `Bearer ${this.#options.apiKey}`, accept: 'application/json' });
    if (body !== undefined) headers.set('content-type', isFile ? 'application/octet-stream' : 'application/json');
    // The same in each try, so that the service does the work once.
    if (method === 'POST') headers.set('idempotency-key', idempotencyKey ?? crypto.randomUUID());
    return { method, headers, ...(body !== undefined && { body: isFile ? (body as BodyInit) : JSON.stringify(body) }) };
  }

  async #send(url: string, request: RequestInit, signal?: AbortSignal): Promise<Response | ConnectionError> {
    const { timeoutMs = 60_000, fetch = globalThis.fetch } = this.#options;
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        ...request,
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
      // The whole body, so that a connection that is lost in the middle counts as lost.
      const body = await response.arrayBuffer();
      const { status, headers } = response;
      return new Response([204, 304].includes(status) ? null : body, { status, headers });
    } catch (error) {
      signal?.throwIfAborted();
      return new ConnectionError(`${request.method} ${url} got no answer: ${reason(error)}`, { cause: error });
    }
  }

  /** @returns undefined if the call must not be repeated. */
  #delay({ repeatable }: Call, outcome: Response | ConnectionError, retries: number): number | undefined {
    const isLost = outcome instanceof ConnectionError || LOST.includes(outcome.status);
    const isRefusal = outcome instanceof Response && REFUSALS.includes(outcome.status);
    if (!isRefusal && !(isLost && repeatable)) return undefined;
    const asked = outcome instanceof Response ? retryAfter(outcome) : undefined;
    const { maxRetryAfterMs = 60_000, retryDelayMs = 500 } = this.#options;
    if (asked !== undefined) return asked <= maxRetryAfterMs ? asked : undefined;
    const delay = Math.min(retryDelayMs * 2 ** retries, LONGEST_DELAY_MS);
    // Clients that failed together must not come back together.
    return delay * (0.5 + Math.random() / 2);
  }
}

function isBytes(body: unknown): boolean {
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body);
}

function idOf(item: unknown): string {
  return typeof item === 'object' && item !== null && 'id' in item ? String(item.id) : JSON.stringify(item);
}

function queryString(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.flatMap(([name, value]) =>
    typeof value === 'object' && !(value instanceof Date)
      ? Object.entries(value as object).map(([key, each]) => [`${name}[${key}]`, String(each)])
      : [[name, String(value)]],
  );
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

async function failure(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    return new ApiError(response, JSON.parse(text) as FailureBody);
  } catch {
    return new ApiError(response, { errors: { response: [`is not JSON: ${text.slice(0, 200)}`] } });
  }
}

/** @returns the wait in milliseconds that the service asks for, as seconds or as a date. */
function retryAfter({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
