/**
 * Looks up API keys, and limits what wrong keys cost. After too many wrong keys from one network, the service rejects further keys from
 * there without a look-up, except keys that this process has seen to be valid.
 */
import type { Request } from 'express';
import { Failure } from '../../domain/failure.ts';
import type { ParsedKey } from '../../domain/keys.ts';
import { setBounded } from '../../lib/lru.ts';
import type { Queryable } from '../../store/database/database.ts';
import { authenticate, type KeyHolder } from '../../store/organizations/apiKeys.ts';
import { matchesSecret, sha256 } from '../../store/organizations/secrets.ts';
import { callerNetwork } from '../server/callerAddress.ts';
import type { SharedLimiter } from './sharedLimiter.ts';

const MAX_KNOWN = 10_000;

export interface KeyChecker {
  /** @returns undefined for an unknown, revoked or expired key, or a wrong secret. @throws Failure (429) */
  find(request: Pick<Request, 'ip' | 'socket'>, key: ParsedKey): Promise<KeyHolder | undefined>;
}

export interface KeyCheckerOptions {
  readonly db: Queryable;
  /** The wrong keys of each network. Without it, there is no limit. */
  readonly wrongKeys?: SharedLimiter | undefined;
  /** Counts a key that was wrong, or that was rejected without a look-up. */
  readonly observe?: (outcome: 'wrong' | 'blocked') => void;
}

export function createKeyChecker({ db, wrongKeys, observe }: KeyCheckerOptions): KeyChecker {
  /** Hashes of the secrets of keys that were valid, by the ids of the keys. */
  const known = new Map<string, Buffer>();
  const isKnown = ({ id, secret }: ParsedKey) => {
    const hash = known.get(id);
    return hash !== undefined && matchesSecret(secret, hash);
  };
  return {
    async find(request, key) {
      const bucket = `wrong keys ${callerNetwork(request)}`;
      const blockedMs = wrongKeys?.emptyForMs(bucket) ?? 0;
      if (blockedMs > 0 && !isKnown(key)) {
        observe?.('blocked');
        throw tooManyWrongKeys(Math.ceil(blockedMs / 1000));
      }
      const holder = await authenticate(db, key);
      if (holder === undefined) {
        observe?.('wrong');
        await wrongKeys?.take(bucket);
      } else setBounded(known, [key.id, sha256(key.secret)], MAX_KNOWN);
      return holder;
    },
  };
}

function tooManyWrongKeys(seconds: number): Failure {
  const text = `Too many wrong API keys came from your network, so the service did not check this one. Try again in ${seconds} s.`;
  return new Failure({
    status: 429,
    code: 'rate_limited',
    errors: { authorization: [text] },
    headers: { 'Retry-After': String(seconds) },
  });
}
