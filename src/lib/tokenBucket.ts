export interface RateLimit {
  /** Tokens that come back in a second. */
  readonly perSecond: number;
  /** Tokens in a full bucket. */
  readonly burst: number;
}

export interface Bucket {
  readonly tokens: number;
  /** Milliseconds, monotonic. */
  readonly at: number;
}

/** @returns the bucket with the tokens that came back since it was last used; a full one if there was none. */
export function refilled(bucket: Bucket | undefined, { perSecond, burst }: RateLimit, now: number): Bucket {
  if (bucket === undefined) return { tokens: burst, at: now };
  return { tokens: Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond), at: now };
}
