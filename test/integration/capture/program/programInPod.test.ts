/** The program in a pod: its token is in a file that is replaced, and it writes a termination message. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UnauthorizedError } from '../../../../src/api/server/errors.ts';
import type { CaptureTiming } from '../../../../src/capture/program/attempt.ts';
import { CAPTURE_EXIT } from '../../../../src/contract/captureProtocol.ts';
import { eventually } from '../../../support/eventually.ts';
import { type CaptureJob, type JobOrder, prepareCaptureJobs } from '../doubles/captureJob.ts';
import { engineDouble } from '../doubles/engine.ts';
import { runProgram } from '../doubles/runProgram.ts';

const startCaptureJob = prepareCaptureJobs();
const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';

let folder: string;
let tokenFile: string;
let terminationLog: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-pod-'));
  tokenFile = path.join(folder, 'token');
  terminationLog = path.join(folder, 'termination-log');
  await writeFile(terminationLog, '');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const order = (ads: Record<string, string>, site = 'http://news.example/'): JobOrder => ({
  ads,
  pages: [{ site, device: 'desktop', pictures: Object.keys(ads).map((ad) => [ad, null] as const) }],
});

function run(job: CaptureJob, { engine = engineDouble(), timing = {} as CaptureTiming } = {}) {
  const env = { ...job.env, TEARSHEET_TOKEN: undefined, TEARSHEET_TOKEN_FILE: tokenFile };
  return runProgram({ env, engine, terminationLog, timing });
}

const terminationMessage = async () => JSON.parse(await readFile(terminationLog, 'utf8'));

test('The token is read for each call, so a replaced token is used at once', async () => {
  let accepted = 'first';
  const authenticator = {
    async authenticate(token: string, jobId: string) {
      if (token !== accepted) throw new UnauthorizedError('The token was replaced.');
      return { jobId };
    },
  };
  const job = await startCaptureJob({ ...order({ [A]: 'slow' }), options: { authenticator } });
  await writeFile(tokenFile, 'first\n');
  const { exit, engine } = run(job);
  await eventually(async () => expect((await job.creative(A)).claimed_by_index).toBe(0));
  accepted = 'another';
  await writeFile(tokenFile, 'another');
  engine.letGo();
  expect(await exit).toBe(0);
  expect((await job.creative(A)).status).toBe('rendered');
  expect(await terminationMessage()).toEqual({ exit_code: 0, message: 'All work is done.' });
});

test('The program waits for a token that is missing or still rejected', async () => {
  const job = await startCaptureJob(order({ [A]: 'banner' }));
  const { exit } = run(job);
  setTimeout(() => void writeFile(tokenFile, 'old'), 30);
  await eventually(() => expect(job.calls.length).toBeGreaterThan(0));
  await writeFile(tokenFile, job.env.TEARSHEET_TOKEN);
  expect(await exit).toBe(0);
});

test('A token that stays rejected ends the capture with a reason in the status of the pod', async () => {
  const job = await startCaptureJob(order({ [A]: 'banner' }));
  await writeFile(tokenFile, 'wrong');
  const { exit } = run(job, { timing: { retryForMs: 200 } });
  expect(await exit).toBe(CAPTURE_EXIT.crashed);
  const message = expect.stringContaining('was answered with 401');
  expect(await terminationMessage()).toMatchObject({ exit_code: 1, message });
});

test('A pod that receives SIGTERM releases its claim and reports its finished pictures', async () => {
  const job = await startCaptureJob(order({ [A]: 'banner', [B]: 'slow' }));
  await writeFile(tokenFile, job.env.TEARSHEET_TOKEN);
  const { exit, signals } = run(job);
  await eventually(async () => expect((await job.screenshots())[0]?.status).toBe('uploaded'));
  await eventually(async () => expect((await job.creative(B)).claimed_by_index).toBe(0));
  signals.emit('SIGTERM');
  expect(await exit).toBe(CAPTURE_EXIT.terminated);
  expect(await job.creative(B)).toMatchObject({ claim_expires_at: null, status: 'pending' });
  expect((await job.screenshots()).map(({ status }) => status)).toEqual(['uploaded', 'pending']);
  expect(await terminationMessage()).toEqual({
    exit_code: CAPTURE_EXIT.terminated,
    message: 'The capture received SIGTERM or SIGINT.',
  });
});

test('A page that is ended twice because of its memory fails its picture with that reason', async () => {
  const job = await startCaptureJob(order({ [A]: 'banner' }, 'http://crash.example/'));
  await writeFile(tokenFile, job.env.TEARSHEET_TOKEN);
  const memoryEndReason = 'Too heavy: with this page the capture used 900 of its 1024 MiB of memory.';
  const { exit } = run(job, { engine: { ...engineDouble({ crashes: 9 }), memoryEndReason } });
  expect(await exit).toBe(0);
  expect(await job.screenshots()).toEqual([
    expect.objectContaining({ status: 'generic_error', reason: memoryEndReason }),
  ]);
});

test('The program names the missing settings if it has no token', async () => {
  const job = await startCaptureJob(order({ [A]: 'banner' }));
  const { exit, errors } = runProgram({ env: { ...job.env, TEARSHEET_TOKEN: undefined }, terminationLog });
  expect(await exit).toBe(CAPTURE_EXIT.usage);
  expect(errors.join()).toContain('TEARSHEET_TOKEN_FILE');
  expect((await terminationMessage()).message).toContain('TEARSHEET_TOKEN_FILE');
});
