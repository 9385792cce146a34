import { expect, it } from 'vitest';
import { withDeadline } from '../../../src/lib/deadline.ts';
import { secondsText } from '../../../src/lib/secondsText.ts';

it.each([
  [0.5754808779999985, '0.00058 s'],
  [150, '0.15 s'],
  [575.4808779999985, '0.58 s'],
  [2_000, '2 s'],
  [12_345.678, '12 s'],
  [600_000, '600 s'],
])('a duration of %d ms reads %s', (ms, text) => {
  expect(secondsText(ms)).toBe(text);
});

it('the error of a deadline has a rounded duration', async () => {
  await expect(withDeadline(5.754808779999985, new Promise(() => undefined))).rejects.toThrow(
    /^took longer than 0\.0058 s$/,
  );
});
