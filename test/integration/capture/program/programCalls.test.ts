/** The calls of the capture program to an internal API that misbehaves, and the exit codes of the program. */
import { expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { type CaptureJob, prepareCaptureJobs } from '../doubles/captureJob.ts';
import { callUnknownPath, callVersion3 } from '../doubles/misbehavingProxy.ts';
import { runProgram } from '../doubles/runProgram.ts';

const startCaptureJob = prepareCaptureJobs();
const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';

const desktop = (...ads: string[]) => ({
  site: 'http://news.example/',
  device: 'desktop' as const,
  pictures: ads.map((ad) => [ad, null] as const),
});
const onePage = { ads: { [A]: 'banner' }, pages: [desktop(A)] };
const slow = { ads: { [A]: 'slow', [B]: 'b' }, pages: [desktop(A, B)] };
const statuses = async (job: CaptureJob) => (await job.screenshots()).map(({ status }) => status);
const RELEASED = { status: 'pending', claim_expires_at: null };

test('Calls and uploads that fail are retried', async () => {
  const job = await startCaptureJob(onePage);
  job.misbehave(/attempts/, 500, 2);
  job.misbehave(/claim/, 'reset');
  job.misbehave(/PUT .*creatives/, 500);
  job.misbehave(/PUT .*screenshots/, 'reset');
  job.misbehave(/result$/, 500);
  job.misbehave(/screenshots\/results/, 500, 2);
  job.misbehave(/finish/, 500);
  expect(await runProgram(job).exit).toBe(0);
  expect(await statuses(job)).toEqual(['uploaded']);
  expect(job.phases).toHaveLength(1);
});

test('A program that always reaches another API version ends with the answer of the API', async () => {
  const job = await startCaptureJob(onePage);
  job.misbehave(/attempts/, callVersion3, 10_000);
  const { exit, errors } = runProgram({ ...job, timing: { retryForMs: 100 } });
  expect(await exit).toBe(1);
  expect(errors.join()).toContain('The API speaks version v2 of it, and the capture called version v3.');
});

test('A call that reaches another release during an upgrade is retried', async () => {
  const job = await startCaptureJob(onePage);
  job.misbehave(/attempts/, callVersion3);
  job.misbehave(/claim/, callUnknownPath);
  job.misbehave(/POST .*uploads/, callUnknownPath, 2);
  job.misbehave(/PUT .*screenshots/, callUnknownPath);
  expect(await runProgram(job).exit).toBe(0);
  expect(await statuses(job)).toEqual(['uploaded']);
});

test('An upload that the bucket answers with 409 is retried and does not end the capture', async () => {
  const job = await startCaptureJob(onePage);
  job.misbehave(/PUT .*screenshots/, 409);
  expect(await runProgram(job).exit).toBe(0);
  expect(await statuses(job)).toEqual(['uploaded']);
});

test('A call without an answer is retried after its deadline', async () => {
  const job = await startCaptureJob(onePage);
  job.misbehave(/claim/, 'hang');
  expect(await runProgram({ ...job, timing: { callMs: 5_000 } }).exit).toBe(0);
  expect(job.pathsOf(/claim/)).not.toEqual([]);
});

test('A call that keeps failing ends the capture after a limited time, with the reason', async () => {
  const job = await startCaptureJob(onePage);
  job.misbehave(/attempts/, 500, 10_000);
  const { exit, errors } = runProgram({ ...job, timing: { retryForMs: 100 } });
  expect(await exit).toBe(1);
  expect(errors.join()).toMatch(/500.*tries/);
});

test.each([401, 422])('A call that the API rejects with %i is not retried', async (status) => {
  const job = await startCaptureJob(onePage);
  job.misbehave(/claim/, status);
  expect(await runProgram(job).exit).toBe(41);
  expect(job.pathsOf(/claim/)).toEqual([]);
});

test('A program with an invalid setting makes no call, and its error names the setting', async () => {
  const job = await startCaptureJob(onePage);
  const { exit, errors } = runProgram({ env: { ...job.env, TEARSHEET_JOB: 'none' } });
  expect(await exit).toBe(2);
  expect(errors.join()).toContain('TEARSHEET_JOB');
  expect(job.calls).toEqual([]);
});

const openNewerAttempt = (job: CaptureJob) => () => job.otherCapture.call('indexes/0/attempts', { pod: 'pod-2' });

test('A capture that is superseded by a newer attempt ends with 40 and makes no further call', async () => {
  const job = await startCaptureJob(slow);
  job.misbehave(/screenshots\/results/, openNewerAttempt(job));
  expect(await runProgram(job).exit).toBe(40);
  expect(job.pathsOf(/release|finish/)).toEqual([]);
  expect(await statuses(job)).toEqual(['pending', 'pending']);
});

test('A capture whose creative result is rejected as superseded ends with 40 and does not release its claim', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'banner' } });
  job.misbehave(/result$/, openNewerAttempt(job));
  expect(await runProgram(job).exit).toBe(40);
  expect(job.pathsOf(/release|finish/)).toEqual([]);
  expect((await job.creative(A)).status).toBe('pending');
});

test('A capture whose last call is rejected as superseded ends with 0, because its results are stored', async () => {
  const job = await startCaptureJob(onePage);
  job.misbehave(/finish/, openNewerAttempt(job));
  expect(await runProgram(job).exit).toBe(0);
  expect(await statuses(job)).toEqual(['uploaded']);
  expect(job.phases).toEqual([]);
});

test('A capture that reaches its deadline ends with 42 and releases its claims', async () => {
  const job = await startCaptureJob({ ...slow, options: { podDeadlineSeconds: 4 } });
  const { exit, errors } = runProgram(job);
  expect(await exit).toBe(42);
  expect(errors.join()).toContain('deadline of the capture passed');
  expect(await job.creative(A)).toMatchObject(RELEASED);
});

test('A capture that receives SIGTERM ends with 43, reports finished pictures and releases its claims', async () => {
  const job = await startCaptureJob(slow);
  const { exit, signals, engine } = runProgram(job);
  await eventually(async () => expect(await statuses(job)).toEqual(['pending', 'uploaded']));
  signals.emit('SIGTERM');
  expect(await exit).toBe(43);
  expect(await job.creative(A)).toMatchObject(RELEASED);
  expect(engine.closed).toBe(true);
});

test('A capture that receives SIGTERM while an upload hangs ends with 43 within a limited time', async () => {
  const job = await startCaptureJob(onePage);
  job.misbehave(/PUT .*screenshots/, 'hang');
  const { exit, signals, engine } = runProgram({ ...job, timing: { callMs: 60_000, graceMs: 300 } });
  await eventually(() => expect(engine.placed).toHaveLength(1));
  signals.emit('SIGTERM');
  expect(await exit).toBe(43);
});

test('A capture whose parent process closes standard input ends with 43', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'slow' } });
  const { exit, stdin, errors } = runProgram({ env: { ...job.env, TEARSHEET_PARENT_STDIN: '1' } });
  await eventually(async () => expect((await job.creative(A)).claimed_by_index).toBe(0));
  stdin.end();
  expect(await exit).toBe(43);
  expect(errors.join()).toContain('parent process is gone');
});

test('A capture without TEARSHEET_PARENT_STDIN does not depend on standard input', async () => {
  const job = await startCaptureJob(onePage);
  const { exit, stdin } = runProgram(job);
  stdin.end();
  expect(await exit).toBe(0);
});

test('A restarted capture takes only the missing pictures', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'slow', [B]: 'b' }, pages: [desktop(B, A)] });
  const first = runProgram(job);
  await eventually(async () => expect(await statuses(job)).toEqual(['uploaded', 'pending']));
  first.signals.emit('SIGTERM');
  expect(await first.exit).toBe(43);
  const second = runProgram({ env: { ...job.env, TEARSHEET_POD: 'pod-2' } });
  second.engine.letGo();
  expect(await second.exit).toBe(0);
  expect(second.engine.placed).toHaveLength(1);
  expect(await statuses(job)).toEqual(['uploaded', 'uploaded']);
});
