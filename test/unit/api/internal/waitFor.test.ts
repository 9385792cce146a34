import { expect, test } from 'vitest';
import { waitFor } from '../../../../src/api/internal/creativeRoutes.ts';

test('a wait whose caller has gone does not read again', async () => {
  const caller = new AbortController();
  let reads = 0;
  const read = () => {
    reads++;
    setImmediate(() => caller.abort());
    return Promise.resolve(undefined);
  };
  const notifications = { subscribe: () => () => undefined };
  const found = await waitFor(read, { notifications, concerns: () => true, timeoutMs: 60_000, signal: caller.signal });
  expect(found).toBeUndefined();
  expect(reads).toBe(1);
});
