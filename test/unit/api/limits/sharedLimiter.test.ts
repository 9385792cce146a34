import { expect, test } from 'vitest';
import { SharedLimiter, type SharedLimiterOptions } from '../../../../src/api/limits/sharedLimiter.ts';
import { type Bucket, type RateLimit, refilled } from '../../../../src/lib/tokenBucket.ts';
import type { TokenWish } from '../../../../src/store/rateBuckets/rateBuckets.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

/** Buckets as the database keeps them, with a clock that stands still until the test moves it. */
class FakeBuckets {
  now = 0;
  calls = 0;
  readonly #buckets = new Map<string, Bucket>();

  take({ key, limit, least, most }: TokenWish) {
    this.calls += 1;
    const whole = Math.floor(refilled(this.#buckets.get(key), limit, this.now).tokens + 0.001);
    const granted = whole >= least ? Math.min(whole, most) : 0;
    const remaining = refilled(this.#buckets.get(key), limit, this.now).tokens - granted;
    this.#buckets.set(key, { tokens: remaining, at: this.now });
    return Promise.resolve({ granted, remaining });
  }

  limiter(limit: RateLimit, more: Partial<SharedLimiterOptions> = {}): SharedLimiter {
    const take = (wish: TokenWish) => this.take(wish);
    return new SharedLimiter({ limit, take, log: TEST_LOG, now: () => this.now, deadlineMs: 60_000, ...more });
  }
}

async function accepted(requests: number, ...limiters: readonly SharedLimiter[]): Promise<number> {
  let count = 0;
  for (let i = 0; i < requests; i++) {
    const result = await limiters[i % limiters.length]?.take('key');
    if (result?.allowed) count += 1;
  }
  return count;
}

test('two processes together accept one burst, and then what comes back', async () => {
  const buckets = new FakeBuckets();
  const limit = { perSecond: 10, burst: 40 };
  const [one, two] = [buckets.limiter(limit), buckets.limiter(limit)];
  expect(await accepted(100, one, two)).toBe(40);
  buckets.now += 1_000;
  expect(await accepted(100, one, two)).toBe(10);
  buckets.now += 3_600_000;
  expect(await accepted(100, one, two)).toBe(40);
});

test('requests at the same time are not accepted twice', async () => {
  const buckets = new FakeBuckets();
  const limiter = buckets.limiter({ perSecond: 10, burst: 40 });
  const results = await Promise.all(Array.from({ length: 100 }, () => limiter.take('key')));
  expect(results.filter(({ allowed }) => allowed)).toHaveLength(40);
});

test('most requests ask no database', async () => {
  const buckets = new FakeBuckets();
  const limiter = buckets.limiter({ perSecond: 100, burst: 1_000 });
  expect(await accepted(1_000, limiter)).toBe(1_000);
  expect(buckets.calls).toBe(20);
});

test('a rejected client asks the database once until tokens come back', async () => {
  const buckets = new FakeBuckets();
  const limiter = buckets.limiter({ perSecond: 1, burst: 2 });
  expect(await accepted(1_000, limiter)).toBe(2);
  expect(buckets.calls).toBe(3);
  expect(limiter.emptyForMs('key')).toBe(1_000);
  buckets.now += 1_000;
  expect(limiter.emptyForMs('key')).toBe(0);
  expect(await accepted(10, limiter)).toBe(1);
});

test('a request may cost more than others', async () => {
  const limiter = new FakeBuckets().limiter({ perSecond: 1, burst: 20 });
  expect(await limiter.take('key', 15)).toEqual({ allowed: true, remaining: 5 });
  expect(await limiter.take('key', 6)).toEqual({ allowed: false, remaining: 5 });
  expect(await limiter.take('key', 5)).toEqual({ allowed: true, remaining: 0 });
});

test('a full bucket is enough for a request that costs more than it holds', async () => {
  const limiter = new FakeBuckets().limiter({ perSecond: 1, burst: 20 });
  expect(await limiter.take('key', 1_000)).toMatchObject({ allowed: true });
});

test('a process that stays idle does not keep tokens', async () => {
  const buckets = new FakeBuckets();
  const limiter = buckets.limiter({ perSecond: 100, burst: 1_000 });
  await limiter.take('key');
  buckets.now += 60_000;
  expect(await accepted(2_000, limiter)).toBe(1_000);
});

test('while the database fails, each process limits by itself, and asks again after a second', async () => {
  const buckets = new FakeBuckets();
  let [fails, asked] = [true, 0];
  const take = (wish: TokenWish) => {
    asked += 1;
    return fails ? Promise.reject(new Error('no connection')) : buckets.take(wish);
  };
  const limiter = buckets.limiter({ perSecond: 1, burst: 10 }, { take });
  expect(await accepted(100, limiter)).toBe(10);
  expect(asked).toBe(1);
  fails = false;
  buckets.now += 1_000;
  expect(await accepted(100, limiter)).toBe(10);
});

test('a database that does not answer delays a request only until the deadline', async () => {
  const take = () => new Promise<never>(() => undefined);
  const limiter = new FakeBuckets().limiter({ perSecond: 1, burst: 10 }, { take, deadlineMs: 1 });
  expect(await accepted(100, limiter)).toBe(10);
});
