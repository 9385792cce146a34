import type { Router } from 'express';
import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Limits } from '../../domain/limits.ts';
import type { Log } from '../../lib/log.ts';
import type { RateLimit } from '../../lib/tokenBucket.ts';
import type { Store } from '../../store/database/database.ts';
import type { EventContext } from '../../workflow/eventContext.ts';
import type { ServedRequest } from '../server/accessLog.ts';

export interface PublicApiOptions extends EventContext {
  readonly store: Store;
  readonly limits: Limits;
  /** None: no limit. */
  readonly rateLimit?: RateLimit;
  readonly log: Log;
  /** Told of each request when it is over. */
  readonly observe?: (served: ServedRequest) => void;
  readonly artifacts: ArtifactStore;
  /** The pages behind `html_url`. */
  readonly pages?: Router;
}
