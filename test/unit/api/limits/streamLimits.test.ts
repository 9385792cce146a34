import { createServer, request } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStreamLimits } from '../../../../src/api/limits/captureLimits.ts';
import { OverloadedError, TooLargeError } from '../../../../src/api/server/errors.ts';
import { type Listener, startListener } from '../../../support/listeners.ts';

let listener: Listener;
/** Complete uploads. Each one stays in memory until the test releases it. */
let kept: { letGo: () => void }[];

const TIMEOUT_MS = 60_000;

async function open(limits: { maxBytesPerAddress: number; maxBytes: number }): Promise<void> {
  const streamLimits = createStreamLimits({ timeoutMs: TIMEOUT_MS, ...limits });
  const app = express();
  app.put('/', (req, res) =>
    streamLimits.receive(req, async () => {
      await new Promise<void>((letGo) => kept.push({ letGo }));
      res.status(204).end();
    }),
  );
  app.get('/:bytes', (req, res) => {
    streamLimits.send(req, res, Number(req.params.bytes));
    kept.push({ letGo: () => res.end() });
  });
  const fail: express.ErrorRequestHandler = (error, _req, res, _next) => {
    if (error instanceof TooLargeError) res.status(413).end();
    else res.status(error instanceof OverloadedError ? 503 : 500).end();
  };
  app.use(fail);
  listener = await startListener(createServer(app));
}

beforeEach(() => {
  // The test advances the timeouts. HTTP does not use these timers.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  kept = [];
});
afterEach(async () => {
  vi.useRealTimers();
  for (const { letGo } of kept) letGo();
  await listener.close();
});

interface Put {
  readonly from?: string;
  /** Announced; what is sent unless given. */
  readonly length?: number;
  readonly chunked?: boolean;
}

/** @returns the status, or 0 where the connection broke. */
function put(bytes: number, { from = '127.0.0.1', length = bytes, chunked = false }: Put = {}): Promise<number> {
  return new Promise((resolve) => {
    const headers = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': length };
    const options = { method: 'PUT', headers, agent: false, localAddress: from };
    const sent = request(listener.url, options, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0)).write('x'.repeat(bytes));
    if (chunked || length === bytes) sent.end();
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await nextTurn();
}

const isKept = (count: number) => until(() => kept.length === count);

test('uploads over the total limit get 503, and succeed after another upload is finished', async () => {
  await open({ maxBytesPerAddress: 100, maxBytes: 250 });
  const puts = ['127.0.0.2', '127.0.0.3'].map((from) => put(100, { from }));
  await isKept(2);
  expect(await put(60, { from: '127.0.0.4' })).toBe(503);
  kept[0]?.letGo();
  expect(await Promise.race(puts)).toBe(204);
  void put(60, { from: '127.0.0.4' });
  await isKept(3);
});

test('one sender uses at most the bytes of one picture', async () => {
  await open({ maxBytesPerAddress: 100, maxBytes: 1_000 });
  void put(80, { from: '127.0.0.2' });
  await isKept(1);
  expect(await put(80, { from: '127.0.0.2' })).toBe(503);
  void put(80, { from: '127.0.0.3' });
  await isKept(2);
});

test('a sender that announces many bytes and sends few blocks no others and times out', async () => {
  await open({ maxBytesPerAddress: 100, maxBytes: 100 });
  const slow = put(1, { from: '127.0.0.2', length: 100 });
  await until(() => vi.getTimerCount() === 1);
  void put(90, { from: '127.0.0.3' });
  await isKept(1);
  vi.advanceTimersByTime(TIMEOUT_MS);
  expect(await slow).toBe(0);
});

test('a picture that is too large gets 413, with and without an announced length', async () => {
  await open({ maxBytesPerAddress: 100, maxBytes: 1_000 });
  expect(await put(101)).toBe(413);
  expect(await put(101, { chunked: true })).toBe(413);
});

/** @returns the status, or 0 where the connection broke. */
function get(bytes: number, from: string): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(`${listener.url}/${bytes}`, { agent: false, localAddress: from }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0)).end();
  });
}

test('downloads have the same limits, and a receiver that reads nothing times out', async () => {
  await open({ maxBytesPerAddress: 100, maxBytes: 150 });
  const slow = get(100, '127.0.0.2');
  await isKept(1);
  expect(await get(10, '127.0.0.2')).toBe(503);
  expect(await get(60, '127.0.0.3')).toBe(503);
  vi.advanceTimersByTime(TIMEOUT_MS);
  expect(await slow).toBe(0);
  void get(100, '127.0.0.3');
  await isKept(2);
});
