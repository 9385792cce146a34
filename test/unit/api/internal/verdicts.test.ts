import { expect, test } from 'vitest';
import { createVerdicts } from '../../../../src/api/internal/verdicts.ts';

const GOOD = { name: 'pod', uid: 'uid' };

test('No more tokens are remembered than there is room for; the oldest goes first', () => {
  const verdicts = createVerdicts(() => 0, 2);
  for (const key of ['a', 'b', 'a', 'c']) verdicts.keep(key, GOOD);
  expect(['a', 'b', 'c'].map((key) => verdicts.get(key))).toEqual([GOOD, undefined, GOOD]);
});
