/** A guarded HTTP call: every hop judged, body bounded and decoded. Errors are the classes of `errors.ts`. */
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

/** An answer of a local origin. `status` is 200 unless given. */
export interface LocalAnswer {
  status?: number;
  type: string;
  body: Buffer | string;
  headers?: Record<string, string>;
}

/** Hosts that the egress proxy answers in process, over plain http. `path` is path and query. */
export interface LocalOrigins {
  serve(host: string, handler: (path: string) => LocalAnswer | undefined): void;
  remove(host: string): void;
}
