import type { ArtifactStore } from '../artifacts/store.ts';
import type { Guard } from '../egress/guard.ts';
import type { Queue } from '../queue/queue.ts';
import type { Store } from '../store/database.ts';

/** The part of pino that is used here. */
export interface DeliveryLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface DeliveryOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly artifacts: ArtifactStore;
  readonly guard: Guard;
  readonly log: DeliveryLog;
  /** Tries that run at the same time in this process, and how many of these to one host or bucket. */
  readonly concurrency?: number;
  readonly perTarget?: number;
  /** Told of every try, after it was stored. */
  readonly observe?: { tried?(made: { channel: 'webhook' | 's3'; outcome: string; seconds: number }): void };
  /** Signs with this time. */
  readonly now?: () => Date;
}
