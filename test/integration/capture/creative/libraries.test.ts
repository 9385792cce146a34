import { chromium } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import type { CreativeFrame } from '../../../../src/capture/creative/creative.ts';
import { MOVING_CREATIVES, pageOf, readLibrary } from '../../../support/movingCreatives.ts';
import { startTestRenderer, type TestRenderer } from '../../../support/testRenderer.ts';

const MARKERS = [0, 500, 2_500, 5_500];
const FRAME_MS = 1000 / 60;
/** Loading, and a frame before or after the marker. */
const NEAR_MS = 60;
/** Pixels that an edge in a picture may be off. */
const EDGE_PX = 0.3;

/** A position that a real page had, and its time since the start of its scripts by its own clock. */
type Sample = readonly [time: number, position: number];

let renderer: TestRenderer;
let samples: readonly (readonly Sample[])[];

beforeAll(async () => {
  renderer = await startTestRenderer({ creativeDeadlineMs: 150_000 });
  for (const script of new Set(MOVING_CREATIVES.flatMap(({ scripts }) => scripts)))
    renderer.put(`/scripts/${script}`, { type: 'text/javascript', body: readLibrary(script) });
  for (const [index, creative] of MOVING_CREATIVES.entries())
    renderer.put(`/moving/${index}`, { type: 'text/html', body: pageOf(creative) });
  const frames = MOVING_CREATIVES.map(
    (_, index) => `<iframe src="/moving/${index}" width="300" height="250"></iframe>`,
  );
  renderer.put('/moving/all', { type: 'text/html', body: frames.join('') });
  samples = await recordInRealTime(`${renderer.base}/moving/all`);
}, 120_000);
afterAll(() => renderer.close());

/** Opens a page in a browser that nothing controls, and lets each of its frames record its own positions. */
async function recordInRealTime(url: string): Promise<Sample[][]> {
  const executablePath = findChromium(process.env['CHROMIUM_PATH']);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1_000, height: 1_400 } });
    await page.addInitScript(`(() => {
      window.samples = [];
      const sample = () => {
        if (typeof position === 'function') samples.push([performance.now() - began, position()]);
        requestAnimationFrame(sample);
      };
      document.addEventListener('DOMContentLoaded', sample);
    })()`);
    await page.goto(url);
    const [main, ...frames] = page.frames();
    const time = (MARKERS.at(-1) ?? 0) + 500;
    await main?.waitForFunction(`Array.from(frames).every(({ samples }) => samples?.at(-1)?.[0] > ${time})`, null, {
      timeout: 60_000,
    });
    const recorded = frames.map(async (frame) => [
      Number(frame.url().split('/').at(-1)),
      await frame.evaluate('samples'),
    ]);
    const byIndex = new Map((await Promise.all(recorded)) as [number, Sample[]][]);
    return MOVING_CREATIVES.map((_, index) => byIndex.get(index) ?? []);
  } finally {
    await browser.close();
  }
}

/** @returns the left edge of the red box in the middle row. */
async function edgeIn(frame: CreativeFrame | undefined): Promise<number> {
  const { data, info } = await sharp(frame?.png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const row = Math.floor(info.height / 2) * info.width;
  for (let x = 0; x < info.width; x++) {
    const green = data[(row + x) * info.channels + 1] ?? 255;
    if (green < 250) return x + green / 255;
  }
  return Number.NaN;
}

/**
 * The time by which a real page differs from the marker when its box is where the picture shows it. Time in which the
 * page got no frames does not count, because many libraries then stand still.
 */
function offset(real: readonly Sample[], marker: number, edge: number): number {
  let late = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, [time, position]] of real.entries()) {
    const [lastTime, lastPosition] = real[index - 1] ?? [0, 0];
    late += Math.max(0, time - lastTime - 2 * FRAME_MS);
    const off = Math.max(0, marker - time, lastTime - marker) - late;
    if (edge >= lastPosition - EDGE_PX && edge <= position + EDGE_PX) least = Math.min(least, Math.max(0, off));
  }
  return least;
}

describe('a creative of a library', () => {
  it.each(MOVING_CREATIVES.map(({ name }, index) => [name, index] as const))(
    'a box moved by %s is at each marker where a real page has it, and the markers do not affect each other',
    async (_, index) => {
      const source = { kind: 'url', content: `${renderer.base}/moving/${index}` } as const;
      const { frames, mode } = await renderer.rendered(source, { markers: MARKERS });
      expect(mode).toBe('stepped');
      for (const frame of frames) {
        const edge = await edgeIn(frame);
        const off = offset(samples[index] ?? [], frame.markerMs ?? 0, edge);
        expect(off, `at ${frame.markerMs} ms the box is at ${edge}`).toBeLessThan(NEAR_MS);
      }
      const alone = await renderer.rendered(source, { markers: [2_500] });
      expect(alone.frames[0]?.png.equals(frames[2]?.png ?? Buffer.alloc(0))).toBe(true);
    },
    120_000,
  );
});
