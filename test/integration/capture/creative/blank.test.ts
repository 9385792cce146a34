/** Creatives that show nothing are never a success, and creatives that show something later are. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { colourAt, file, startTestRenderer, type TestRenderer } from '../../../support/testRenderer.ts';
import { zipOf } from '../../../support/zips.ts';

let renderer: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
});
afterAll(() => renderer.close());

const META = '<meta name="ad.size" content="width=300,height=250">';
const LIBRARY = '<script src="lib/gsap.min.js"></script>';
const page = (body: string, style = '') =>
  `<!doctype html><html><head>${META}<style>body{margin:0}#ad{width:300px;height:250px;overflow:hidden}${style}</style></head><body>${body}</body></html>`;
const render = async (html: string, markers: readonly (number | null)[] = [null]) =>
  renderer.render(file('ad.zip', await zipOf({ 'index.html': html })), { markers });

describe('an ad whose scripts did not load', () => {
  it.each([
    ['hides its parts until they run', page(`<div id="ad"><p style="opacity:0">Sale</p></div>${LIBRARY}`)],
    [
      'hides itself on a black page',
      page(`<div id="ad">Sale</div>${LIBRARY}`, '#ad{visibility:hidden}body{background:#000}'),
    ],
    ['draws on a canvas', page(`<canvas width="300" height="250"></canvas>${LIBRARY}`)],
    ['has no size', `<body><div id="ad"></div>${LIBRARY}`],
  ])('an ad that %s fails and its missing script is named', async (_, html) => {
    expect(await render(html, [0])).toEqual({
      status: 'generic_error',
      reason:
        'The creative shows nothing, because a script did not load: lib/gsap.min.js. Include the scripts in the creative, or make them reachable.',
    });
  });

  it('an ad that is visible without them is a success with a warning', async () => {
    const result = await render(page(`<div id="ad"></div>${LIBRARY}`, '#ad{background:#123456}'), [0]);
    expect(result).toMatchObject({ status: 'uploaded', warnings: [{ code: 'script_not_loaded' }] });
  });

  it('a white ad is not blamed on a script that only measures', async () => {
    const html = page(`<canvas width="300" height="250"></canvas><script src="http://127.0.0.1:9/gtag/js"></script>`);
    expect(await render(html, [0])).toMatchObject({
      status: 'uploaded',
      warnings: [],
      notes: expect.arrayContaining(['All frames are white.']),
    });
  });
});

it('an ad that fades in is a success at a marker at which it is still white', async () => {
  const html = page(
    '<div id="ad"></div>',
    '#ad{background:#123456;animation:in .5s 1s both}@keyframes in{from{opacity:0}}',
  );
  expect(await render(html, [0])).toMatchObject({ status: 'uploaded', width: 300, height: 250, warnings: [] });
});

describe('an ad with a preloader', () => {
  const spinner =
    '<style>@keyframes turn{to{transform:rotate(1turn)}}.spinner{width:40px;height:40px;border:4px solid #ccc;border-top-color:#111;border-radius:50%;animation:turn 1s infinite}</style>';

  it.each([[null], [1_000]])('an ad that shows nothing but its preloader fails at the marker %s', async (marker) => {
    const html = page(`<div id="ad"><div class="spinner"></div><p id="loading">Loading... 10 %</p></div>${spinner}`);
    expect(await render(html, [marker])).toMatchObject({
      status: 'generic_error',
      reason: expect.stringContaining('The creative shows only its preloader'),
    });
  });

  it('the default frame of an ad that loads for 17 s is its content', async () => {
    const html = page(
      `<div id="ad"><div class="spinner"></div></div>${spinner}<script>setTimeout(() => { ad.innerHTML = '<h1>Sale</h1>'; ad.style.background = '#123456'; }, 17_000)</script>`,
    );
    const result = await render(html);
    if (result.status !== 'uploaded') throw new Error(result.reason);
    expect(await colourAt(result.frames[0])).toEqual([0x12, 0x34, 0x56]);
  });
});
