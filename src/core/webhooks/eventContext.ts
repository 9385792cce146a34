import type { Enqueuer } from '../../db/queuePayloads.ts';

/** Needed by each function that records an event: the queue for the work that follows, and the address of pictures and pages. */
export interface EventContext {
  readonly queue: Enqueuer;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}
