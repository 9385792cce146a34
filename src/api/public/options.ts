import type { Router } from 'express';
import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Limits } from '../../domain/limits.ts';
import type { Log } from '../../lib/log.ts';
import type { RateLimit } from '../../lib/tokenBucket.ts';
import type { Enqueuer } from '../../queue/payloads.ts';
import type { Queryable, Store } from '../../store/database/database.ts';
import type { ServedRequest } from '../server/accessLog.ts';

/** What reviewers and clients do to a set, in the caller's transaction. Each throws a Failure: 404 for a set that is not the organization's, 409 where its state forbids it. */
export interface Reviews {
  approve(tx: Queryable, review: Review): Promise<void>;
  reject(tx: Queryable, review: Review): Promise<void>;
  cancel(tx: Queryable, review: Omit<Review, 'notes'>): Promise<void>;
}

export interface Review {
  readonly organizationId: string;
  readonly setId: string;
  readonly notes: string | null;
}

export interface PublicApiOptions {
  readonly store: Store;
  readonly enqueuer: Enqueuer;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly limits: Limits;
  /** None: no limit. */
  readonly rateLimit?: RateLimit;
  readonly log: Log;
  /** Told of each request when it is over. */
  readonly observe?: (served: ServedRequest) => void;
  readonly artifacts: ArtifactStore;
  readonly reviews: Reviews;
  /** Sends a finished delivery again; it is known to be the organization's. */
  readonly replay: (tx: Queryable, deliveryId: string) => Promise<void>;
  /** The pages behind `html_url`. */
  readonly pages?: Router;
}
