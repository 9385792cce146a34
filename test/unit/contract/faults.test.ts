import { expect, test } from 'vitest';
import { z } from 'zod';
import { Faults } from '../../../src/contract/faults.ts';

/** A list whose items count how often they are checked. */
function countingList() {
  let checked = 0;
  const item = z.string().superRefine((value, context) => {
    checked += 1;
    if (value === 'bad') context.addIssue({ code: 'custom', message: 'is bad.' });
  });
  return {
    schema: z.object({ list: z.array(item).max(10_000, 'is too long.'), name: z.string() }),
    checked: () => checked,
  };
}

const items = (length: number, isBad: (index: number) => boolean) =>
  Array.from({ length }, (_, index) => (isBad(index) ? 'bad' : 'good'));

test('the items of a list after the first hundred faults are not checked', () => {
  const { schema, checked } = countingList();
  const faults = new Faults();
  expect(faults.read(schema, { list: items(10_000, () => true), name: 1 }, '')).toBeUndefined();
  expect(checked()).toBeLessThanOrEqual(101);
  expect(Object.keys(faults.errors)).toEqual([...Array.from({ length: 100 }, (_, i) => `list.${i}`), 'body']);
  expect(faults.errors['body']).toEqual(['has more faults: these are the first 100.']);
});

test('the faults of a list with up to a hundred are all listed', () => {
  const { schema } = countingList();
  const faults = new Faults();
  faults.read(schema, { list: items(10_000, (index) => index % 200 === 7), name: 1 }, '');
  const places = Array.from({ length: 50 }, (_, i) => `list.${200 * i + 7}`);
  expect(faults.errors).toEqual({
    ...Object.fromEntries(places.map((path) => [path, ['is bad.']])),
    name: ['must be a string, but is a number.'],
  });
});

test('the only fault of a list that is too long is its length', () => {
  const { schema } = countingList();
  const faults = new Faults();
  faults.read(schema, { list: items(10_001, () => true), name: 'n' }, '');
  expect(faults.errors).toEqual({ list: ['is too long.'] });
});

test('a long list without a fault is read to its end', () => {
  const { schema } = countingList();
  const given = { list: items(5_000, () => false), name: 'n' };
  expect(new Faults().read(schema, given, '')).toEqual(given);
});
