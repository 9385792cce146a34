import { expect, test } from 'vitest';
import { WorkQueue, type WorkQueueOptions } from '../../../src/controller/workQueue.ts';
import { eventually } from '../../support/eventually.ts';

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

const QUICK = { firstMs: 5, maxMs: 20 };

function queueOf(work: WorkQueueOptions['work'], options: Partial<WorkQueueOptions> = {}) {
  return new WorkQueue({ concurrency: 1, failed: () => undefined, backOff: QUICK, work, ...options });
}

const NOTHING = { ready: 0, processing: 0, delayed: 0, failing: 0 };

test('a key that is added while it is processed is processed once more, never twice at the same time', async () => {
  const first = gate();
  let [running, most, calls] = [0, 0, 0];
  const queue = queueOf(
    async () => {
      calls += 1;
      running += 1;
      most = Math.max(most, running);
      if (calls === 1) await first.passed;
      running -= 1;
      return undefined;
    },
    { concurrency: 4 },
  );
  queue.add('a');
  await eventually(() => expect(calls).toBe(1));
  for (let i = 0; i < 5; i++) queue.add('a');
  expect(queue.size()).toEqual({ ...NOTHING, ready: 1, processing: 1 });
  first.open();
  await eventually(() => expect(queue.size()).toEqual(NOTHING));
  await queue.stop();
  expect([calls, most]).toEqual([2, 1]);
});

test('a key that adds itself at the start of its processing is not processed twice at the same time', async () => {
  let [running, most, calls] = [0, 0, 0];
  const queue = queueOf(
    async (key) => {
      running += 1;
      most = Math.max(most, running);
      if (++calls < 3) queue.add(key);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return undefined;
    },
    { concurrency: 4 },
  );
  queue.add('a');
  await eventually(() => expect([calls, queue.size()]).toEqual([3, NOTHING]));
  expect(most).toBe(1);
});

test('a key that is added several times before its turn is processed once, in the order of the first time', async () => {
  const first = gate();
  const seen: string[] = [];
  const queue = queueOf(async (key) => {
    seen.push(key);
    if (key === 'first') await first.passed;
    return undefined;
  });
  for (const key of ['first', 'a', 'b', 'a', 'b', 'a']) queue.add(key);
  first.open();
  await eventually(() => expect(queue.size()).toEqual(NOTHING));
  expect(seen).toEqual(['first', 'a', 'b']);
});

test('a key that fails is retried, and other keys do not wait for it', async () => {
  const seen: string[] = [];
  const failures: number[] = [];
  const queue = queueOf(
    async (key) => {
      seen.push(key);
      if (key === 'bad' && failures.length < 3) throw new Error('not yet');
      return undefined;
    },
    { failed: (_key, _error, count) => failures.push(count) },
  );
  queue.add('bad');
  queue.add('good');
  await eventually(() => expect(seen.filter((key) => key === 'bad')).toHaveLength(4));
  await queue.stop();
  expect(seen.indexOf('good')).toBe(1);
  expect(failures).toEqual([1, 2, 3]);
});

test('a key that succeeded leaves nothing in memory, even after many failures', async () => {
  const failed = new Set<string>();
  const queue = queueOf(
    async (key) => {
      if (failed.has(key)) return undefined;
      failed.add(key);
      throw new Error('once');
    },
    { concurrency: 8 },
  );
  for (let i = 0; i < 1_000; i++) queue.add(`key ${i}`);
  await eventually(() => expect([failed.size, queue.size()]).toEqual([1_000, NOTHING]));
});

test('a key is processed again after the delay that its work returned, and not after stop', async () => {
  let calls = 0;
  const queue = queueOf(async () => {
    calls += 1;
    return calls < 3 ? 1 : undefined;
  });
  queue.add('a');
  await eventually(() => expect(calls).toBe(3));
  await queue.stop();
  queue.add('a');
  queue.addAfter('a', 0);
  expect(queue.size()).toEqual(NOTHING);
});

test('a key that is scheduled twice is processed at the earlier time', async () => {
  let calls = 0;
  const queue = queueOf(async () => {
    calls += 1;
    return undefined;
  });
  queue.addAfter('a', 3_600_000);
  queue.addAfter('a', 1);
  queue.addAfter('a', 3_600_000);
  await eventually(() => expect(calls).toBe(1));
  expect(queue.size().delayed).toBe(0);
});

test('stop waits for keys in processing and takes no more keys', async () => {
  const open = gate();
  const seen: string[] = [];
  const queue = queueOf(async (key) => {
    await open.passed;
    seen.push(key);
    return 1;
  });
  queue.add('a');
  queue.add('b');
  await eventually(() => expect(queue.size().processing).toBe(1));
  const stopped = queue.stop();
  open.open();
  await stopped;
  expect([seen, queue.size()]).toEqual([['a'], NOTHING]);
});
