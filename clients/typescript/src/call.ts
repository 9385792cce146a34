/** The types that all calls share. */
import type { RequestWarning } from './generated/models.ts';

/** An answer of the service. */
export type Answer<T> = T & {
  /** The fields and query parameters of the request that the service ignored, because it does not know them. */
  request_warnings?: RequestWarning[];
};

/** A page of a list. */
export interface Page<T> {
  data: T[];
  page: number;
  per_page: number;
  total: number;
}

/** The content of a file. In Node, `await openAsBlob(path)` of `node:fs` reads one from a disk. */
export type FileContent = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | string;

export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal;
  /** For a POST that creates. The client makes a new key for each call unless you give one. */
  idempotencyKey?: string;
}

export interface Call {
  readonly method: string;
  /** Below the path of the organization. */
  readonly path: string;
  readonly query?: object;
  /** Sent as JSON, except a file. */
  readonly body?: object | string;
  /** Whether a second identical request has no further effect. */
  readonly repeatable: boolean;
}

export interface ClientOptions {
  /** The address of the service, for example `https://shots.example`. */
  baseUrl: string;
  /** The slug of the organization. */
  organization: string;
  apiKey: string;
  /** How often a call is repeated after 429, 502, 503, 504 or a lost connection. 4 unless given. */
  maxRetries?: number;
  /** The wait before the first retry. Each further wait is twice as long, at most 30 s. 500 ms unless given. */
  retryDelayMs?: number;
  /** A call fails at once if the service asks for a longer wait (`Retry-After`). 60 s unless given. */
  maxRetryAfterMs?: number;
  /** The deadline of each try. 60 s unless given. */
  timeoutMs?: number;
  /** Replaces the global `fetch`, for example for a proxy. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}
