import type { ArtifactStore } from '../artifacts/store.ts';
import type { Guard } from '../egress/guard.ts';
import type { Log } from '../lib/log.ts';
import type { Queue } from '../queue/queue.ts';
import type { Store } from '../store/database/database.ts';

export interface DeliveryOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly artifacts: ArtifactStore;
  readonly guard: Guard;
  readonly log: Log;
  /** Delivery attempts that run at the same time in this process, and the share of them to one host or bucket. */
  readonly concurrency?: number;
  readonly perTarget?: number;
  readonly observe?: DeliveryObserver;
  /** The clock for signatures. */
  readonly now?: () => Date;
}

/** Called after the result is stored. */
export interface DeliveryObserver {
  /** Called for every delivery attempt with `delivered`, `retry` or `gone`. */
  attempted?(made: { readonly channel: 'webhook' | 's3'; readonly outcome: string; readonly seconds: number }): void;
  /** Called for every ended delivery with `delivered`, `retries_exhausted` or `gone`. */
  ended?(delivery: { readonly channel: 'webhook' | 's3'; readonly outcome: string }): void;
}
