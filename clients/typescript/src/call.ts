/** Sends the request of an operation, and repeats it where that is safe. The generated operations call this. */

const LONGEST_DELAY_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 60_000;
/** The service did nothing yet when it answers these. */
const REFUSALS = [429, 503];
/** A proxy answers these; the service may have done the work. */
const LOST = [502, 504];
/** The service does these POSTs once for each Idempotency-Key, or answers with what exists already. */
const REPEATABLE_POST = /\/(?:ads|uploads|templates|screenshot_requests|retake|duplicate|replay|exports)$/;

export interface Service {
  /** The address of the service, for example `https://shots.example`. */
  baseUrl: string;
  /** The slug of the organization. */
  organization: string;
  apiKey: string;
  /** How often a call is repeated after 429, 502, 503, 504 or a lost connection. 4 unless given. */
  maxRetries?: number;
  /** The wait before the first retry. Each further wait is twice as long, at most 30 s. 500 ms unless given. */
  retryDelayMs?: number;
  /** The deadline of each try. 60 s unless given. */
  timeoutMs?: number;
  /** Replaces the global `fetch`, for example for a proxy. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal;
  /** For a POST that creates. The client makes a new key for each call unless you give one. */
  idempotencyKey?: string;
  headers?: undefined;
}

interface Call extends Omit<CallOptions, 'headers'> {
  method?: string;
  headers?: Record<string, string | readonly string[]> | undefined;
  body?: string | Blob;
  /** The client adds it. */
  service?: Service;
}

/** The service answered with a failure. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Names the kind of failure. Undefined if the answer comes from a proxy before the service. */
  readonly code: string | undefined;
  /** The id under which the log of the service has this request. */
  readonly requestId: string | undefined;
  /** Messages by the path of the field. */
  readonly faults: Readonly<Record<string, readonly string[]>>;
  /** The wait that the service asks for; 0 if it asks for none. */
  readonly retryAfterMs: number;

  constructor({ status, headers }: Response, text: string) {
    const { errors = {}, code, request_id } = failureOf(text);
    const lines = Object.entries(errors).flatMap(([path, messages]) => messages.map((each) => `${path} ${each}`));
    super([`The service answered ${status}.`, ...lines].join(' '));
    this.status = status;
    this.code = code;
    this.requestId = request_id ?? headers.get('x-request-id') ?? undefined;
    this.faults = errors;
    this.retryAfterMs = retryAfter(headers);
  }
}

/** @throws ApiError, or the error of `fetch` when no answer came. */
export function call<T>(path: string, request: Call): Promise<T>;
/** The generated operations take the options of the last signature. */
export function call<T>(path: string, options: CallOptions): Promise<T>;
export async function call<T>(path: string, { service, signal, ...request }: Call): Promise<T> {
  if (service === undefined) throw new Error('Call the operations of a client that createClient returned.');
  const { method = 'GET', body } = request;
  const init: RequestInit = { method, headers: headersOf(service, request), ...(body !== undefined && { body }) };
  for (let retries = 0; ; retries += 1) {
    const outcome = await send(service, path, init, signal);
    if (typeof outcome === 'string') return (outcome === '' ? undefined : JSON.parse(outcome)) as T;
    const delay = delayOf(outcome, isRepeatable(method, path));
    if (delay === undefined || retries >= (service.maxRetries ?? 4)) throw outcome;
    await sleep(delay || backOff(service, retries), signal);
  }
}

/** @returns the body of a success; else the failure. */
async function send(service: Service, path: string, init: RequestInit, signal?: AbortSignal): Promise<string | Error> {
  const { baseUrl, timeoutMs = 60_000, fetch = globalThis.fetch } = service;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const ended = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const response = await fetch(baseUrl.replace(/\/+$/, '') + path, { ...init, signal: ended });
    // The whole body, so that a connection that is lost in the middle counts as lost.
    const text = await response.text();
    return response.ok ? text : new ApiError(response, text);
  } catch (error) {
    signal?.throwIfAborted();
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** @returns the wait in milliseconds that the service asks for, or 0; undefined if the call must not be repeated. */
function delayOf(error: Error, repeatable: boolean): number | undefined {
  if (!(error instanceof ApiError)) return repeatable ? 0 : undefined;
  const isSafe = REFUSALS.includes(error.status) || (LOST.includes(error.status) && repeatable);
  return isSafe && error.retryAfterMs <= LONGEST_RETRY_AFTER_MS ? error.retryAfterMs : undefined;
}

/** Whether a second identical request has no further effect. */
export function isRepeatable(method: string, path: string): boolean {
  return method !== 'POST' || REPEATABLE_POST.test(path.replace(/\?.*/, ''));
}

function headersOf({ apiKey }: Service, { method, headers = {}, body, idempotencyKey }: Call): Headers {
  const all = new Headers({ accept: 'application/json', authorization: `Bearer ${apiKey}` });
  if (body instanceof Blob) all.set('content-type', 'application/octet-stream');
  // The same in each try, so that the service does the work once.
  if (method === 'POST') all.set('idempotency-key', idempotencyKey ?? crypto.randomUUID());
  for (const [name, value] of Object.entries(headers)) all.set(name, String(value));
  return all;
}

function backOff({ retryDelayMs = 500 }: Service, retries: number): number {
  // Clients that failed together must not come back together.
  return Math.min(retryDelayMs * 2 ** retries, LONGEST_DELAY_MS) * (0.5 + Math.random() / 2);
}

/** Reads seconds or a date. */
function retryAfter(headers: Headers): number {
  const value = headers.get('retry-after') ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

interface FailureBody {
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly code?: string;
  readonly request_id?: string;
}

function failureOf(text: string): FailureBody {
  try {
    return JSON.parse(text) as FailureBody;
  } catch {
    return { errors: { response: [`is not JSON: ${text.slice(0, 200)}`] } };
  }
}

/** Rejects with the signal's reason when that aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
