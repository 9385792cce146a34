import { expect, test, vi } from 'vitest';
import { BatchWriter } from '../../../src/lib/batchWriter.ts';

test('items that arrive during a write share the next one', async () => {
  const gate = Promise.withResolvers<void>();
  const written: (readonly number[])[] = [];
  const writer = new BatchWriter<number>(async (items) => {
    written.push(items);
    if (written.length === 1) await gate.promise;
  }, 3);
  const first = [writer.add(1), writer.add(2)];
  // The first write begins in a microtask.
  await Promise.resolve();
  await Promise.resolve();
  const others = [3, 4, 5, 6].map((item) => writer.add(item));
  gate.resolve();
  await Promise.all([...first, ...others]);
  expect(written).toEqual([[1, 2], [3, 4, 5], [6]]);
});

test('a bad item does not lose the others of its batch', async () => {
  const stored: number[] = [];
  const writer = new BatchWriter<number>(async (items) => {
    if (items.includes(2)) throw new Error('bad item');
    stored.push(...items);
  }, 10);
  const results = await Promise.allSettled([writer.add(1), writer.add(2), writer.add(3)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(stored).toEqual([1, 3]);
  await writer.add(4);
  expect(stored).toEqual([1, 3, 4]);
});

test('a write begins only after the pause, and the first one at once', async () => {
  vi.useFakeTimers();
  try {
    const written: (readonly number[])[] = [];
    const write = async (items: readonly number[]) => void written.push(items);
    const writer = new BatchWriter<number>(write, 10, 25);
    await writer.add(1);
    const others = [writer.add(2)];
    await vi.advanceTimersByTimeAsync(20);
    others.push(writer.add(3));
    expect(written).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(5);
    await Promise.all(others);
    expect(written).toEqual([[1], [2, 3]]);
  } finally {
    vi.useRealTimers();
  }
});
