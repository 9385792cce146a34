/** The work of the capture program with the real internal API: rendering creatives and taking the pictures of pages. */
import { expect, test } from 'vitest';
import type { Attempt, DeclaredUploads, ScreenshotResults } from '../../../../src/contract/captureProtocol.ts';
import { PNG, PNG_FACTS, uploadPng } from '../../../support/captureClient.ts';
import { eventually } from '../../../support/eventually.ts';
import { type CaptureJob, prepareCaptureJobs } from '../doubles/captureJob.ts';
import { CAPTURED_AT, engineDouble } from '../doubles/engine.ts';
import { runProgram } from '../doubles/runProgram.ts';

const startCaptureJob = prepareCaptureJobs();
const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const C = '33333333-3333-4333-8333-333333333333';
const NEWS = 'http://news.example/';

const desktop = (site: string, ...ads: string[]) => ({
  site,
  device: 'desktop' as const,
  pictures: ads.map((ad) => [ad, null] as const),
});
const onePage = { ads: { [A]: 'banner' }, pages: [desktop(NEWS, A)] };
const statuses = async (job: CaptureJob) => (await job.screenshots()).map(({ status }) => status);
/** The results of screenshots that the capture sent and the API accepted. */
const reportsOf = (job: CaptureJob) =>
  job.calls
    .filter(({ path, answer }) => path === '/screenshots/results' && answer !== undefined)
    .flatMap(({ body }) => (body as ScreenshotResults).results);

test('A capture renders the creative, takes the picture, reports both and ends with 0', async () => {
  const job = await startCaptureJob(onePage);
  const { exit, engine } = runProgram(job);
  expect(await exit).toBe(0);
  const [picture] = await job.screenshots();
  expect(picture).toMatchObject({ status: 'uploaded', width: 30, height: 25, captured_at: CAPTURED_AT });
  expect(picture?.record).toMatchObject({
    final_url: `${NEWS}final`,
    page_mode: 'composed',
    creative_mode: 'still',
    marker: null,
  });
  expect(await job.creative(A)).toMatchObject({ status: 'rendered', format: 'image', width: 30 });
  expect(job.phases[0]).toMatchObject({
    navigate: 1,
    find: 0.5,
    render: expect.any(Number),
    place: expect.any(Number),
    upload: expect.any(Number),
  });
  expect(engine.closed).toBe(true);
});

test('Only a site without a scheme may be opened by http if it refuses https', async () => {
  for (const [site, mayUseHttp] of [
    ['plain.example', true],
    ['https://plain.example/', false],
  ] as const) {
    const { exit, engine } = runProgram(await startCaptureJob({ ads: { [A]: 'a' }, pages: [desktop(site, A)] }));
    expect(await exit).toBe(0);
    expect([engine.opened, engine.openedWith[0]?.mayUseHttp]).toEqual([['https://plain.example/'], mayUseHttp]);
  }
});

test('A capture opens a page once for all ads and markers, and places each frame at the ratio of the device', async () => {
  const pictures = [A, B].flatMap((ad) => [0, 1_000].map((marker) => [ad, marker] as const));
  // The desktop page is index 1. Because of it, each creative also has frames at ratio 1.
  const pages = [
    { site: NEWS, device: 'mobile' as const, pictures },
    { site: NEWS, device: 'desktop' as const, pictures },
  ];
  const job = await startCaptureJob({ ads: { [A]: 'a', [B]: 'b' }, pages });
  const { exit, engine } = runProgram(job);
  expect(await exit).toBe(0);
  expect((await job.creative(A)).wanted).toHaveLength(4);
  expect(engine.opened).toEqual([NEWS]);
  expect(engine.placed.map(({ ratio }) => ratio)).toEqual([3, 3, 3, 3]);
  expect((await statuses(job)).slice(0, 4)).toEqual(['uploaded', 'uploaded', 'uploaded', 'uploaded']);
});

test('A capture opens a site without a scheme over https', async () => {
  const job = await startCaptureJob({ ...onePage, pages: [desktop('News.example', A)] });
  const { exit, engine } = runProgram(job);
  expect(await exit).toBe(0);
  expect(engine.opened).toEqual(['https://news.example/']);
});

test('A capture places a rendered creative while another creative still renders', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'slow', [B]: 'b' }, pages: [desktop(NEWS, A, B)] });
  const { exit, engine } = runProgram(job);
  await eventually(async () => expect(await statuses(job)).toEqual(['pending', 'uploaded']));
  engine.letGo();
  expect(await exit).toBe(0);
  expect(await statuses(job)).toEqual(['uploaded', 'uploaded']);
});

test('A capture claims at most two creatives at once', async () => {
  const job = await startCaptureJob({ ads: Object.fromEntries([A, B, C].map((ad) => [ad, 'slow'])) });
  const { exit, engine } = runProgram(job);
  await eventually(() => expect(maxClaims(job)).toBe(2));
  engine.letGo();
  expect(await exit).toBe(0);
  expect(maxClaims(job)).toBe(2);
  expect((await job.creative(C)).status).toBe('rendered');
});

/** The highest number of creatives that the capture held at the same time. */
function maxClaims({ calls }: CaptureJob): number {
  let held = 0;
  let max = 0;
  for (const { path, answer } of calls) {
    const isClaim = path === '/creatives/claim' && answer !== undefined;
    if (isClaim && !JSON.stringify(answer).startsWith('{"creative":null')) held += 1;
    if (path.endsWith('/result')) held -= 1;
    max = Math.max(max, held);
  }
  return max;
}

test('A capture of an index without pages renders the ads and opens no page', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'a', [B]: 'fail' } });
  const { exit, engine } = runProgram(job);
  expect(await exit).toBe(0);
  expect([(await job.creative(A)).status, (await job.creative(B)).status]).toEqual(['rendered', 'failed']);
  expect(engine.opened).toEqual([]);
});

test('A capture makes one call and starts no engine if no work is left', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'banner' } });
  expect(await runProgram(job).exit).toBe(0);
  const before = job.calls.length;
  const { exit, engine } = runProgram({ env: { ...job.env, TEARSHEET_POD: 'pod-2' } });
  expect(await exit).toBe(0);
  expect(job.calls.slice(before).map(({ path }) => path)).toEqual(['/indexes/0/attempts']);
  // A capture closes each engine that it starts.
  expect(engine.closed).toBe(false);
});

test('A capture renews its claim while it renders', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'slow' }, options: { leaseSeconds: 6 } });
  const { exit, engine } = runProgram(job);
  await eventually(() => expect(job.pathsOf(/renew/).length).toBeGreaterThan(2));
  engine.letGo();
  expect(await exit).toBe(0);
  expect(job.pathsOf(/release/)).toEqual([]);
});

test('A capture that lost its claim still reports its result', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'slow' }, options: { leaseSeconds: 6 } });
  const { exit, engine } = runProgram(job);
  await eventually(async () => expect((await job.creative(A)).claimed_by_index).toBe(0));
  await job.moveClaim(A);
  await eventually(() => expect(job.calls.map(({ answer }) => answer)).toContainEqual({ held: false }));
  engine.letGo();
  expect(await exit).toBe(0);
  expect((await job.creative(A)).status).toBe('rendered');
});

test('A capture waits for a creative that another capture renders, downloads its frame and places it', async () => {
  const job = await startCaptureJob({ ...onePage, pages: [desktop(NEWS, A), desktop('http://other.example/', A)] });
  await job.moveClaim(A);
  const { exit, engine } = runProgram(job);
  await eventually(() => expect(job.pathsOf(/wait/).length).toBeGreaterThan(0));
  const call = async <T>(path: string, body: object) => (await job.otherCapture.call<T>(path, body)).body;
  const { attempt } = await call<Attempt>('indexes/1/attempts', { pod: 'pod-2' });
  const bound = { index: 1, attempt };
  const frame = { marker_ms: null, ratio: 1 };
  const [key] = await uploadPng(call<DeclaredUploads>, bound, [{ kind: 'frame', ad_id: A, ...frame }]);
  const image = { format: 'image', category: 'display', mode: 'still', notes: [], width: 30, height: 25 };
  const result = { status: 'uploaded', ...image, frames: [{ ...frame, key, ...PNG_FACTS }] };
  await call(`creatives/${A}/result`, { ...bound, seconds: 0.1, result });
  expect(await exit).toBe(0);
  expect(engine.placed[0]?.png.equals(PNG)).toBe(true);
  expect(job.pathsOf(/result$/)).toEqual([]);
});

test('A capture claims a creative when the lease of the other capture expires', async () => {
  const job = await startCaptureJob(onePage);
  await job.moveClaim(A);
  const { exit } = runProgram(job);
  await eventually(() => expect(job.pathsOf(/claim/).length).toBeGreaterThan(1));
  await job.expireClaim(A);
  expect(await exit).toBe(0);
  expect(await statuses(job)).toEqual(['uploaded']);
});

test('A capture of an index without pages runs until all creatives of the job are resolved', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'a', [B]: 'b' } });
  await job.moveClaim(B);
  const { exit } = runProgram(job);
  await eventually(async () => expect((await job.creative(A)).status).toBe('rendered'));
  expect((await job.creative(B)).status).toBe('pending');
  await job.expireClaim(B);
  expect(await exit).toBe(0);
  expect((await job.creative(B)).status).toBe('rendered');
});

test('All pictures of a blocked page get its status and reason, before their creatives are rendered', async () => {
  const job = await startCaptureJob({
    ads: { [A]: 'slow', [B]: 'b' },
    pages: [desktop('http://closed.example/', A, B)],
  });
  const { exit, engine } = runProgram(job);
  await eventually(async () => expect(await statuses(job)).toEqual(['blocked', 'blocked']));
  engine.letGo();
  expect(await exit).toBe(0);
  expect((await job.screenshots())[0]).toMatchObject({
    reason: 'a challenge',
    record: { final_url: 'http://closed.example/challenge' },
  });
});

test('A capture reports the reason of a failed ad for its pictures and takes the other pictures', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'fail', [B]: 'b' }, pages: [desktop(NEWS, A, B)] });
  expect(await runProgram(job).exit).toBe(0);
  const failure = { status: 'ad_not_captured', reason: 'fail answered 404' };
  expect(await job.screenshots()).toMatchObject([failure, { status: 'uploaded' }]);
  // The API itself also fails the pictures of a failed ad, so the report of the capture is checked too.
  expect(reportsOf(job)).toContainEqual(expect.objectContaining(failure));
});

test('A capture takes one picture of a group, without the ad that failed', async () => {
  const ads = { [A]: 'a', [B]: 'fail', [C]: 'c' };
  const job = await startCaptureJob({ ads, pages: [desktop(NEWS, A, B, C)] });
  await job.group();
  const { exit, engine } = runProgram(job);
  expect(await exit).toBe(0);
  const [first, failed, last] = await job.screenshots();
  // The API itself may fail it before the report of the capture, and has no record then.
  expect(failed?.status).toBe('ad_not_captured');
  const record = expect.objectContaining({ options: expect.objectContaining({ group: 'Takeover' }) });
  expect(reportsOf(job)).toContainEqual(expect.objectContaining({ status: 'ad_not_captured', record }));
  expect(first).toMatchObject({ status: 'uploaded', record: { options: { group: 'Takeover' } } });
  expect(last?.sha256).toBe(first?.sha256);
  expect(engine.together).toEqual([2]);
});

test('A capture places all ads of a group again while one of them has no result', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'a', [B]: 'b' }, pages: [desktop(NEWS, A, B)] });
  await job.group({ except: [B] });
  const { exit, engine } = runProgram(job);
  expect(await exit).toBe(0);
  expect(await statuses(job)).toEqual(['uploaded', 'no_slots']);
  expect(engine.together).toEqual([2]);
});

test('A capture reports why it could not place an ad, with the candidates', async () => {
  const job = await startCaptureJob({ ...onePage, pages: [desktop('http://full.example/', A)] });
  expect(await runProgram(job).exit).toBe(0);
  expect((await job.screenshots())[0]).toMatchObject({
    status: 'no_slots',
    reason: 'too large',
    record: { candidates: [{ element: '#div-gpt-ad-1' }] },
  });
});

test('A creative fails if the renderer leaves out a frame', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'short' } });
  expect(await runProgram(job).exit).toBe(0);
  expect(await job.creative(A)).toMatchObject({
    status: 'failed',
    failure: 'generic_error',
    reason: expect.stringContaining('no frame'),
  });
});

test('A browser that crashes is restarted once, and its page is opened again', async () => {
  const job = await startCaptureJob({ ...onePage, pages: [desktop('http://crash.example/', A)] });
  const { exit, engine } = runProgram({ ...job, engine: engineDouble({ crashes: 1 }) });
  expect(await exit).toBe(0);
  expect(engine.opened).toHaveLength(2);
  expect(engine.renewed).toBe(1);
  expect(await statuses(job)).toEqual(['uploaded']);
});

test('A page that reports a crash is opened again, and fails after three crashes', async () => {
  const gone = { ...onePage, pages: [desktop('http://gone.example/', A)] };
  const twice = await startCaptureJob(gone);
  expect(await runProgram({ ...twice, engine: engineDouble({ crashes: 2 }) }).exit).toBe(0);
  expect(await statuses(twice)).toEqual(['uploaded']);
  const thrice = await startCaptureJob(gone);
  expect(await runProgram({ ...thrice, engine: engineDouble({ crashes: 3 }) }).exit).toBe(0);
  expect((await thrice.screenshots())[0]).toMatchObject({
    status: 'generic_error',
    reason: 'The page crashed three browsers: the page crashed',
  });
});

test('A page that crashes the browser each time fails only its own pictures', async () => {
  // Index 0 has the first two of five pages.
  const sites = ['http://crash.example/', NEWS, 'http://c.example/', 'http://d.example/', 'http://e.example/'];
  const job = await startCaptureJob({ ...onePage, pages: sites.map((site) => desktop(site, A)) });
  const { exit, engine } = runProgram({ ...job, engine: engineDouble({ crashes: 4 }) });
  expect(await exit).toBe(0);
  // Once beside the other page, and three times alone.
  expect(engine.opened.filter((site) => site.includes('crash'))).toHaveLength(4);
  expect((await job.screenshots()).slice(0, 2)).toMatchObject([
    { status: 'generic_error', reason: expect.stringContaining('Target crashed') },
    { status: 'uploaded' },
  ]);
});

test('A browser that does not start ends the capture with a reason, and the claim is released', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'starts-no-browser' } });
  const { exit, errors } = runProgram(job);
  expect(await exit).toBe(1);
  expect(errors.join()).toContain('there is no Chromium');
  expect(await job.creative(A)).toMatchObject({ status: 'pending', claim_expires_at: null });
});

test('A creative that was claimed again while the capture ended is released too', async () => {
  const job = await startCaptureJob({ ads: { [A]: 'slow-starts-no-browser' } });
  const isReleased = async () => expect(await job.creative(A)).toMatchObject({ claim_expires_at: null });
  job.misbehave(/POST \/creatives\/claim/, () => undefined);
  // The second claim reaches the API after the release, so that its answer is the same creative.
  job.misbehave(/POST \/creatives\/claim/, async () => {
    engine.letGo();
    await eventually(isReleased);
  });
  const { exit, engine } = runProgram(job);
  expect(await exit).toBe(1);
  expect(job.pathsOf(/claim$/)).toHaveLength(2);
  await isReleased();
});
