import { expect, test } from 'vitest';
import { readMoments } from '../../../src/domain/markers.ts';

test.each([
  ['', []],
  ['0, 2.5 s', [0, 2.5]],
  ['0,2.5,10', [0, 2.5, 10]],
  ['0 1sec 2 Sek. 2.000', [0, 1, 2]],
  ['0; 1,5; 2.5', [0, 1.5, 2.5]],
  ['0, 2.5; 2.500', [0, 2.5]],
  ['1,5;', [1.5]],
])('the list %j has the moments %j', (text, moments) => {
  expect(readMoments(text)).toEqual({ moments, faults: [] });
});

test.each([
  ['0, 1,5', [0], '1,5 is ambiguous: write 1.5 or 1; 5.'],
  ['0; 1,2,3', [0], 'The moment 1.2,3 is not a number of seconds.'],
  ['1, soon', [1], 'The moment soon is not a number of seconds.'],
  ['1e1', [], 'The moment 1e1 is not a number of seconds.'],
  ['30.0001', [], 'The moment 30.0001 is not between 0 and 30 seconds.'],
  ['0 '.repeat(101), [], 'The list has more than 200 characters.'],
])('the list %j has the moments %j and a fault', (text, moments, fault) => {
  expect(readMoments(text)).toEqual({ moments, faults: [fault] });
});
