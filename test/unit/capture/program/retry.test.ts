import { expect, it } from 'vitest';
import { RetriesExhaustedError, retry, TransientError } from '../../../../src/capture/program/transport.ts';

const patience = { retryForMs: 60, firstDelayMs: 1, signal: new AbortController().signal };

it('retry repeats a call after transient errors and returns its result', async () => {
  let tries = 0;
  const call = async () => {
    tries += 1;
    if (tries < 3) throw new TransientError('busy');
    return tries;
  };
  expect(await retry(call, { ...patience, retryForMs: 60_000 })).toBe(3);
});

it('retry does not repeat a call after a permanent error', async () => {
  let tries = 0;
  const call = async () => {
    tries += 1;
    throw new RangeError('wrong');
  };
  await expect(retry(call, patience)).rejects.toThrow(RangeError);
  expect(tries).toBe(1);
});

it('retry stops after its time with the last error and the number of tries', async () => {
  const call = () => Promise.reject(new TransientError('busy'));
  await expect(retry(call, patience)).rejects.toThrow(RetriesExhaustedError);
  await expect(retry(call, patience)).rejects.toThrow(/busy \(\d+ tries\)/);
});

it('retry ends during a pause when its signal aborts', async () => {
  const stop = new AbortController();
  const waiting = retry(() => Promise.reject(new TransientError('busy')), {
    retryForMs: 120_000,
    firstDelayMs: 60_000,
    signal: stop.signal,
  });
  stop.abort(new Error('stopped by the test'));
  await expect(waiting).rejects.toThrow('stopped by the test');
});
