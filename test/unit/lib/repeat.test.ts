import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { repeat } from '../../../src/lib/repeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the work runs at once and then in each interval, until it is stopped', async () => {
  const work = vi.fn(async () => undefined);
  const repetition = repeat(work, 1_000);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(work).toHaveBeenCalledTimes(3);
  await repetition.stop();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(work).toHaveBeenCalledTimes(3);
});

test('a run that takes longer than the interval is not overlapped by the next', async () => {
  const ends: (() => void)[] = [];
  const repetition = repeat(() => new Promise<void>((resolve) => ends.push(resolve)), 1_000);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(500);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await repetition.stop();
});

test('a stop tells the run that is under way, and waits for it', async () => {
  let end = () => {};
  const seen: boolean[] = [];
  const repetition = repeat(async (isStopped) => {
    seen.push(isStopped());
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    seen.push(isStopped());
  }, 1_000);
  let isOver = false;
  const stopping = repetition.stop().then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(isOver).toBe(false);
  end();
  await stopping;
  expect(seen).toEqual([false, true]);
});
