export interface RateLimit {
  /** What somebody may use in the long run. */
  readonly perSecond: number;
  /** What they may use at once. */
  readonly burst: number;
}

export interface Bucket {
  readonly tokens: number;
  /** Milliseconds, monotonic. */
  readonly at: number;
}

/** As it is by now; full where there was none. */
export function refilled(bucket: Bucket | undefined, { perSecond, burst }: RateLimit, now: number): Bucket {
  if (bucket === undefined) return { tokens: burst, at: now };
  return { tokens: Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond), at: now };
}
