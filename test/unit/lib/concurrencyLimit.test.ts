import { expect, it } from 'vitest';
import { ConcurrencyLimit } from '../../../src/lib/concurrencyLimit.ts';

it('at most the given number of pieces of work run at once, in the order of the calls', async () => {
  const limit = new ConcurrencyLimit(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const runs = [0, 1, 2, 3].map((i) =>
    limit.run(() => {
      started.push(i);
      return new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  expect(started).toEqual([0, 1]);
  expect(limit.waiting).toBe(2);
  ends[1]?.();
  await runs[1];
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  ends[0]?.();
  await runs[0];
  ends[2]?.();
  await runs[2];
  expect(started).toEqual([0, 1, 2, 3]);
  ends[3]?.();
  await runs[3];
});

it('work that fails frees its place', async () => {
  const limit = new ConcurrencyLimit(1);
  const failing = limit.run(() => Promise.reject(new Error('no')));
  const next = limit.run(() => Promise.resolve('yes'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

it('work that waits for too long loses its turn, and the next one takes it', async () => {
  const limit = new ConcurrencyLimit(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = limit.run(() => promise);
  const leaving = new AbortController();
  const late = limit.run(() => Promise.resolve('late'), leaving.signal);
  const next = limit.run(() => Promise.resolve('next'));
  leaving.abort(new Error('too late'));
  await expect(late).rejects.toThrow('too late');
  resolve();
  await running;
  expect(await next).toBe('next');
});
