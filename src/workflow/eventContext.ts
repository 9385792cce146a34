import type { Queryable } from '../store/database/database.ts';

/**
 * Durable work that follows from a change, put into the queue by the transaction that makes the change. The queue
 * implements it; the store knows no more of it than this.
 */
export interface FollowUp {
  enqueue(
    transaction: Queryable,
    name: 'deliver',
    payload: { readonly delivery_id: string },
    options?: { readonly startAfter?: Date; readonly group?: string },
  ): Promise<void>;
  enqueue(transaction: Queryable, name: 'launch', payload: { readonly organization_id: string }): Promise<void>;
}

/** What the functions need that record an event: the queue, and the address under which pictures and pages are served. */
export interface EventContext {
  readonly queue: FollowUp;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}
