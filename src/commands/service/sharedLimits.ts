import { createKeyChecker, type KeyChecker } from '../../api/limits/keyChecker.ts';
import { createRequestLimits, type RequestLimits } from '../../api/limits/requestLimits.ts';
import { SharedLimiter } from '../../api/limits/sharedLimiter.ts';
import type { RateLimit } from '../../lib/tokenBucket.ts';
import { takeTokens } from '../../store/rateBuckets/rateBuckets.ts';
import type { ServiceContext } from './serviceContext.ts';

/** Wrong keys of one network. Each costs a look-up, and a person mistypes only a few. */
const WRONG_KEYS: RateLimit = { perSecond: 1, burst: 60 };

export interface SharedLimits {
  readonly requestLimits: RequestLimits;
  readonly keyChecker: KeyChecker;
}

/** The limits that all processes of the API share. */
export function createSharedLimits({ config, store: { db }, log, metrics }: ServiceContext): SharedLimits {
  const limiter = (limit: RateLimit) => new SharedLimiter({ limit, take: (wish) => takeTokens(db, wish), log });
  const rate = { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST };
  return {
    requestLimits: createRequestLimits(limiter(rate)),
    keyChecker: createKeyChecker({ db, wrongKeys: limiter(WRONG_KEYS), observe: metrics.countRejectedKey }),
  };
}
