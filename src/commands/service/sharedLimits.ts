import { createKeyChecker, type KeyChecker } from '../../api/limits/keyChecker.ts';
import { createOpenLimits, type OpenLimits } from '../../api/limits/openLimits.ts';
import { createRequestLimits, type RequestLimits } from '../../api/limits/requestLimits.ts';
import { SharedLimiter } from '../../api/limits/sharedLimiter.ts';
import type { RateLimit } from '../../lib/tokenBucket.ts';
import { takeTokens } from '../../store/rateBuckets/rateBuckets.ts';
import type { ServiceContext } from './serviceContext.ts';

/** Wrong keys of one network. Each costs a look-up, and a person mistypes only a few. */
const WRONG_KEYS: RateLimit = { perSecond: 1, burst: 60 };

/** Shared pages and pictures. A page shows up to 240 thumbnails, and an office has one address. */
const OPEN_OF_ADDRESS: RateLimit = { perSecond: 200, burst: 20_000 };
/** A view of a shared page takes about three tokens. */
const OPEN_OF_LINK: RateLimit = { perSecond: 50, burst: 2_000 };

export interface SharedLimits {
  readonly requestLimits: RequestLimits;
  readonly keyChecker: KeyChecker;
  readonly openLimits: OpenLimits;
}

/** The limits that all processes of the API share. */
export function createSharedLimits({ config, store: { db }, log, metrics }: ServiceContext): SharedLimits {
  const limiter = (limit: RateLimit) => new SharedLimiter({ limit, take: (wish) => takeTokens(db, wish), log });
  const rate = { perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST };
  return {
    requestLimits: createRequestLimits(limiter(rate)),
    openLimits: createOpenLimits({ address: limiter(OPEN_OF_ADDRESS), link: limiter(OPEN_OF_LINK) }),
    keyChecker: createKeyChecker({ db, wrongKeys: limiter(WRONG_KEYS), observe: metrics.countRejectedKey }),
  };
}
