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

describe('a capture without failures', () => {
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

  it('claims at most two creatives at once', async () => {
    const ads = Object.fromEntries([A, B, C].map((ad) => [ad, 'slow']));
    const on = await start({ ads });
    const { exit, engine } = run(on);
    await eventually(() => expect(on.highestClaims).toBe(2));
    engine.letGo();
    expect(await exit).toBe(0);
    expect(on.highestClaims).toBe(2);
  });

  it('renders ads and opens no page if the index has no pages', async () => {
    const on = await start({ ads: { [A]: 'a', [B]: 'fail' } });
    const { exit, engine } = run(on);
    expect(await exit).toBe(0);
    expect([...on.creatives.values()].map(({ status }) => status)).toEqual(['rendered', 'failed']);
    expect(engine.opened).toEqual([]);
  });

  it('starts no engine if no work is left', async () => {
    const on = await start({ ads: {} });
    const { exit } = run(on, { engine: { ...engineDouble(), render: () => Promise.reject(new Error('not needed')) } });
    expect(await exit).toBe(0);
    expect(on.calls.map(({ path: called }) => called)).toEqual(['/indexes/0/attempts']);
  });

  it('renews its claim while it renders', async () => {
    const on = await start({ ads: { [A]: 'slow' }, leaseSeconds: 0.06 });
    const { exit, engine } = run(on);
    await eventually(() => expect(on.pathsOf(/renew/).length).toBeGreaterThan(2));
    engine.letGo();
    expect(await exit).toBe(0);
    expect(on.pathsOf(/release/)).toEqual([]);
  });

  it('reports its result even if it lost its claim', async () => {
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

describe('creatives that other captures render', () => {
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

  it('are claimed when the lease of the other capture expires', async () => {
    const on = await start(onePage);
    on.claimedElsewhere(A);
    const { exit } = run(on);
    await eventually(() => expect(on.pathsOf(/claim/).length).toBeGreaterThan(1));
    on.expire(A);
    expect(await exit).toBe(0);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('keep an index without pages running until all are resolved', async () => {
    const on = await start({ ads: { [A]: 'a', [B]: 'b' } });
    on.claimedElsewhere(B);
    const { exit } = run(on);
    await eventually(() => expect(on.creatives.get(A)?.status).toBe('rendered'));
    on.expire(B);
    expect(await exit).toBe(0);
    expect(on.creatives.get(B)?.status).toBe('rendered');
  });
});

describe('a capture with failures', () => {
  it('gives all pictures of a blocked page its status and reason', async () => {
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

  it('gives the pictures of a failed ad its reason and takes the others', async () => {
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

  it('reports why an ad was not placed, with the candidates', async () => {
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

  it('fails a creative if the renderer leaves out a frame', async () => {
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

  it('is replaced once, and its page is opened again', async () => {
    const on = await start(crash);
    const { exit, engine } = run(on, { engine: engineDouble({ crashes: 1 }) });
    expect(await exit).toBe(0);
    expect(engine.opened).toHaveLength(2);
    expect(engine.renewed).toBe(1);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('is replaced if the page reports a crash; the second report is the result', async () => {
    const gone = [{ site: 'http://gone.example/', device: 'desktop', pictures: [[A, null]] }] as const;
    const once = await start({ ...onePage, pages: gone });
    expect(await run(once, { engine: engineDouble({ crashes: 1 }) }).exit).toBe(0);
    expect(statuses(once)).toEqual(['uploaded']);
    await once.close();
    const twice = await start({ ...onePage, pages: gone });
    expect(await run(twice, { engine: engineDouble({ crashes: 2 }) }).exit).toBe(0);
    expect([...twice.screenshots.values()][0]).toMatchObject({ status: 'generic_error', reason: 'the page crashed' });
  });

  it('each time that one page is open fails only the pictures of that page', async () => {
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

  it('that does not start ends the capture with a reason, and the claim is released', async () => {
    const on = await start({ ads: { [A]: 'starts-no-browser' } });
    const { exit, complaints } = run(on);
    expect(await exit).toBe(1);
    expect(complaints.join()).toContain('there is no Chromium');
    expect(on.creatives.get(A)).toMatchObject({ status: 'pending', claimed: false });
  });
});

describe('a call to the internal API', () => {
  it('is retried after faults, and so is an upload', async () => {
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

  it('that always reaches another API version ends the capture with the answer of the API', async () => {
    const on = await start(onePage);
    on.misbehave(/attempts/, 'version', 10_000);
    const { exit, complaints } = run(on, { timing: { retryForMs: 100 } });
    expect(await exit).toBe(1);
    expect(complaints.join()).toContain('The API speaks version v3.');
  });

  it('that reaches another release during an upgrade is retried', async () => {
    const on = await start(onePage);
    on.misbehave(/attempts/, 'version');
    on.misbehave(/claim/, 'unknown');
    on.misbehave(/POST .*uploads/, 'unknown', 2);
    on.misbehave(/PUT .*screenshots/, 'unknown');
    expect(await run(on).exit).toBe(0);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('is not superseded by a 409 of a bucket: the upload is retried', async () => {
    const on = await start(onePage);
    on.misbehave(/PUT .*screenshots/, 409);
    expect(await run(on).exit).toBe(0);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('without an answer is retried after its deadline', async () => {
    const on = await start(onePage);
    on.misbehave(/claim/, 'hang');
    expect(await run(on, { timing: { callMs: 100 } }).exit).toBe(0);
  });

  it('that keeps failing ends the capture after a limited time, with the reason', async () => {
    const on = await start(onePage);
    on.misbehave(/attempts/, 500, 10_000);
    const { exit, complaints } = run(on, { timing: { retryForMs: 100 } });
    expect(await exit).toBe(1);
    expect(complaints.join()).toMatch(/500.*tries/);
  });

  it.each([401, 422] as const)('that the API rejects with %i is not retried', async (status) => {
    const on = await start(onePage);
    on.misbehave(/claim/, status);
    expect(await run(on).exit).toBe(41);
    expect(on.pathsOf(/claim/)).toEqual([]);
  });

  it('is not made if settings are missing; the error names them', async () => {
    const on = await start(onePage);
    const { exit, complaints } = run(on, { env: { TEARSHEET_JOB: 'none' } });
    expect(await exit).toBe(2);
    expect(complaints.join()).toContain('TEARSHEET_JOB');
  });
});

describe('the exit code of a capture that ends early', () => {
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

  it('is 40 at once if a newer attempt exists, and no further call is made', async () => {
    const on = await start(slow);
    on.misbehave(/screenshots\/results/, 'superseded');
    const { exit } = run(on);
    expect(await exit).toBe(40);
    expect(on.pathsOf(/release|finish/)).toEqual([]);
    expect(on.screenshots.size).toBe(0);
  });

  it('is 0 if the last result settled the job', async () => {
    const on = await start(onePage);
    on.misbehave(/finish/, 'superseded');
    expect(await run(on).exit).toBe(0);
    expect(statuses(on)).toEqual(['uploaded']);
  });

  it('is 42 after the deadline, and the claims are released', async () => {
    const on = await start({ ...slow, deadlineMs: 400 });
    const { exit, complaints } = run(on);
    expect(await exit).toBe(42);
    expect(complaints.join()).toContain('deadline of the capture passed');
    expect(on.creatives.get(A)).toMatchObject({ status: 'pending', claimed: false });
  });

  it('is 43 after SIGTERM; finished pictures are reported and claims are released', async () => {
    const on = await start(slow);
    const { exit, signals, engine } = run(on);
    await eventually(() => expect(statuses(on)).toEqual(['uploaded']));
    signals.emit('SIGTERM');
    expect(await exit).toBe(43);
    expect(on.creatives.get(A)).toMatchObject({ status: 'pending', claimed: false });
    expect(engine.closed).toBe(true);
  });

  it('is 43 after SIGTERM within a limited time, even if an upload hangs', async () => {
    const on = await start(onePage);
    on.misbehave(/PUT .*screenshots/, 'hang');
    const { exit, signals, engine } = run(on, { timing: { callMs: 60_000 } });
    await eventually(() => expect(engine.placed).toHaveLength(1));
    signals.emit('SIGTERM');
    expect(await exit).toBe(43);
  });

  it('is 43 if the parent that holds standard input is gone', async () => {
    const on = await start({ ads: { [A]: 'slow' } });
    const { exit, stdin, complaints } = run(on, { env: { TEARSHEET_PARENT_STDIN: '1' } });
    await eventually(() => expect(on.creatives.get(A)?.claimed).toBe(true));
    stdin.end();
    expect(await exit).toBe(43);
    expect(complaints.join()).toContain('parent process is gone');
  });

  it('does not depend on standard input without TEARSHEET_PARENT_STDIN', async () => {
    const on = await start(onePage);
    const { exit, stdin } = run(on);
    stdin.end();
    expect(await exit).toBe(0);
  });
});

it('a restarted capture takes only the missing pictures', async () => {
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

it('the folder for frames that do not fit into memory is removed', async () => {
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
