/**
 * Looks up API keys, and limits what wrong keys cost. After too many wrong keys from one network, the service rejects further keys from
 * there without a look-up, except keys that this process has seen to be valid. Each process counts by itself, which bounds the look-ups
 * as well as a shared number does.
 */
import type { Request } from 'express';
import { authenticate, type KeyHolder } from '../../core/organizations/apiKeys.ts';
import { matchesSecret } from '../../core/organizations/keySecrets.ts';
import type { Queryable } from '../../db/database.ts';
import { type Failure, tooMany } from '../../domain/failure.ts';
import type { ParsedKey } from '../../domain/keys.ts';
import { setBounded } from '../../lib/lru.ts';
import { createRateLimiter, type RateLimit } from '../../lib/rateLimiter.ts';
import { sha256Bytes } from '../../lib/sha256.ts';
import { callerNetwork } from '../server/caller.ts';

const MAX_KNOWN = 10_000;

/** Wrong keys of one network. Each costs a look-up, and a person mistypes only a few. */
export const WRONG_KEYS: RateLimit = { perSecond: 1, burst: 60 };

export interface KeyChecker {
  /** @returns undefined for an unknown, revoked or expired key, or a wrong secret. @throws Failure (429) */
  find(request: Pick<Request, 'ip' | 'socket'>, key: ParsedKey): Promise<KeyHolder | undefined>;
}

export interface KeyCheckerOptions {
  readonly db: Queryable;
  /** The wrong keys of each network. Without it, there is no limit. */
  readonly wrongKeys?: RateLimit | undefined;
  /** Counts a key that was wrong, or that was rejected without a look-up. */
  readonly observe?: (outcome: 'wrong' | 'blocked') => void;
}

export function createKeyChecker({ db, wrongKeys, observe }: KeyCheckerOptions): KeyChecker {
  const limiter = wrongKeys && createRateLimiter(wrongKeys);
  /** Hashes of the secrets of keys that were valid, by the ids of the keys. */
  const known = new Map<string, Buffer>();
  const isKnown = ({ id, secret }: ParsedKey) => {
    const hash = known.get(id);
    return hash !== undefined && matchesSecret(secret, hash);
  };
  return {
    async find(request, key) {
      const network = callerNetwork(request);
      const missing = 1 - (limiter?.remaining(network) ?? 1);
      if (wrongKeys !== undefined && missing > 0 && !isKnown(key)) {
        observe?.('blocked');
        throw tooManyWrongKeys(Math.ceil(missing / wrongKeys.perSecond));
      }
      const holder = await authenticate(db, key);
      if (holder === undefined) {
        observe?.('wrong');
        limiter?.take(network);
      } else setBounded(known, [key.id, sha256Bytes(key.secret)], MAX_KNOWN);
      return holder;
    },
  };
}

function tooManyWrongKeys(seconds: number): Failure {
  const text = `Too many wrong API keys came from your network, so the service did not check this one. Try again in ${seconds} s.`;
  return tooMany('authorization', text, seconds);
}
