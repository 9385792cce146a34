import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { CreativeFrame } from '../../../../src/capture/creative/creative.ts';
import { animatedAvif } from '../../../support/animatedAvif.ts';
import { animatedPng } from '../../../support/animatedPng.ts';
import { colourAt, file, type TestRenderer, tag } from '../../../support/testRenderer.ts';
import { rowsOf, type Tier } from '../../../support/tiers.ts';

/** Requested, so that no pass measures the creative. */
export const size = { width: 300, height: 250 };
/** The letter saves the search for a later picture, which follows if all pictures have one color. */
export const STAGE =
  '<div id="d" style="position:relative;width:300px;height:250px;background:#fff"><i style="position:absolute">A</i>';

/** Script that paints the time `ms` in milliseconds: green and blue hold the high and the low byte. */
export const paintTime = (element: string) =>
  `ms = Math.max(0, Math.round(ms)); ${element}.style.background = 'rgb(0,' + (ms >> 8) + ',' + (ms & 255) + ')';`;

export const painted = (driver: string) =>
  tag(`${STAGE}</div><script>
const show = (ms) => { ${paintTime('d')} };
${driver}</script>`);

export async function timeIn(frame: CreativeFrame | undefined, at?: { x: number; y: number }): Promise<number> {
  const [, high = 0, low = 0] = await colourAt(frame, at);
  return high * 256 + low;
}

/** Loading takes a few milliseconds of a creative's time, and a frame is 16.7 ms. */
export const NEAR_MS = 40;

/** Shows the number of the animation frames that the page has got, up to 310. */
const COUNTER = 'let n = 0; const count = () => { show(++n); if (n < 310) requestAnimationFrame(count); };';
const FROM_TIMER = `${COUNTER} setTimeout(() => requestAnimationFrame(count), 1_000)`;

/** @param renderer started by the file that calls this. */
export function testMarkerMatrices(tier: Tier, renderer: () => TestRenderer): void {
  describe('a creative that counts its animation frames', () => {
    const rows = [
      ['counts from its load', `${COUNTER} requestAnimationFrame(count)`, 0, [null, 0]],
      ['counts from a timer on', FROM_TIMER, 1_000, [0]],
      ['has a default frame and counts from a timer on', FROM_TIMER, 1_000, [null, 0]],
    ] as const;

    it.each(rowsOf(tier, rows, ['counts from a timer on']))(
      'a creative that %s gets 60 frames a second, whatever other markers there are',
      async (_, script, start, first) => {
        const markers = [...first, 1_000, 2_345, 3_001, 5_100];
        const many = await renderer().rendered(painted(script), { size, markers });
        const one = await renderer().rendered(painted(script), { size, markers: [5_100] });
        const last = many.frames.at(-1);
        expect(Math.abs((await timeIn(last)) - ((5_100 - start) * 60) / 1000)).toBeLessThanOrEqual(2);
        expect(one.frames[0]?.png.equals(last?.png ?? Buffer.alloc(0))).toBe(true);
      },
    );
  });

  describe('an animated image', () => {
    const COLOURS = [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
      [255, 255, 0],
    ] as const;

    const hex = COLOURS.map((colour) => `#${Buffer.from(colour).toString('hex')}`);
    const image = () => {
      const pixels = COLOURS.map((colour) => Buffer.alloc(size.width * size.height * 3, Buffer.from(colour)));
      const shape = { width: size.width, height: size.height * COLOURS.length, pageHeight: size.height };
      return sharp(Buffer.concat(pixels), { raw: { ...shape, channels: 3 } });
    };

    const rows = [
      [
        'GIF',
        70,
        () =>
          image()
            .gif({ delay: COLOURS.map(() => 70) })
            .toBuffer(),
      ],
      [
        'WebP',
        70,
        () =>
          image()
            .webp({ delay: COLOURS.map(() => 70), lossless: true })
            .toBuffer(),
      ],
      ['PNG', 70, () => animatedPng(hex, { ...size, delayMs: 70 })],
      ['AVIF', 1_000, () => animatedAvif(hex, size)],
    ] as const;

    it.each(rowsOf(tier, rows, ['GIF', 'AVIF']))(
      'an animated %s shows at a boundary of its frames the new frame',
      async (format, each, write) => {
        const markers = [0, each - 1, each, 2 * each - 1, 2 * each, 3 * each, 4 * each - 1, 4 * each, 9 * each];
        const source = file(`ad.${format.toLowerCase()}`, await write());
        const { frames, ...result } = await renderer().rendered(source, { markers });
        expect(result).toMatchObject({ format: 'image', ...size, mode: 'stepped' });
        const shown = await Promise.all(frames.map((frame) => colourAt(frame)));
        const due = [0, 0, 1, 1, 2, 3, 3, 0, 1].map((index) => COLOURS[index] ?? []);
        for (const [index, colour] of due.entries())
          for (const [channel, value] of colour.entries())
            expect(
              Math.abs((shown[index]?.[channel] ?? -99) - value),
              `${markers[index]} ms: ${shown[index]}`,
            ).toBeLessThan(3);
      },
    );
  });

  describe('the default frame', () => {
    const CYCLE =
      "const colours = ['rgb(200,0,0)', 'rgb(0,0,200)', 'rgb(0,200,0)']; let n = 0; d.style.background = colours[0];";
    const rows = [
      [
        'an animation that starts late',
        '<style>#d{animation:t 1s 2s linear both}@keyframes t{from{background:rgb(0,0,0)}to{background:rgb(0,200,0)}}</style>',
        '',
        [1, 2],
      ],
      [
        'pictures with long pauses',
        '',
        "for (const at of [0, 4, 8, 12]) setTimeout(() => { d.style.background = 'rgb(0,' + (at * 10 + 80) + ',0)'; }, at * 1_000)",
        [1, 2],
      ],
      [
        'a long animation',
        '<style>#d{animation:t 24s linear both}@keyframes t{from{background:rgb(0,0,0)}to{background:rgb(0,200,0)}}</style>',
        '',
        [1],
      ],
      ['a loop', '', `${CYCLE} setInterval(() => { d.style.background = colours[++n % colours.length]; }, 3_000)`, [1]],
    ] as const;

    it.each(rowsOf(tier, rows, ['an animation that starts late']))(
      'the default frame shows the end of %s',
      async (_, style, script, ratios) => {
        const source = tag(`${style}${STAGE}</div><script>${script}</script>`);
        const { frames } = await renderer().rendered(source, { size, ratios });
        for (const frame of frames) expect(await colourAt(frame)).toEqual([0, 200, 0]);
      },
    );

    if (tier === 'long')
      it('the default frame of a creative that always moves is in its first 15 s', async () => {
        const source = painted('setInterval(() => show(performance.now()), 5)');
        const { frames } = await renderer().rendered(source, { size });
        expect(await timeIn(frames[0])).toBeLessThan(15_000 + NEAR_MS);
      });
  });

  describe('two renderings of a creative', () => {
    const rows = [
      [
        'canvas that draws at random in each animation frame',
        [0, 300],
        `<canvas id="c" width="300" height="250"></canvas><h1>Hello</h1><svg width="50" height="50"><circle r="20" cx="25" cy="25"><animate attributeName="r" to="5" dur="3s"/></circle></svg>
      <script>const x = c.getContext('2d'); requestAnimationFrame(function f() { x.fillStyle = 'hsl(' + Math.random() * 360 + ' 50% 50%)'; x.fillRect(Math.random() * 300, Math.random() * 250, 20, 20); requestAnimationFrame(f); })</script>`,
      ],
      [
        'page that styles and timers move',
        [100, 500, 1_234],
        `<style>#d{animation:t 4s linear}@keyframes t{from{background:red}to{background:lime}}h1{animation:m 2s infinite}@keyframes m{to{transform:translateX(50px)}}</style>
      <h1>Hello</h1><script>setInterval(() => { document.querySelector('h1').textContent = Math.random(); }, 90)</script>`,
      ],
    ] as const;

    it.each(rowsOf(tier, rows, ['canvas that draws at random in each animation frame']))(
      'two renderings of a %s give the same bytes at every pixel ratio',
      async (_, markers, content) => {
        const request = { size, markers, ratios: [1, 2.625] };
        const source = tag(`${STAGE}${content}</div>`);
        const [first, second] = [
          await renderer().rendered(source, request),
          await renderer().rendered(source, request),
        ];
        for (const [index, frame] of first.frames.entries())
          expect(
            frame.png.equals(second.frames[index]?.png ?? Buffer.alloc(0)),
            `${frame.markerMs}@${frame.ratio}`,
          ).toBe(true);
      },
    );
  });
}
