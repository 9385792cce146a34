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
  /** Tries that run at the same time in this process, and how many of these to one host or bucket. */
  readonly concurrency?: number;
  readonly perTarget?: number;
  readonly observe?: DeliveryObserver;
  /** Signs with this time. */
  readonly now?: () => Date;
}

/** Told after it was stored. */
export interface DeliveryObserver {
  /** Of every try: `delivered`, `retry` or `gone`. */
  tried?(made: { readonly channel: 'webhook' | 's3'; readonly outcome: string; readonly seconds: number }): void;
  /** Of every delivery that is over: `delivered`, `retries_exhausted` or `gone`. */
  ended?(delivery: { readonly channel: 'webhook' | 's3'; readonly outcome: string }): void;
}
