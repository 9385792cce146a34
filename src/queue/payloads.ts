import type { Kysely } from 'kysely';

/** What the queues carry: ids only. What users see is in our own tables. */
export interface Payloads {
  /** Admission: something of this organization waits for a ScreenshotJob. */
  launch: { readonly organization_id: string };
  /** One try of one delivery. */
  deliver: { readonly delivery_id: string };
}

export type QueueName = keyof Payloads;

export interface EnqueueOptions {
  readonly startAfter?: Date;
  /** Jobs of one group share a bound on concurrency; see `work`. */
  readonly group?: string;
}

/** Enqueues inside the caller's transaction, so that work is there exactly when what it follows from is. */
export interface Enqueuer {
  enqueue<N extends QueueName>(
    // biome-ignore lint/suspicious/noExplicitAny: any schema will do, the queue only runs its own SQL on it.
    transaction: Kysely<any>,
    name: N,
    payload: Payloads[N],
    options?: EnqueueOptions,
  ): Promise<void>;
}
