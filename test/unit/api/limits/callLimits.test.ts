import { createServer, request } from 'node:http';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setCaller } from '../../../../src/api/auth/captureAuth.ts';
import { limitCalls } from '../../../../src/api/limits/captureLimits.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Listener, startListener } from '../../../support/listeners.ts';

let listener: Listener;
const byteRate = { perSecond: 0.001, burst: 250 };
/** Admitted calls. Each one stays open until the test ends its response. */
let held: express.Response[];

beforeEach(async () => {
  held = [];
  const app = express();
  app.use((req, res, next) => {
    const uid = req.get('x-pod');
    setCaller(res, { jobId: 'job', ...(uid === undefined ? {} : { pod: { uid, index: 0 } }) });
    next();
  });
  app.use(limitCalls({ calls: 3, bytes: 100, byteRate }), (_req, res) => void held.push(res));
  app.use(((_error, _req, res, _next) => void res.status(503).end()) satisfies express.ErrorRequestHandler);
  listener = await startListener(createServer(app));
});

afterEach(async () => {
  for (const res of held) res.end();
  await listener.close();
});

interface Body {
  readonly bytes?: number;
  readonly chunked?: boolean;
}

/** @returns the status, once it is answered. */
function call(pod: string | undefined, { bytes = 0, chunked = false }: Body = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': bytes };
    const headers = { ...length, ...(pod === undefined ? {} : { 'x-pod': pod }) };
    const sent = request(listener.url, { method: 'POST', headers, agent: false }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject).end('x'.repeat(bytes));
  });
}

const admitted = (count: number) => eventually(() => expect(held).toHaveLength(count));

test('each pod has its own limit of running calls, and a finished call frees its place', async () => {
  const calls = [call('a'), call('a'), call('a')];
  await admitted(3);
  expect(await call('a')).toBe(503);
  calls.push(call('b'));
  await admitted(4);
  held[0]?.end();
  expect(await Promise.race(calls)).toBe(200);
  await eventually(async () => {
    const another = call('a');
    expect(await Promise.race([another, admitted(5).then(() => 'admitted')])).toBe('admitted');
  });
});

test('the running calls of a pod have a limit of bytes, and a chunked body counts as the maximum', async () => {
  void call('a', { bytes: 60 });
  await admitted(1);
  expect(await call('a', { bytes: 60 })).toBe(503);
  expect(await call('a', { chunked: true })).toBe(503);
  void call('a', { bytes: 40 });
  await admitted(2);
});

test('a single call over the limit of bytes is admitted, so that the body parser rejects it', async () => {
  void call('a', { bytes: 5_000 });
  await admitted(1);
});

test('captures without a pod have no limit', async () => {
  for (let i = 0; i < 10; i++) void call(undefined);
  await admitted(10);
});

test('the bytes of a pod have a limit over time', async () => {
  for (let sent = 1; sent <= 2; sent++) {
    const answered = call('a', { bytes: 100 });
    await admitted(sent);
    held[sent - 1]?.end();
    expect(await answered).toBe(200);
  }
  expect(await call('a', { bytes: 100 })).toBe(503);
  void call('b', { bytes: 100 });
  await admitted(3);
  void call('a', { bytes: 40 });
  await admitted(4);
});
