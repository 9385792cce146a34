import { createServer, request } from 'node:http';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rememberCaller } from '../../../../src/api/internal/pathParameters.ts';
import { limitCalls } from '../../../../src/api/limits/callLimits.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Listener, startListener } from '../../../support/listeners.ts';

let listener: Listener;
const bytesInTime = { perSecond: 0.001, burst: 250 };
/** Calls that were let in, and are not answered before somebody does it here. */
let held: express.Response[];

beforeEach(async () => {
  held = [];
  const app = express();
  app.use((req, res, next) => {
    const uid = req.get('x-pod');
    rememberCaller(res, { jobId: 'job', ...(uid === undefined ? {} : { pod: { uid, index: 0 } }) });
    next();
  });
  app.use(limitCalls({ calls: 3, bytes: 100, bytesInTime }), (_req, res) => void held.push(res));
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

const letIn = (count: number) => eventually(() => expect(held).toHaveLength(count));

test('A pod has so many calls under way; another pod is not concerned, and one that is over makes room', async () => {
  const calls = [call('a'), call('a'), call('a')];
  await letIn(3);
  expect(await call('a')).toBe(503);
  calls.push(call('b'));
  await letIn(4);
  held[0]?.end();
  expect(await Promise.race(calls)).toBe(200);
  await eventually(async () => {
    const another = call('a');
    expect(await Promise.race([another, letIn(5).then(() => 'let in')])).toBe('let in');
  });
});

test('What a pod sends at the same time is bounded too; of unknown length is as long as can be', async () => {
  void call('a', { bytes: 60 });
  await letIn(1);
  expect(await call('a', { bytes: 60 })).toBe(503);
  expect(await call('a', { chunked: true })).toBe(503);
  void call('a', { bytes: 40 });
  await letIn(2);
});

test('A call that is too long all by itself is let in, to be told so', async () => {
  void call('a', { bytes: 5_000 });
  await letIn(1);
});

test('Captures of one machine, which name no pod, are not bounded', async () => {
  for (let i = 0; i < 10; i++) void call(undefined);
  await letIn(10);
});

test('What a pod sends one after the other is bounded, too: to read it takes time that others wait', async () => {
  for (let sent = 1; sent <= 2; sent++) {
    const answered = call('a', { bytes: 100 });
    await letIn(sent);
    held[sent - 1]?.end();
    expect(await answered).toBe(200);
  }
  expect(await call('a', { bytes: 100 })).toBe(503);
  void call('b', { bytes: 100 });
  await letIn(3);
  void call('a', { bytes: 40 });
  await letIn(4);
});
