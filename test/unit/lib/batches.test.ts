import { expect, test } from 'vitest';
import { batchesOf } from '../../../src/lib/batches.ts';

const batches = (weights: number[], most: number) => [...batchesOf(weights, (weight) => weight, most)];

test('batches keep the order and weigh at most the limit', () => {
  expect(batches([1, 2, 3, 1, 1, 1], 4)).toEqual([
    [1, 2],
    [3, 1],
    [1, 1],
  ]);
});

test('an item that is heavier than the limit has a batch of its own', () => {
  expect(batches([1, 9, 1], 4)).toEqual([[1], [9], [1]]);
});

test('no items make no batch', () => {
  expect(batches([], 4)).toEqual([]);
});
