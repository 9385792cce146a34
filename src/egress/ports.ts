/**
 * Makes an HTTP call through the guard, which checks every redirect. The body is decoded and limited. Errors are the
 * classes of `errors.ts`.
 */
export type GuardedFetch = (
  url: string,
  init?: {
    signal?: AbortSignal;
    maxBytes?: number;
    headers?: Record<string, string>;
    method?: string;
    body?: Buffer | string;
  },
) => Promise<{ status: number; url: string; headers: Headers; body: Buffer }>;

/** A response of a local origin. `status` is 200 by default. */
export interface LocalAnswer {
  status?: number;
  type: string;
  body: Buffer | string;
  headers?: Record<string, string>;
}

/** Hosts that the egress proxy serves itself, over plain HTTP. `path` is path and query. */
export interface LocalOrigins {
  serve(host: string, handler: (path: string) => LocalAnswer | undefined): void;
  remove(host: string): void;
}
