import { expect, test } from 'vitest';
import { jsonSteps } from '../../../src/lib/jsonSteps.ts';
import { runAtOnce } from '../../../src/lib/slices.ts';

test('the steps write what JSON.stringify writes', () => {
  const item = (index: number) => ({ index, at: new Date(0), left: undefined, text: '"é\u{1f600}\\\ud800' });
  const record = {
    a: 1,
    missing: undefined,
    nothing: null,
    'a "name"': 'b',
    empty: [],
    odd: [undefined, null, () => 1, [1, [2]]],
    nested: { list: [1, { b: undefined }] },
    at: new Date(0),
    long: Array.from({ length: 101 }, (_, index) => item(index)),
    exact: Array.from({ length: 100 }, (_, index) => index),
    f: () => 1,
  };
  expect(runAtOnce(jsonSteps(record))).toBe(JSON.stringify(record));
  expect(runAtOnce(jsonSteps({}))).toBe('{}');
});
