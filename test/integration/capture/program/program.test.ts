import { EventEmitter } from 'node:events';
import { mkdtemp, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import type { CaptureTiming } from '../../../../src/capture/program/options.ts';
import { runCapture } from '../../../../src/capture/program/program.ts';
import { eventually } from '../../../support/eventually.ts';
import { SILENT } from '../../../support/silentLog.ts';
import { type EngineDouble, engineDouble } from '../doubles/engine.ts';
import { type Api, pictureId, startInternalApi } from '../doubles/internalApi.ts';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const C = '33333333-3333-4333-8333-333333333333';
const NEWS = 'http://news.example/';
const TIMING: CaptureTiming = {
  callMs: 1_000,
  retryForMs: 3_000,
  firstDelayMs: 5,
  graceMs: 300,
  holdMs: 2_000,
  idleMs: 20,
};

let api: Api | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(order: Parameters<typeof startInternalApi>[0]): Promise<Api> {
  api = await startInternalApi(order);
  return api;
}

interface Run {
  readonly exit: Promise<number>;
  readonly engine: EngineDouble;
  readonly signals: EventEmitter;
  readonly stdin: PassThrough;
  readonly complaints: string[];
}

function run(
  on: Api,
  {
    engine = engineDouble(),
    env = {},
    timing = {},
  }: { engine?: EngineDouble; env?: Record<string, string>; timing?: CaptureTiming } = {},
): Run {
  const signals = new EventEmitter();
  const stdin = new PassThrough();
  const complaints: string[] = [];
  const exit = runCapture({
    env: { ...on.env, ...env },
    startEngine: async () => engine,
    log: SILENT,
    signals,
    stdin,
    printError: (line) => complaints.push(line),
    timing: { ...TIMING, ...timing },
  });
  return { exit, engine, signals, stdin, complaints };
}

const statuses = (on: Api) => [...on.screenshots.values()].map(({ status }) => status);
const onePage = { ads: { [A]: 'banner' }, pages: [{ site: NEWS, device: 'desktop', pictures: [[A, null]] }] } as const;

describe('a capture that goes well', () => {
  it('renders the creative, takes the picture, reports both and ends with 0', async () => {
    const on = await start(onePage);
    const { exit, engine } = run(on);
    expect(await exit).toBe(0);
    const [picture] = on.screenshots.values();
    expect(picture).toMatchObject({
      status: 'uploaded',
      width: 30,
      height: 25,
      captured_at: '2026-11-21T09:30:00.000Z',
    });
    expect(picture?.record).toMatchObject({
      final_url: `${NEWS}final`,
      page_mode: 'composed',
      creative_mode: 'still',
      marker: null,
    });
    expect(on.creatives.get(A)?.result?.result).toMatchObject({ status: 'uploaded', format: 'image', width: 30 });
    expect(on.finished).toMatchObject({
      navigate: 1,
      find: 0.5,
      render: expect.any(Number),
      place: expect.any(Number),
      upload: expect.any(Number),
    });
    expect(engine.closed).toBe(true);
  });

  it('opens a page once for all ads and markers, and places each frame at the ratio of the device', async () => {
    const wanted = [1, 3].flatMap((ratio) => [0, 1_000].map((marker_ms) => ({ marker_ms, ratio })));
    const pictures = [A, B].flatMap((ad) => [0, 1_000].map((marker) => [ad, marker] as const));
    const on = await start({
      ads: { [A]: 'a', [B]: 'b' },
      wanted,
      pages: [{ site: NEWS, device: 'mobile', pictures }],
    });
    const { exit, engine } = run(on);
    expect(await exit).toBe(0);
    expect(engine.opened).toEqual([NEWS]);
    expect(engine.placed.map(({ ratio }) => ratio)).toEqual([3, 3, 3, 3]);
    expect(statuses(on)).toEqual(['uploaded', 'uploaded', 'uploaded', 'uploaded']);
  });

  it('opens a site without a scheme over https', async () => {
    const on = await start({ ...onePage, pages: [{ site: 'News.example', device: 'desktop', pictures: [[A, null]] }] });
    const { exit, engine } = run(on);
    expect(await exit).toBe(0);
    expect(engine.opened).toEqual(['https://news.example/']);
  });

  it('places what is ready while another creative is still rendered', async () => {
    const on = await start({
      ads: { [A]: 'slow', [B]: 'b' },
      pages: [
        {
          site: NEWS,
          device: 'desktop',
          pictures: [
            [A, null],
            [B, null],
          ],
        },
      ],
    });
    const { exit, engine } = run(on);
    await eventually(() => expect([...on.screenshots.keys()]).toEqual([pictureId(0, 1)]));
    engine.letGo();
    expect(await exit).toBe(0);
    expect(on.screenshots.size).toBe(2);
  });

  it('claims two creatives at once, never more', async () => {
    const ads = Object.fromEntries([A, B, C].map((ad) => [ad, 'slow']));
    const on = await start({ ads });
    const { exit, engine } = run(on);
    await eventually(() => expect(on.highestClaims).toBe(2));
    engine.letGo();
    expect(await exit).toBe(0);
    expect(on.highestClaims).toBe(2);
  });

  it('renders ads alone where the index has no pages, and opens none', async () => {
    const on = await start({ ads: { [A]: 'a', [B]: 'fail' } });
    const { exit, engine } = run(on);
    expect(await exit).toBe(0);
    expect([...on.creatives.values()].map(({ status }) => status)).toEqual(['rendered', 'failed']);
    expect(engine.opened).toEqual([]);
  });

  it('starts no engine when nothing is left to do', async () => {
    const on = await start({ ads: {} });
    const { exit } = run(on, { engine: { ...engineDouble(), render: () => Promise.reject(new Error('not needed')) } });
    expect(await exit).toBe(0);
    expect(on.calls.map(({ path: called }) => called)).toEqual(['/indexes/0/attempts']);
  });

  it('keeps the claim alive while it renders', async () => {
    const on = await start({ ads: { [A]: 'slow' }, leaseSeconds: 0.06 });
    const { exit, engine } = run(on);
    await eventually(() => expect(on.pathsOf(/renew/).length).toBeGreaterThan(2));
    engine.letGo();
    expect(await exit).toBe(0);
    expect(on.pathsOf(/release/)).toEqual([]);
  });

  it('hands in its result although its claim was lost meanwhile', async () => {
    const on = await start({ ads: { [A]: 'slow' }, leaseSeconds: 0.06 });
    const { exit, engine } = run(on);
    await eventually(() => expect(on.creatives.get(A)?.claimed).toBe(true));
    on.creatives.set(A, { ...on.creatives.get(A)!, claimed: false });
    on.claimedElsewhere(A);
    engine.letGo();
    expect(await exit).toBe(0);
    expect(on.creatives.get(A)?.status).toBe('rendered');
  });
});

describe('creatives that others render', () => {
  it('are waited for, downloaded and placed', async () => {
    const on = await start(onePage);
    on.claimedElsewhere(A);
    const { exit, engine } = run(on);
    await eventually(() => expect(on.pathsOf(/wait/).length).toBeGreaterThan(0));
    const png = await sharp({ create: { width: 30, height: 25, channels: 3, background: 'blue' } })
      .png()
      .toBuffer();
    on.renderedElsewhere(A, png);
    expect(await exit).toBe(0);
    expect(engine.placed[0]?.png.equals(png)).toBe(true);
    expect(on.pathsOf(/result$/)).toEqual([]);
  });

  it('are claimed when whoever held them is gone', async () => {
    const on = await start(onePage);
    on.claimedElsewhere(A);
    const { exit } = run(on);
    await eventually(() => expect(on.pathsOf(/claim/).length).toBeGreaterThan(1));
    on.expire(A);
    expect(await exit).toBe(0);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('are stayed for by an index without pages until all are resolved', async () => {
    const on = await start({ ads: { [A]: 'a', [B]: 'b' } });
    on.claimedElsewhere(B);
    const { exit } = run(on);
    await eventually(() => expect(on.creatives.get(A)?.status).toBe('rendered'));
    on.expire(B);
    expect(await exit).toBe(0);
    expect(on.creatives.get(B)?.status).toBe('rendered');
  });
});

describe('what cannot be captured', () => {
  it('gives all pictures of a page that is blocked its status and reason', async () => {
    const pictures = [
      [A, null],
      [B, null],
    ] as const;
    const on = await start({
      ads: { [A]: 'slow', [B]: 'b' },
      pages: [{ site: 'http://closed.example/', device: 'desktop', pictures }],
    });
    const { exit, engine } = run(on);
    await eventually(() => expect(statuses(on)).toEqual(['blocked', 'blocked']));
    engine.letGo();
    expect(await exit).toBe(0);
    expect([...on.screenshots.values()][0]).toMatchObject({
      reason: 'a challenge',
      record: { final_url: 'http://closed.example/challenge' },
    });
  });

  it('gives the pictures of an ad that failed its reason, and goes on with the others', async () => {
    const pictures = [
      [A, null],
      [B, null],
    ] as const;
    const on = await start({ ads: { [A]: 'fail', [B]: 'b' }, pages: [{ site: NEWS, device: 'desktop', pictures }] });
    expect(await run(on).exit).toBe(0);
    expect(on.screenshots.get(pictureId(0, 0))).toMatchObject({
      status: 'ad_not_captured',
      reason: 'fail answered 404',
    });
    expect(on.screenshots.get(pictureId(0, 1))?.status).toBe('uploaded');
  });

  it('says why an ad was not placed, with the candidates', async () => {
    const on = await start({
      ...onePage,
      pages: [{ site: 'http://full.example/', device: 'desktop', pictures: [[A, null]] }],
    });
    expect(await run(on).exit).toBe(0);
    expect([...on.screenshots.values()][0]).toMatchObject({
      status: 'no_slots',
      reason: 'too large',
      record: { candidates: [{ element: '#div-gpt-ad-1' }] },
    });
  });

  it('fails a creative of which the renderer leaves out a frame, instead of beginning again', async () => {
    const on = await start({ ads: { [A]: 'short' } });
    expect(await run(on).exit).toBe(0);
    expect(on.creatives.get(A)?.result?.result).toMatchObject({
      status: 'generic_error',
      reason: expect.stringContaining('no frame'),
    });
  });
});

describe('a browser that dies', () => {
  const crash = {
    ...onePage,
    pages: [{ site: 'http://crash.example/', device: 'desktop', pictures: [[A, null]] }],
  } as const;

  it('is replaced once, and the page opened again', async () => {
    const on = await start(crash);
    const { exit, engine } = run(on, { engine: engineDouble({ crashes: 1 }) });
    expect(await exit).toBe(0);
    expect(engine.opened).toHaveLength(2);
    expect(engine.renewed).toBe(1);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('is replaced also where the page says itself that it is gone, and its word is taken the second time', async () => {
    const gone = [{ site: 'http://gone.example/', device: 'desktop', pictures: [[A, null]] }] as const;
    const once = await start({ ...onePage, pages: gone });
    expect(await run(once, { engine: engineDouble({ crashes: 1 }) }).exit).toBe(0);
    expect(statuses(once)).toEqual(['uploaded']);
    await once.close();
    const twice = await start({ ...onePage, pages: gone });
    expect(await run(twice, { engine: engineDouble({ crashes: 2 }) }).exit).toBe(0);
    expect([...twice.screenshots.values()][0]).toMatchObject({ status: 'generic_error', reason: 'the page crashed' });
  });

  it('each time that its page is open, beside another one too, fails the pictures of that page and no others', async () => {
    const on = await start({ ...crash, pages: [...crash.pages, ...onePage.pages] });
    const { exit, engine } = run(on, { engine: engineDouble({ crashes: 3 }) });
    expect(await exit).toBe(0);
    // Once beside the other page, then alone, and once more.
    expect(engine.opened.filter((site) => site.includes('crash'))).toHaveLength(3);
    expect(on.screenshots.get(pictureId(0, 0))).toMatchObject({
      status: 'generic_error',
      reason: expect.stringContaining('Target crashed'),
    });
    expect(on.screenshots.get(pictureId(1, 0))?.status).toBe('uploaded');
  });

  it('that cannot be started at all is a crash with its reason, and the claim is given back', async () => {
    const on = await start({ ads: { [A]: 'starts-no-browser' } });
    const { exit, complaints } = run(on);
    expect(await exit).toBe(1);
    expect(complaints.join()).toContain('there is no Chromium');
    expect(on.creatives.get(A)).toMatchObject({ status: 'pending', claimed: false });
  });
});

describe('the network to the internal API', () => {
  it('may fail for a while: calls and uploads are repeated', async () => {
    const on = await start(onePage);
    on.misbehave(/attempts/, 500, 2);
    on.misbehave(/claim/, 'reset');
    on.misbehave(/PUT .*creatives/, 500);
    on.misbehave(/PUT .*screenshots/, 'reset');
    on.misbehave(/result$/, 500);
    on.misbehave(/screenshots\/results/, 500, 2);
    on.misbehave(/finish/, 500);
    expect(await run(on).exit).toBe(0);
    expect(statuses(on)).toEqual(['uploaded']);
    expect(on.finished).toBeDefined();
  });

  it('may lead to an API of another version for good: the capture ends with what the API said', async () => {
    const on = await start(onePage);
    on.misbehave(/attempts/, 'version', 10_000);
    const { exit, complaints } = run(on, { timing: { retryForMs: 100 } });
    expect(await exit).toBe(1);
    expect(complaints.join()).toContain('The API speaks version v3.');
  });

  it('may lead to an API of another release during an upgrade: the capture repeats the call', async () => {
    const on = await start(onePage);
    on.misbehave(/attempts/, 'version');
    on.misbehave(/claim/, 'unknown');
    on.misbehave(/POST .*uploads/, 'unknown', 2);
    on.misbehave(/PUT .*screenshots/, 'unknown');
    expect(await run(on).exit).toBe(0);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('a bucket where two write at the same time takes the picture the next time; that is no other attempt', async () => {
    const on = await start(onePage);
    on.misbehave(/PUT .*screenshots/, 409);
    expect(await run(on).exit).toBe(0);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('may leave a call without an answer: it is repeated after its deadline', async () => {
    const on = await start(onePage);
    on.misbehave(/claim/, 'hang');
    expect(await run(on, { timing: { callMs: 100 } }).exit).toBe(0);
  });

  it('is given up after a bounded time, with the reason', async () => {
    const on = await start(onePage);
    on.misbehave(/attempts/, 500, 10_000);
    const { exit, complaints } = run(on, { timing: { retryForMs: 100 } });
    expect(await exit).toBe(1);
    expect(complaints.join()).toMatch(/500.*tries/);
  });

  it.each([401, 422] as const)('is not asked again what it refuses with %i', async (status) => {
    const on = await start(onePage);
    on.misbehave(/claim/, status);
    expect(await run(on).exit).toBe(41);
    expect(on.pathsOf(/claim/)).toEqual([]);
  });

  it('ends the capture when settings are missing, naming them', async () => {
    const on = await start(onePage);
    const { exit, complaints } = run(on, { env: { TEARSHEET_JOB: 'none' } });
    expect(await exit).toBe(2);
    expect(complaints.join()).toContain('TEARSHEET_JOB');
  });
});

describe('the end before the end', () => {
  const slow = {
    ads: { [A]: 'slow', [B]: 'b' },
    pages: [
      {
        site: NEWS,
        device: 'desktop',
        pictures: [
          [A, null],
          [B, null],
        ],
      },
    ],
  } as const;

  it('is 40 at once when a newer attempt has taken over, which is not written to any more', async () => {
    const on = await start(slow);
    on.misbehave(/screenshots\/results/, 'superseded');
    const { exit } = run(on);
    expect(await exit).toBe(40);
    expect(on.pathsOf(/release|finish/)).toEqual([]);
    expect(on.screenshots.size).toBe(0);
  });

  it('is 0 when the last result settled the job', async () => {
    const on = await start(onePage);
    on.misbehave(/finish/, 'superseded');
    expect(await run(on).exit).toBe(0);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('is 42 when its time is over, with its claims given back', async () => {
    const on = await start({ ...slow, deadlineMs: 400 });
    const { exit, complaints } = run(on);
    expect(await exit).toBe(42);
    expect(complaints.join()).toContain('deadline of the capture passed');
    expect(on.creatives.get(A)).toMatchObject({ status: 'pending', claimed: false });
  });

  it('is 43 on SIGTERM: what was taken is reported, its claims are given back', async () => {
    const on = await start(slow);
    const { exit, signals, engine } = run(on);
    await eventually(() => expect(statuses(on)).toEqual(['uploaded']));
    signals.emit('SIGTERM');
    expect(await exit).toBe(43);
    expect(on.creatives.get(A)).toMatchObject({ status: 'pending', claimed: false });
    expect(engine.closed).toBe(true);
  });

  it('waits a bounded time on SIGTERM for uploads that hang', async () => {
    const on = await start(onePage);
    on.misbehave(/PUT .*screenshots/, 'hang');
    const { exit, signals, engine } = run(on, { timing: { callMs: 60_000 } });
    await eventually(() => expect(engine.placed).toHaveLength(1));
    signals.emit('SIGTERM');
    expect(await exit).toBe(43);
  });

  it('comes when the parent that holds standard input is gone', async () => {
    const on = await start({ ads: { [A]: 'slow' } });
    const { exit, stdin, complaints } = run(on, { env: { TEARSHEET_PARENT_STDIN: '1' } });
    await eventually(() => expect(on.creatives.get(A)?.claimed).toBe(true));
    stdin.end();
    expect(await exit).toBe(43);
    expect(complaints.join()).toContain('parent process is gone');
  });

  it('does not come from standard input where nobody said so', async () => {
    const on = await start(onePage);
    const { exit, stdin } = run(on);
    stdin.end();
    expect(await exit).toBe(0);
  });
});

it('a restarted capture takes only what is still lacking', async () => {
  const on = await start({
    ads: { [A]: 'a', [B]: 'slow' },
    pages: [
      {
        site: NEWS,
        device: 'desktop',
        pictures: [
          [A, null],
          [B, null],
        ],
      },
    ],
  });
  const first = run(on);
  await eventually(() => expect(on.screenshots.size).toBe(1));
  first.signals.emit('SIGTERM');
  expect(await first.exit).toBe(43);
  const second = run(on, { env: { TEARSHEET_POD: 'pod-2' } });
  second.engine.letGo();
  expect(await second.exit).toBe(0);
  expect(second.engine.placed).toHaveLength(1);
  expect(statuses(on)).toEqual(['uploaded', 'uploaded']);
});

it('frames that do not fit into memory leave no folder behind', async () => {
  const { FrameStore } = await import('../../../../src/capture/engine/frameStore.ts');
  const tempDir = await mkdtemp(path.join(tmpdir(), 'frames-test-'));
  const store = new FrameStore({ memoryBytes: 4, tempDir });
  const [inMemory, onDisk] = [await store.keep(Buffer.from('four')), await store.keep(Buffer.from('more'))];
  expect(await readdir(tempDir)).toHaveLength(1);
  expect([(await inMemory()).toString(), (await onDisk()).toString()]).toEqual(['four', 'more']);
  await store.close();
  expect(await readdir(tempDir)).toEqual([]);
  await rmdir(tempDir);
});
