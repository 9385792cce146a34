import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import { shoot } from '../../../../src/capture/shoot/shoot.ts';
import type { PictureLine } from '../../../../src/capture/shoot/shootOutput.ts';
import type { Animation } from '../../../../src/domain/animations.ts';
import { findDevice } from '../../../../src/domain/devices.ts';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import { type Publishers, startPublishers } from '../../../fixtures/publisherServer.ts';
import { edgeAt, MOVING_CREATIVES, pageOf, readLibrary } from '../../../support/movingCreatives.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

const ANIMATION: Animation = { seconds: 1, fps: 5 };
const FRAMES = 5;
/** Small screens: the time of an animation depends on its pixels. */
const DESKTOP = 'Own device 1000 x 600, 1x, Test/1.0';
const PHONE = 'Own device 375 x 500, 2.5x, touch, Test/1.0';
/** The motion may start a few frames of the browser after the load. */
const NEAR = edgeAt(60);

let publishers: Publishers;
let folder: string;
beforeAll(async () => {
  publishers = await startPublishers();
  folder = await mkdtemp(path.join(tmpdir(), 'animation-test-'));
});
afterAll(async () => {
  await publishers.close();
  await rm(folder, { recursive: true, force: true });
});

interface Shot {
  readonly line: PictureLine;
  readonly record: { readonly ad_box: { readonly x: number; readonly y: number }; readonly ratio: number };
  readonly files: ReadonlyMap<string, Buffer>;
}

async function shot(ad: string, device: string, animation: Animation | null): Promise<Shot> {
  const out = await mkdtemp(path.join(folder, 'shots-'));
  const printed: string[] = [];
  await shoot(
    {
      ads: [{ given: 'ad', source: { kind: 'html_tag', content: ad } }],
      ...{ sites: [publishers.url('news')], devices: [findDevice(device)!], markers: [500], out },
      ...{ allow: ['127.0.0.0/8'], adSize: undefined, json: true },
      options: { ...DEFAULT_OPTIONS, animation },
      chromiumPath: findChromium(process.env['CHROMIUM_PATH']),
    },
    {
      print: (line) => void printed.push(line),
      printProgress: () => undefined,
      log: TEST_LOG,
      signal: new AbortController().signal,
    },
  );
  const names = (await readdir(out)).filter((name) => name !== 'contact-sheet.html');
  const read = async (name: string) => [path.extname(name).slice(1), await readFile(path.join(out, name))] as const;
  const files = new Map(await Promise.all(names.map(read)));
  return { line: JSON.parse(printed[0]!), record: JSON.parse(String(files.get('json'))), files };
}

/** The first shot of each creative and device, for the tests that look at it. */
const shots = new Map<string, Promise<Shot>>();
function firstShot(name: string, device: string): Promise<Shot> {
  const key = `${name} ${device}`;
  const found = shots.get(key) ?? shot(moving(name), device, ANIMATION);
  shots.set(key, found);
  return found;
}

/** The creative in one document. */
function moving(name: string): string {
  const creative = MOVING_CREATIVES.find((one) => one.name === name)!;
  const inline = creative.scripts.map((script) => `<script>${readLibrary(script)}</script>`);
  return pageOf({ ...creative, scripts: [] }).replace('<body>', () => `<body>${inline.join('')}`);
}

async function pixelsOf(file: Buffer, page: number) {
  const { data, info } = await sharp(file, { page }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, at: (x: number, y: number) => (y * info.width + x) * 3 };
}

it.each([
  ['GSAP', DESKTOP],
  ['Lottie on svg', PHONE],
])('an ad moved by %s moves in the WebP and the GIF on %s', async (name, device) => {
  const first = await firstShot(name, device);
  expect([...first.files.keys()].toSorted()).toEqual(['gif', 'json', 'png', 'webp']);
  for (const format of ['webp', 'gif'] as const) {
    const file = first.files.get(format)!;
    const { pages, delay, loop, width = 0 } = await sharp(file, { animated: true }).metadata();
    expect({ pages, delay, loop }).toEqual({ pages: FRAMES, delay: Array(FRAMES).fill(200), loop: 0 });
    const { ad_box, ratio } = first.record;
    const viewport = findDevice(device)!.viewport.width;
    const scale = width / viewport;
    expect(scale).toBe(format === 'gif' ? 1 : Math.min(2, ratio));
    const [left, top] = [(ad_box.x / ratio) * scale, (ad_box.y / ratio) * scale].map(Math.round) as [number, number];
    const still = await pixelsOf(file, 0);
    for (let frame = 0; frame < FRAMES; frame += 3) {
      const { data, at } = await pixelsOf(file, frame);
      const row = at(0, top + Math.round(125 * scale));
      const isRed = (x: number) => data[row + x * 3]! > 170 && data[row + x * 3 + 1]! < 90;
      const edge = Array.from({ length: 300 * scale }, (_, x) => x).find((x) => isRed(left + x));
      expect(Math.abs(edge! / scale - edgeAt(frame * 200)), `${format}, frame ${frame}`).toBeLessThan(NEAR);
      // The page above the ad stays.
      expect(data.subarray(0, at(0, top)).equals(still.data.subarray(0, at(0, top)))).toBe(true);
    }
  }
});

it('an animation is the same in each run, and does not change the picture', async () => {
  const [ad, device] = [moving('GSAP'), DESKTOP];
  const first = await firstShot('GSAP', device);
  const again = await shot(ad, device, ANIMATION);
  for (const format of ['webp', 'gif', 'png'])
    expect(again.files.get(format)!.equals(first.files.get(format)!), format).toBe(true);
  const alone = await shot(ad, device, null);
  expect(alone.files.get('png')!.equals(first.files.get('png')!)).toBe(true);
});

it('an ad that stands still has a picture and says why it has no animation', async () => {
  const { line, files } = await shot(
    '<div style="width:300px;height:250px;background:#c8102e">A</div>',
    DESKTOP,
    ANIMATION,
  );
  expect([...files.keys()].toSorted()).toEqual(['json', 'png']);
  const message = 'There is no animation: nothing moves in the first 1 s of the ad.';
  expect(line.warnings).toContainEqual({ code: 'no_animation', message });
});
