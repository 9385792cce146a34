import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreativeFrame } from '../../../../src/capture/creative/creative.ts';
import { colourAt, startTestRenderer, type TestRenderer, tag } from '../../../support/testRenderer.ts';
import { NEAR_MS, painted, paintTime, STAGE, size, testMarkerMatrices, timeIn } from './markerMatrices.ts';

let renderer: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
});
afterAll(() => renderer.close());

testMarkerMatrices('test', () => renderer);

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
    const source = tag(`${STAGE}</div><script>
const addStrip = () => {
  const strip = document.createElement('div');
  strip.style = 'position:relative;float:left;width:${width}px;height:250px';
  return document.querySelector('#d').appendChild(strip);
};
const showIn = (strip) => (ms) => { ${paintTime('strip')} };
${strips.join('\n')}</script>`);
    // A pass with a marker after 5 s does not look at each frame.
    const markers = [0, 40, 1_000, 2_500, 5_678];
    ({ frames } = await renderer.rendered(source, { size, markers }));
  });

  it.each(DRIVERS.map(([name], index) => [name, index] as const))(
    'a creative driven by %s shows the time of each marker',
    async (_, index) => {
      expect(frames).toHaveLength(5);
      for (const frame of frames) {
        const shown = await timeIn(frame, { x: (index + 0.5) * width, y: 125 });
        const off = Math.abs(shown - (frame.markerMs ?? 0));
        expect(off, `${frame.markerMs}: ${shown}`).toBeLessThan(NEAR_MS);
      }
    },
  );

  it('a CSS animation shows the time of each marker', async () => {
    const style =
      '<style>#d{animation:t 25.5s linear}@keyframes t{from{background:rgb(0,0,0)}to{background:rgb(255,0,0)}}</style>';
    const { frames } = await renderer.rendered(tag(`${style}${STAGE}`), { size, markers: [0, 1_000, 6_000] });
    const reds = await Promise.all(frames.map(async (frame) => (await colourAt(frame))[0] ?? 0));
    for (const [index, red] of [0, 10, 60].entries())
      expect(Math.abs((reds[index] ?? 0) - red), String(reds)).toBeLessThanOrEqual(1);
  });

  it('a frame of another origin shows the time of each marker', async () => {
    renderer.put('/clock', {
      type: 'text/html',
      body: `<body style="margin:0">${STAGE}</div><script>setInterval(() => { const ms = Math.round(performance.now()); d.style.background = 'rgb(0,' + (ms >> 8) + ',' + (ms & 255) + ')'; }, 5)</script>`,
    });
    const frame = `<iframe src="${renderer.base}/clock" width="300" height="250" style="border:0"></iframe>`;
    const { frames } = await renderer.rendered(tag(frame), { size, markers: [500, 2_000] });
    for (const shown of frames) expect(Math.abs((await timeIn(shown)) - (shown.markerMs ?? 0))).toBeLessThan(NEAR_MS);
  });
});

describe('the clock of a new document', () => {
  const startDocument = `<!doctype html><meta name="ad.size" content="width=300,height=250"><body style="margin:0">${STAGE}</div>
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
    const { frames, mode } = await renderer.rendered(source, { size, markers: [100] });
    expect(mode).toBe('stepped');
    expect(await colourAt(frames[0])).toEqual([0, 200, 0]);
  });
});

describe('two renderings of a creative', () => {
  it('two renderings of a creative share no storage and no cookies', async () => {
    const source = painted(
      'show((Number(localStorage.n) || 0) + 5); localStorage.n = 100; document.cookie = "n=1"; if (document.cookie.length > 3) show(200)',
    );
    const request = { size, markers: [0] };
    await renderer.rendered(source, request);
    expect(await timeIn((await renderer.rendered(source, request)).frames[0])).toBe(5);
  });
});
