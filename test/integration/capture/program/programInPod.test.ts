/** The program in a pod: its token is in a file that is replaced, and it writes a termination message. */
import { EventEmitter } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CaptureTiming } from '../../../../src/capture/program/options.ts';
import { runCapture } from '../../../../src/capture/program/program.ts';
import { CAPTURE_EXIT } from '../../../../src/contract/captureProtocol.ts';
import { eventually } from '../../../support/eventually.ts';
import { SILENT } from '../../../support/silentLog.ts';
import { engineDouble } from '../doubles/engine.ts';
import { type Api, startInternalApi } from '../doubles/internalApi.ts';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const TIMING: CaptureTiming = { callMs: 1_000, retryForMs: 3_000, firstDelayMs: 5, graceMs: 2_000, idleMs: 20 };

let folder: string;
let tokenFile: string;
let lastWords: string;
let api: Api;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-pod-'));
  tokenFile = path.join(folder, 'token');
  lastWords = path.join(folder, 'termination-log');
  await writeFile(lastWords, '');
});
afterEach(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const order = (ads: Record<string, string>, site = 'http://news.example/') => ({
  ads,
  pages: [{ site, device: 'desktop', pictures: Object.keys(ads).map((ad) => [ad, null] as const) }] as const,
});

function run({ engine = engineDouble(), timing = {} as CaptureTiming } = {}) {
  const { TEARSHEET_TOKEN: _, ...env } = api.env;
  const signals = new EventEmitter();
  const exit = runCapture({
    env: { ...env, TEARSHEET_TOKEN_FILE: tokenFile },
    ...{ startEngine: async () => engine, log: SILENT, signals, stdin: new PassThrough(), terminationLog: lastWords },
    printError: () => undefined,
    timing: { ...TIMING, ...timing },
  });
  return { exit, engine, signals };
}

const said = async () => JSON.parse(await readFile(lastWords, 'utf8'));

test('The token is read for each call, so a replaced token is used at once', async () => {
  api = await startInternalApi(order({ [A]: 'slow' }));
  await writeFile(tokenFile, `${api.env.TEARSHEET_TOKEN}\n`);
  const { exit, engine } = run();
  await eventually(() => expect(api.creatives.get(A)?.claimed).toBe(true));
  api.exchangeToken('another');
  await writeFile(tokenFile, 'another');
  engine.letGo();
  expect(await exit).toBe(0);
  expect(api.creatives.get(A)?.status).toBe('rendered');
  expect(await said()).toEqual({ exit_code: 0, message: 'All work is done.' });
});

test('The program waits for a token that is missing or still rejected', async () => {
  api = await startInternalApi(order({ [A]: 'banner' }));
  const { exit } = run();
  setTimeout(() => void writeFile(tokenFile, 'old'), 30);
  await eventually(() => expect(api.calls.length).toBeGreaterThan(0));
  await writeFile(tokenFile, api.env.TEARSHEET_TOKEN);
  expect(await exit).toBe(0);
});

test('A token that stays rejected ends the capture with a reason in the status of the pod', async () => {
  api = await startInternalApi(order({ [A]: 'banner' }));
  await writeFile(tokenFile, 'wrong');
  const { exit } = run({ timing: { retryForMs: 200 } });
  expect(await exit).toBe(CAPTURE_EXIT.crashed);
  expect(await said()).toMatchObject({ exit_code: 1, message: expect.stringContaining('was answered with 401') });
});

test('A pod that receives SIGTERM releases its claim and reports its finished pictures', async () => {
  api = await startInternalApi(order({ [A]: 'banner', [B]: 'slow' }));
  await writeFile(tokenFile, api.env.TEARSHEET_TOKEN);
  const { exit, signals } = run();
  await eventually(() => expect(api.screenshots.size).toBe(1));
  await eventually(() => expect(api.creatives.get(B)?.claimed).toBe(true));
  signals.emit('SIGTERM');
  expect(await exit).toBe(CAPTURE_EXIT.terminated);
  expect(api.creatives.get(B)).toMatchObject({ claimed: false, status: 'pending' });
  expect([...api.screenshots.values()].map(({ status }) => status)).toEqual(['uploaded']);
  expect(await said()).toEqual({
    exit_code: CAPTURE_EXIT.terminated,
    message: 'The capture received SIGTERM or SIGINT.',
  });
});

test('A page that is ended twice because of its memory fails its picture with that reason', async () => {
  api = await startInternalApi(order({ [A]: 'banner' }, 'http://crash.example/'));
  await writeFile(tokenFile, api.env.TEARSHEET_TOKEN);
  const memoryEndReason = 'Too heavy: with this page the capture used 900 of its 1024 MiB of memory.';
  const { exit } = run({ engine: { ...engineDouble({ crashes: 9 }), memoryEndReason } });
  expect(await exit).toBe(0);
  expect([...api.screenshots.values()]).toEqual([
    expect.objectContaining({ status: 'generic_error', reason: memoryEndReason }),
  ]);
});

test('Without a token the program names the missing settings', async () => {
  api = await startInternalApi(order({ [A]: 'banner' }));
  const { TEARSHEET_TOKEN: _, ...env } = api.env;
  const complaints: string[] = [];
  const code = await runCapture({
    ...{ env, startEngine: async () => engineDouble(), log: SILENT, terminationLog: lastWords },
    printError: (line) => complaints.push(line),
  });
  expect(code).toBe(CAPTURE_EXIT.usage);
  expect(complaints.join()).toContain('TEARSHEET_TOKEN_FILE');
  expect((await said()).message).toContain('TEARSHEET_TOKEN_FILE');
});
