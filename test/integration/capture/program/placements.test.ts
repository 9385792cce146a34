/** Placements through the capture program and the real internal API. */
import sharp, { type Region } from 'sharp';
import { expect, test } from 'vitest';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import { startEngine } from '../../../../src/capture/engine/engine.ts';
import { runCapture } from '../../../../src/capture/program/program.ts';
import { startPublishers } from '../../../fixtures/publisherServer.ts';
import { TEST_LOG } from '../../../support/testLog.ts';
import { prepareCaptureJobs } from '../doubles/captureJob.ts';
import { engineDouble } from '../doubles/engine.ts';
import { runProgram } from '../doubles/runProgram.ts';

const startCaptureJob = prepareCaptureJobs();
const RECTANGLE = { width: 300, height: 250 };
const LEADERBOARD = { width: 728, height: 90 };

test('A capture opens the page of a placement once for all sizes, and reports its picture and its slots', async () => {
  const site = 'http://news.example/';
  const cookies = [{ name: 'session', value: 'secret' }];
  const rules = [{ cookies }, { host: '*.example', hide: ['#bar'] }, { host: 'other.example', hide: ['#other'] }];
  const job = await startCaptureJob({ placement: { site, sizes: [RECTANGLE, LEADERBOARD] }, rules });
  const { exit, engine } = runProgram(job);
  expect(await exit).toBe(0);
  expect([engine.opened, engine.placed]).toEqual([[site], []]);
  expect(engine.openedWith).toMatchObject([
    { access: { cookies, headers: [] }, rules: [{ host: 'news.example' }, { host: '*.example', hide: ['#bar'] }] },
  ]);
  const placement = await job.placement();
  expect(placement).toMatchObject({ status: 'uploaded', reason: null, width: 30, height: 25 });
  const found = { chosen: 1, candidates_found: 1, candidates: [{ element: '#div-gpt-ad-1' }] };
  expect(placement.record).toMatchObject({
    ...{ final_url: `${site}final`, page: { width: 30, height: 900 } },
    sizes: [
      { ...RECTANGLE, ...found },
      { ...LEADERBOARD, ...found },
    ],
  });
});

test.each([
  ['http://closed/', 'blocked', 'a challenge', 1],
  ['http://crash/', 'generic_error', 'The page crashed three browsers: Target crashed', 3],
])('A placement of %s fails as %s, with the reason', async (site, status, reason, openings) => {
  const job = await startCaptureJob({ placement: { site, sizes: [RECTANGLE] } });
  const { exit, engine } = runProgram({ ...job, engine: engineDouble() });
  expect(await exit).toBe(0);
  expect(engine.opened).toHaveLength(openings);
  expect(await job.placement()).toMatchObject({ status, reason, record: null, image_token: null });
});

test('A capture that starts again after the result ends at once', async () => {
  const job = await startCaptureJob({ placement: { site: 'http://news.example/', sizes: [RECTANGLE] } });
  expect(await runProgram(job).exit).toBe(0);
  const again = runProgram({ ...job, env: { ...job.env, TEARSHEET_POD: 'pod-2' } });
  expect(await again.exit).toBe(0);
  expect(again.engine.opened).toEqual([]);
});

test('With a real browser, the boxes of a placement are the slots in its picture', async () => {
  const publishers = await startPublishers();
  const site = publishers.url('news');
  const slots = [{ size: RECTANGLE, selector: '#gone' }];
  const rules = [{ host: new URL(site).hostname, cookies: [{ name: 'session', value: 's' }], slots }];
  const placed = { site, sizes: [RECTANGLE, { width: 3_000, height: 2_000 }] };
  const job = await startCaptureJob({ placement: placed, rules });
  const options = { chromiumPath: findChromium(process.env['CHROMIUM_PATH']), allow: ['127.0.0.0/8'], log: TEST_LOG };
  const exit = await runCapture({ env: job.env, startEngine: () => startEngine(options), log: TEST_LOG });
  await publishers.close();
  expect(exit).toBe(0);
  const { record, width, height, artifact_key, ...placement } = await job.placement();
  expect(placement).toMatchObject({ status: 'uploaded', reason: null });
  expect(record?.page).toEqual({ width, height });
  expect(width).toBe(1_440);
  const [rule] = await job.rules();
  const effects = record?.site_rules?.map((report) => report.effects.map(({ part, found }) => [part, found]));
  expect(effects).toEqual([
    [
      ['cookies', 1],
      ['slot', 0],
    ],
  ]);
  expect([rule?.last_acted_at, rule?.last_missed_at]).toEqual([expect.any(Date), expect.any(Date)]);
  const [rectangle, large] = record?.sizes ?? [];
  expect(large?.candidates_found).toBe(rectangle?.candidates_found);
  expect(large?.candidates.filter(({ problem }) => problem === null)).toEqual([]);
  const [best] = rectangle?.candidates ?? [];
  expect(best).toMatchObject({ problem: null, size: RECTANGLE });
  const { bytes } = await job.artifacts.get(artifact_key ?? '');
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width, height });
  const { x = 0, y = 0 } = best?.box ?? {};
  // With 256 colors, an even area has a little noise.
  expect(await contrastOf(bytes, { left: x, top: y, ...RECTANGLE })).toBeLessThan(3);
  expect(await contrastOf(bytes, { left: x - 10, top: y - 10, width: 320, height: 270 })).toBeGreaterThan(4);
});

/** @returns about 0 if the part of the picture has one color, as an empty slot. */
async function contrastOf(png: Buffer, part: Region): Promise<number> {
  const { channels } = await sharp(await sharp(png).extract(part).png().toBuffer()).stats();
  return Math.max(...channels.map(({ stdev }) => stdev));
}
