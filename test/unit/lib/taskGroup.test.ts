import { expect, it } from 'vitest';
import { TaskGroup } from '../../../src/lib/taskGroup.ts';

it('a task group runs at most its maximum of tasks at once', async () => {
  const group = new TaskGroup(2);
  let running = 0;
  let most = 0;
  for (let i = 0; i < 6; i++) {
    await group.add(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
    });
  }
  await group.drain();
  expect(most).toBe(2);
  expect(running).toBe(0);
});

it('every call of a task group after a failure throws the first failure after the other tasks have ended', async () => {
  const group = new TaskGroup(3);
  let ended = false;
  await group.add(async () => {
    await new Promise(setImmediate);
    throw new Error('first');
  });
  await group.add(async () => {
    for (let i = 0; i < 3; i++) await new Promise(setImmediate);
    ended = true;
  });
  await expect(group.drain()).rejects.toThrow('first');
  expect(ended).toBe(true);
  await expect(group.add(async () => undefined)).rejects.toThrow('first');
});
