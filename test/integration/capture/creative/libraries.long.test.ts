import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreativeFrame } from '../../../../src/capture/creative/creative.ts';
import { edgeAt, MOVING_CREATIVES, pageOf, readLibrary } from '../../../support/movingCreatives.ts';
import { startTestRenderer, type TestRenderer } from '../../../support/testRenderer.ts';

const MARKERS = [0, 500, 2_500, 5_500];
/** Loading, and a frame before or after the marker. */
const NEAR_MS = 60;

let renderer: TestRenderer;

beforeAll(async () => {
  renderer = await startTestRenderer({ creativeDeadlineMs: 150_000 });
  for (const script of new Set(MOVING_CREATIVES.flatMap(({ scripts }) => scripts)))
    renderer.put(`/scripts/${script}`, { type: 'text/javascript', body: readLibrary(script) });
  for (const [index, creative] of MOVING_CREATIVES.entries())
    renderer.put(`/moving/${index}`, { type: 'text/html', body: pageOf(creative) });
});
afterAll(() => renderer.close());

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

describe('a creative of a library', () => {
  it.each(MOVING_CREATIVES.map(({ name }, index) => [name, index] as const))(
    'a box moved by %s is at each marker where its speed puts it, and the markers do not affect each other',
    async (_, index) => {
      const source = { kind: 'url', content: `${renderer.base}/moving/${index}` } as const;
      const { frames, mode } = await renderer.rendered(source, { markers: MARKERS });
      expect(mode).toBe('stepped');
      for (const frame of frames) {
        const markerMs = frame.markerMs ?? 0;
        const edge = await edgeIn(frame);
        expect(edge, `at ${markerMs} ms`).toBeGreaterThanOrEqual(edgeAt(markerMs - NEAR_MS));
        expect(edge, `at ${markerMs} ms`).toBeLessThanOrEqual(edgeAt(markerMs + NEAR_MS));
      }
      const alone = await renderer.rendered(source, { markers: [2_500] });
      const [frame] = alone.frames;
      expect([alone.mode, await edgeIn(frame)]).toEqual(['stepped', await edgeIn(frames[2])]);
      expect(frame?.png.equals(frames[2]?.png ?? Buffer.alloc(0))).toBe(true);
    },
  );
});
