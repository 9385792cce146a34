import { expect, test } from 'vitest';
import { createWorkQueue } from '../../../src/controller/workQueue.ts';
import { eventually } from '../../support/eventually.ts';

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

test('A key that is added while it is worked on is worked on once more, never twice at once', async () => {
  const first = gate();
  let running = 0;
  let most = 0;
  let calls = 0;
  const queue = createWorkQueue({
    concurrency: 4,
    failed: () => undefined,
    work: async () => {
      calls += 1;
      running += 1;
      most = Math.max(most, running);
      if (calls === 1) await first.passed;
      running -= 1;
      return undefined;
    },
  });
  queue.add('a');
  for (let i = 0; i < 5; i++) queue.add('a');
  first.open();
  await eventually(() => expect(calls).toBe(2));
  await queue.stop();
  expect([calls, most]).toEqual([2, 1]);
});

test('A key that fails comes back, and the others do not wait for it', async () => {
  const seen: string[] = [];
  const failures: number[] = [];
  const queue = createWorkQueue({
    concurrency: 1,
    firstPauseMs: 5,
    failed: (_key, _error, count) => failures.push(count),
    work: async (key) => {
      seen.push(key);
      if (key === 'bad' && failures.length < 3) throw new Error('not yet');
      return undefined;
    },
  });
  queue.add('bad');
  queue.add('good');
  await eventually(() => expect(seen.filter((key) => key === 'bad')).toHaveLength(4));
  await queue.stop();
  expect(seen.indexOf('good')).toBe(1);
  expect(failures).toEqual([1, 2, 3]);
});

test('A key is looked at again when its work asks for it, and not after the end', async () => {
  let calls = 0;
  const queue = createWorkQueue({
    concurrency: 1,
    failed: () => undefined,
    work: async () => {
      calls += 1;
      return calls < 3 ? 1 : undefined;
    },
  });
  queue.add('a');
  await eventually(() => expect(calls).toBe(3));
  await queue.stop();
  queue.add('a');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(calls).toBe(3);
});
