import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreativeFrame } from '../../../../src/capture/creative/creative.ts';
import { animatedAvif } from '../../../support/animatedAvif.ts';
import { animatedPng } from '../../../support/animatedPng.ts';
import { colourAt, file, startTestRenderer, type TestRenderer, tag } from '../../../support/testRenderer.ts';

let renderer: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
});
afterAll(() => renderer.close());

const SIZE = '<div id="d" style="position:relative;width:300px;height:250px;background:#fff">';

/** Script that paints the time `ms` in milliseconds: green and blue hold the high and the low byte. */
const paintTime = (element: string) =>
  `ms = Math.max(0, Math.round(ms)); ${element}.style.background = 'rgb(0,' + (ms >> 8) + ',' + (ms & 255) + ')';`;

const painted = (driver: string) =>
  tag(`${SIZE}</div><script>
const show = (ms) => { ${paintTime('d')} };
${driver}</script>`);

async function timeIn(frame: CreativeFrame | undefined, at?: { x: number; y: number }): Promise<number> {
  const [, high = 0, low = 0] = await colourAt(frame, at);
  return high * 256 + low;
}

/** Loading takes a few milliseconds of a creative's time, and a frame is 16.7 ms. */
const NEAR_MS = 40;

/** Statements that call `show` with the time of one clock. */
const DRIVERS = [
  ['animation frames', 'requestAnimationFrame(function next(now) { show(now); requestAnimationFrame(next); })'],
  ['performance.now', 'show(performance.now()); setInterval(() => show(performance.now()), 5)'],
  ['Date', 'const start = Date.now(); show(0); setInterval(() => show(Date.now() - start), 5)'],
  [
    'Web Animations',
    'd.animate([{ left: 0 }, { left: 0 }], 60000); show(0); setInterval(() => show(d.getAnimations()[0].currentTime), 5)',
  ],
] as const;

describe('frames at markers', () => {
  const width = 300 / DRIVERS.length;
  let frames: readonly CreativeFrame[];

  // All drivers share one rendering. Each paints its own strip.
  beforeAll(async () => {
    const strips = DRIVERS.map(([, driver]) => `{ const d = addStrip(); const show = showIn(d); ${driver} }`);
    const source = tag(`${SIZE}</div><script>
const addStrip = () => {
  const strip = document.createElement('div');
  strip.style = 'position:relative;float:left;width:${width}px;height:250px';
  return document.querySelector('#d').appendChild(strip);
};
const showIn = (strip) => (ms) => { ${paintTime('strip')} };
${strips.join('\n')}</script>`);
    // A pass with a marker after 5 s does not look at each frame.
    const markers = [0, 40, 1_000, 2_500, 5_678];
    ({ frames } = await renderer.rendered(source, { markers, ratios: [1, 2] }));
  });

  it.each(DRIVERS.map(([name], index) => [name, index] as const))(
    'a creative driven by %s shows the time of each marker',
    async (_, index) => {
      expect(frames).toHaveLength(10);
      for (const frame of frames) {
        const shown = await timeIn(frame, { x: (index + 0.5) * width * frame.ratio, y: 125 * frame.ratio });
        const off = Math.abs(shown - (frame.markerMs ?? 0));
        expect(off, `${frame.markerMs}@${frame.ratio}: ${shown}`).toBeLessThan(NEAR_MS);
      }
    },
  );

  it('a CSS animation shows the time of each marker', async () => {
    const style =
      '<style>#d{animation:t 25.5s linear}@keyframes t{from{background:rgb(0,0,0)}to{background:rgb(255,0,0)}}</style>';
    const { frames } = await renderer.rendered(tag(`${style}${SIZE}`), { markers: [0, 1_000, 10_000] });
    const reds = await Promise.all(frames.map(async (frame) => (await colourAt(frame))[0] ?? 0));
    for (const [index, red] of [0, 10, 100].entries())
      expect(Math.abs((reds[index] ?? 0) - red), String(reds)).toBeLessThanOrEqual(1);
  });

  it('a frame of another origin shows the time of each marker', async () => {
    renderer.put('/clock', {
      type: 'text/html',
      body: `<body style="margin:0">${SIZE}</div><script>setInterval(() => { const ms = Math.round(performance.now()); d.style.background = 'rgb(0,' + (ms >> 8) + ',' + (ms & 255) + ')'; }, 5)</script>`,
    });
    const frame = `<iframe src="${renderer.base}/clock" width="300" height="250" style="border:0"></iframe>`;
    const { frames } = await renderer.rendered(tag(frame), { markers: [500, 2_000] });
    for (const shown of frames) expect(Math.abs((await timeIn(shown)) - (shown.markerMs ?? 0))).toBeLessThan(NEAR_MS);
  });

  it('a frame at a late marker takes less time than the marker', async () => {
    const creativeDeadlineMs = 20_000;
    const late = creativeDeadlineMs + 5_000;
    const short = await startTestRenderer({ creativeDeadlineMs });
    const source = painted('setInterval(() => show(performance.now()), 20)');
    try {
      const { frames } = await short.rendered(source, { markers: [late] });
      expect(Math.abs((await timeIn(frames[0])) - late)).toBeLessThan(NEAR_MS);
    } finally {
      await short.close();
    }
  });
});

/** Shows the number of the animation frames that the page has got, up to 310. */
const COUNTER = 'let n = 0; const count = () => { show(++n); if (n < 310) requestAnimationFrame(count); };';

describe('the clock of a new document', () => {
  const startDocument = `<!doctype html><meta name="ad.size" content="width=300,height=250"><body style="margin:0">${SIZE}</div>
<script>d.style.background = performance.now() > 0 ? 'rgb(0,200,0)' : 'rgb(200,0,0)'</script>`;
  const text = JSON.stringify(startDocument).replaceAll('</script', '<\\/script');
  const frame = '<iframe id="f" width="300" height="250" style="border:0"></iframe>';

  it.each([
    ['a page that may not be in a frame', startDocument, { 'x-frame-options': 'DENY' }],
    ['an iframe that a script writes', `${frame}<script>f.contentDocument.write(${text})</script>`, {}],
    ['an iframe with srcdoc', `${frame}<script>f.srcdoc = ${text}</script>`, {}],
  ])('a script in %s reads a time above 0', async (_, content, headers) => {
    const body = `<meta name="ad.size" content="width=300,height=250"><body style="margin:0">${content}`;
    const source = renderer.put('/start', { type: 'text/html', body, headers });
    const { frames, mode } = await renderer.rendered(source, { markers: [100] });
    expect(mode).toBe('stepped');
    expect(await colourAt(frames[0])).toEqual([0, 200, 0]);
  });
});

describe('a creative that counts its animation frames', () => {
  it.each([
    ['counts from its load', `${COUNTER} requestAnimationFrame(count)`, 0],
    ['counts from a timer on', `${COUNTER} setTimeout(() => requestAnimationFrame(count), 1_000)`, 1_000],
  ])(
    'a creative that %s gets 60 frames a second, whatever other markers there are and with the default frame',
    async (_, script, start) => {
      const many = await renderer.rendered(painted(script), { markers: [null, 0, 1_000, 2_345, 3_001, 5_100] });
      const one = await renderer.rendered(painted(script), { markers: [5_100] });
      const last = many.frames.at(-1);
      expect(Math.abs((await timeIn(last)) - ((5_100 - start) * 60) / 1000)).toBeLessThanOrEqual(2);
      expect(one.frames[0]?.png.equals(last?.png ?? Buffer.alloc(0))).toBe(true);
    },
  );

  it('a transition that a timer starts is at a marker where it is in a browser', async () => {
    const style = '<style>#d{transition:background-color 1s linear}</style>';
    const script = "setTimeout(() => { d.style.backgroundColor = 'rgb(0,0,255)'; }, 5_510)";
    const { frames } = await renderer.rendered(tag(`${style}${SIZE}</div><script>${script}</script>`), {
      markers: [6_010],
    });
    const [red = 0] = await colourAt(frames[0]);
    expect(Math.abs(red - 127.5)).toBeLessThan(255 / 30);
  });
});

describe('an animated image', () => {
  const COLOURS = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 0],
  ] as const;

  const size = { width: 300, height: 250 };
  const hex = COLOURS.map((colour) => `#${Buffer.from(colour).toString('hex')}`);
  const image = () => {
    const pixels = COLOURS.map((colour) => Buffer.alloc(size.width * size.height * 3, Buffer.from(colour)));
    const shape = { width: size.width, height: size.height * COLOURS.length, pageHeight: size.height };
    return sharp(Buffer.concat(pixels), { raw: { ...shape, channels: 3 } });
  };

  it.each([
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
  ] as const)('an animated %s shows at a boundary of its frames the new frame', async (format, each, write) => {
    const markers = [0, each - 1, each, 2 * each - 1, 2 * each, 3 * each, 4 * each - 1, 4 * each, 9 * each];
    const { frames } = await renderer.rendered(file(`ad.${format.toLowerCase()}`, await write()), { markers });
    const shown = await Promise.all(frames.map((frame) => colourAt(frame)));
    const due = [0, 0, 1, 1, 2, 3, 3, 0, 1].map((index) => COLOURS[index] ?? []);
    for (const [index, colour] of due.entries())
      for (const [channel, value] of colour.entries())
        expect(
          Math.abs((shown[index]?.[channel] ?? -99) - value),
          `${markers[index]} ms: ${shown[index]}`,
        ).toBeLessThan(3);
  });
});

describe('the default frame', () => {
  const step = (colours: readonly string[], ms: number) =>
    `const colours = ${JSON.stringify(colours)}; let n = 0; d.style.background = colours[0]; const next = () => { d.style.background = colours[++n % colours.length]; }; ${ms ? `setInterval(next, ${ms})` : ''}`;
  const ad = (script: string) => tag(`${SIZE}<i>Ad</i></div><script>${script}</script>`);

  it.each([
    [
      'an animation that starts late',
      '<style>#d{animation:t 1s 2s linear both}@keyframes t{from{background:rgb(0,0,0)}to{background:rgb(0,200,0)}}</style>',
      '',
    ],
    [
      'pictures with long pauses',
      '',
      "for (const at of [0, 4, 8, 12]) setTimeout(() => { d.style.background = 'rgb(0,' + (at * 10 + 80) + ',0)'; }, at * 1_000)",
    ],
    [
      'a long animation',
      '<style>#d{animation:t 24s linear both}@keyframes t{from{background:rgb(0,0,0)}to{background:rgb(0,200,0)}}</style>',
      '',
    ],
  ])('the default frame shows the end of %s', async (_, style, script) => {
    const { frames } = await renderer.rendered(tag(`${style}${SIZE}<i>Ad</i></div><script>${script}</script>`), {
      ratios: [1, 2],
    });
    for (const frame of frames) expect(await colourAt(frame)).toEqual([0, 200, 0]);
  });

  it('the default frame of a loop is its last picture before it starts again', async () => {
    const { frames } = await renderer.rendered(ad(step(['rgb(200,0,0)', 'rgb(0,0,200)', 'rgb(0,200,0)'], 3_000)));
    expect(await colourAt(frames[0])).toEqual([0, 200, 0]);
  });

  it('the default frame of a creative that always moves is in its first 15 s', async () => {
    const script = `const show = (ms) => { ${paintTime('d')} }; setInterval(() => show(performance.now()), 5)`;
    const { frames } = await renderer.rendered(ad(script));
    expect(await timeIn(frames[0])).toBeLessThan(15_000 + NEAR_MS);
  });
});

describe('two renderings of a creative', () => {
  it.each([
    [
      'canvas that draws at random in each animation frame',
      [0, 500, 1_000],
      `<canvas id="c" width="300" height="250"></canvas><h1>Hello</h1><svg width="50" height="50"><circle r="20" cx="25" cy="25"><animate attributeName="r" to="5" dur="3s"/></circle></svg>
      <script>const x = c.getContext('2d'); requestAnimationFrame(function f() { x.fillStyle = 'hsl(' + Math.random() * 360 + ' 50% 50%)'; x.fillRect(Math.random() * 300, Math.random() * 250, 20, 20); requestAnimationFrame(f); })</script>`,
    ],
    [
      'page that styles and timers move',
      [100, 500, 1_234],
      `<style>#d{animation:t 4s linear}@keyframes t{from{background:red}to{background:lime}}h1{animation:m 2s infinite}@keyframes m{to{transform:translateX(50px)}}</style>
      <h1>Hello</h1><script>setInterval(() => { document.querySelector('h1').textContent = Math.random(); }, 90)</script>`,
    ],
  ])('two renderings of a %s give the same bytes at every pixel ratio', async (_, markers, content) => {
    const request = { markers, ratios: [1, 2.625] };
    const source = tag(`${SIZE}${content}</div>`);
    const [first, second] = [await renderer.rendered(source, request), await renderer.rendered(source, request)];
    for (const [index, frame] of first.frames.entries())
      expect(frame.png.equals(second.frames[index]?.png ?? Buffer.alloc(0)), `${frame.markerMs}@${frame.ratio}`).toBe(
        true,
      );
  });

  it('two renderings of a creative share no storage and no cookies', async () => {
    const source = painted(
      'show((Number(localStorage.n) || 0) + 5); localStorage.n = 100; document.cookie = "n=1"; if (document.cookie.length > 3) show(200)',
    );
    const request = { markers: [0] };
    await renderer.rendered(source, request);
    expect(await timeIn((await renderer.rendered(source, request)).frames[0])).toBe(5);
  });

  it('simultaneous renderings in two browsers do not affect each other', async () => {
    const source = painted('setInterval(() => show(performance.now()), 5)');
    const all = await Promise.all([1, 2].map(() => renderer.rendered(source, { markers: [1_000] })));
    for (const { frames } of all) expect(Math.abs((await timeIn(frames[0])) - 1_000)).toBeLessThan(NEAR_MS);
  });
});
