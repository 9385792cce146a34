/** The pictures of pages on which screenshots failed, from the capture program to their removal. */
import { expect, test } from 'vitest';
import { type CaptureJob, prepareCaptureJobs } from '../doubles/captureJob.ts';
import { runProgram } from '../doubles/runProgram.ts';

const startCaptureJob = prepareCaptureJobs();
const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';

const onePage = (site: string) => ({
  ads: { [A]: 'a', [B]: 'b' },
  pages: [{ site, device: 'desktop' as const, pictures: [A, B].map((ad) => [ad, null] as const) }],
});
const failuresOf = async (job: CaptureJob) =>
  (await job.screenshots()).map(({ status, page_token: token }) => ({ status, token }));

test.each([
  ['without a slot', 'http://full/', 'no_slots'],
  ['that refuses the visit', 'http://closed/', 'blocked'],
])('Failures of a page %s share one picture of it, which is removed with the last of them', async (_, site, status) => {
  const job = await startCaptureJob(onePage(site));
  expect(await runProgram(job).exit).toBe(0);
  const [first, second] = await failuresOf(job);
  expect([first, second]).toEqual([
    { status, token: expect.any(String) },
    { status, token: first?.token },
  ]);
  const [image, ...others] = (await job.images()).filter(({ artifact_key }) => artifact_key.includes('-page-'));
  expect(others).toEqual([]);
  expect(image).toMatchObject({ token: first?.token, width: 30, height: 25, content_type: 'image/png' });
  const key = image?.artifact_key ?? '';
  expect((await job.artifacts.get(key)).bytes.length).toBe(image?.bytes);
  await job.settle();
  expect(await job.removedFiles()).not.toContain(key);
  await job.removeScreenshotOf(A);
  expect(await job.removedFiles()).not.toContain(key);
  await job.removeScreenshotOf(B);
  expect(await job.removedFiles()).toContain(key);
});

test('A failure is reported without the picture of its page if that cannot be uploaded', async () => {
  const job = await startCaptureJob(onePage('http://closed/'));
  job.misbehave(/PUT .*artifacts\/screenshots/, 403);
  expect(await runProgram(job).exit).toBe(0);
  expect(await failuresOf(job)).toEqual([A, B].map(() => ({ status: 'blocked', token: null })));
});

test('A failure is reported without a picture of its page if the page cannot be captured', async () => {
  const job = await startCaptureJob(onePage('http://full-crash/'));
  expect(await runProgram(job).exit).toBe(0);
  expect(await failuresOf(job)).toEqual([A, B].map(() => ({ status: 'no_slots', token: null })));
});
