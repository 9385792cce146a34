import type { Enqueuer } from '../queue/payloads.ts';

/** What a function needs to record an event: the queue for its deliveries, and the address of pictures and pages. */
export interface EventContext {
  readonly queue: Enqueuer;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}
