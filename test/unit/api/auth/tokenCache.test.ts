import { expect, test } from 'vitest';
import { createTokenCache } from '../../../../src/api/auth/tokenCache.ts';

const GOOD = { name: 'pod', uid: 'uid' };

test('No more tokens are remembered than there is room for; the oldest goes first', () => {
  const verdicts = createTokenCache(() => 0, 2);
  for (const key of ['a', 'b', 'a', 'c']) verdicts.keep(key, GOOD);
  expect(['a', 'b', 'c'].map((key) => verdicts.get(key))).toEqual([GOOD, undefined, GOOD]);
});

test('Whoever makes up tokens pushes no good one out', () => {
  const verdicts = createTokenCache(() => 0, 2);
  verdicts.keep('good', GOOD);
  const bad = { refusal: 'made up' };
  for (const key of ['x', 'y', 'z']) verdicts.keep(key, bad);
  expect(['good', 'x', 'z'].map((key) => verdicts.get(key))).toEqual([GOOD, undefined, bad]);
});

test('Of one token the last verdict counts', () => {
  const verdicts = createTokenCache(() => 0);
  const bad = { refusal: 'its pod is gone' };
  verdicts.keep('a', GOOD);
  verdicts.keep('a', bad);
  expect(verdicts.get('a')).toEqual(bad);
  verdicts.keep('a', GOOD);
  expect(verdicts.get('a')).toEqual(GOOD);
});
