import { expect, test } from 'vitest';
import { createStoreCheck } from '../../../src/artifacts/storeCheck.ts';

test('a store that accepts files is checked once a minute, and one that does not at each call', async () => {
  let [now, puts, fails] = [0, 0, false];
  const put = async () => {
    puts += 1;
    if (fails) throw Object.assign(new Error('The specified bucket does not exist'), { name: 'NoSuchBucket' });
  };
  const check = createStoreCheck({ put }, () => now);
  await check();
  await check();
  expect(puts).toBe(1);
  [now, fails] = [60_001, true];
  const reason = 'the artifact store does not accept files: NoSuchBucket: The specified bucket does not exist';
  await expect(check()).rejects.toThrow(reason);
  await expect(check()).rejects.toThrow(reason);
  expect(puts).toBe(3);
});

test('a check that is slow is not begun again by the next probe', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let puts = 0;
  const put = () => {
    puts += 1;
    return promise;
  };
  const check = createStoreCheck({ put });
  const probes = [check(), check()];
  resolve();
  await Promise.all(probes);
  expect(puts).toBe(1);
});
