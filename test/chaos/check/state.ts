/** The state of the service as its database, its files and the process table show it at the end of a run. */

export interface SetState {
  readonly id: string;
  /** The Idempotency-Key of its request. */
  readonly key: string;
  readonly status: string;
  readonly screenshots: number;
  /** Screenshots without a final status. */
  readonly pending: number;
}

export interface AdState {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly reason: string | null;
}

/** A screenshot or an ad without a picture. */
export interface FailedPicture {
  readonly id: string;
  readonly status: string;
  readonly reason: string;
  /** Attempts of the index that should have taken it. */
  readonly attempts: number;
  /** When it was requested, as an ISO timestamp of UTC. */
  readonly requested: string;
}

export interface EventState {
  readonly id: string;
  readonly topic: string;
  readonly object: string;
  /** SHA-256 of the body that PostgreSQL keeps. */
  readonly digest: string;
  /** Deliveries to a webhook. */
  readonly webhooks: number;
}

export interface ServiceState {
  readonly sets: readonly SetState[];
  readonly ads: readonly AdState[];
  readonly failed: readonly FailedPicture[];
  readonly uploads: readonly string[];
  /** Screenshots with a stored review. */
  readonly reviewed: readonly { readonly screenshot: string; readonly comment: string | null }[];
  readonly exports: readonly { readonly id: string; readonly status: string }[];
  readonly events: readonly EventState[];
  readonly undelivered: readonly { readonly id: string; readonly status: string; readonly reason: string | null }[];
  /** Rows that stand for work, a lease or a claim that nothing ends any more, each with its table. */
  readonly leftoverRows: readonly string[];
  readonly filesWithoutRow: readonly string[];
  readonly rowsWithoutFile: readonly string[];
  readonly processes: readonly string[];
  /** Temporary files. */
  readonly temporary: readonly string[];
}
