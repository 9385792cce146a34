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
  /** Without it there is no limit. */
  readonly rateLimit?: RateLimit;
  readonly log: Log;
  /** Receives each request when it ends, for metrics. */
  readonly observe?: (served: ServedRequest) => void;
  readonly artifacts: ArtifactStore;
  /** The results pages, which `html_url` opens. */
  readonly pages?: Router;
}
