import { expect, test } from 'vitest';
import { createTokenCache } from '../../../../src/api/auth/tokenReviews.ts';

const GOOD = { name: 'pod', uid: 'uid' };

test('a full cache evicts its oldest token', () => {
  const tokenCache = createTokenCache(() => 0, 2);
  for (const key of ['a', 'b', 'a', 'c']) tokenCache.set(key, GOOD);
  expect(['a', 'b', 'c'].map((key) => tokenCache.get(key))).toEqual([GOOD, undefined, GOOD]);
});

test('rejected tokens do not evict valid ones', () => {
  const tokenCache = createTokenCache(() => 0, 2);
  tokenCache.set('good', GOOD);
  const bad = { refusal: 'made up' };
  for (const key of ['x', 'y', 'z']) tokenCache.set(key, bad);
  expect(['good', 'x', 'z'].map((key) => tokenCache.get(key))).toEqual([GOOD, undefined, bad]);
});

test('a later result for a token replaces the earlier one', () => {
  const tokenCache = createTokenCache(() => 0);
  const bad = { refusal: 'its pod is gone' };
  tokenCache.set('a', GOOD);
  tokenCache.set('a', bad);
  expect(tokenCache.get('a')).toEqual(bad);
  tokenCache.set('a', GOOD);
  expect(tokenCache.get('a')).toEqual(GOOD);
});
