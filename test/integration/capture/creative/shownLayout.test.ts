/** The sizes of documents by what they show. One page of a browser opens them all, because a whole rendering takes a second. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BrowserProcess, startBrowser } from '../../../../src/capture/browser/browserProcess.ts';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import type { Size } from '../../../../src/capture/creative/creative.ts';
import { checkedAgainstLayout, contradicts, sizeOfLayout } from '../../../../src/capture/creative/decideSize.ts';
import { PROBE_VIEWPORT } from '../../../../src/capture/creative/measure.ts';
import { readShownLayout } from '../../../../src/capture/creative/shownLayout.ts';
import { AD, page as document, fluid, stage } from './sizedPages.ts';

const NO_CLAIMS = { declared: [], hints: [], expands: false };

let browser: BrowserProcess;
let page: Page;
beforeAll(async () => {
  browser = await startBrowser({ chromiumPath: findChromium(process.env['CHROMIUM_PATH']) }, { flags: [] });
  page = await browser.openPage({}, async (opened) => opened.page);
});
afterAll(() => browser.close());

async function layoutIn(viewport: Size, html: string) {
  await page.setViewportSize(viewport);
  await page.setContent(html);
  return page.evaluate(readShownLayout);
}

it.each([
  ['a stage centered by margins', stage(300, 600, 'margin:0 auto'), AD],
  [
    'a stage centered by a transform',
    stage(300, 600, 'position:absolute;left:50%;top:50%;transform:translate(-50%,-50%)'),
    AD,
  ],
  ['a stage with a border of one pixel', stage(300, 600, 'border:1px solid #fff'), AD],
  ['a stage on a colored body', `${stage(300, 600)}body{background:#ddd}`, AD],
  [
    'a stage with sprites beside the stage',
    `${stage(300, 600)}#strip{position:absolute;width:1200px;height:900px;background:red}`,
    '<div id="ad"><div id="strip"></div></div>',
  ],
  ['a stage with a clip path', '#ad{width:500px;height:900px;background:red;clip-path:inset(0 200px 300px 0)}', AD],
  [
    'a stage whose layers are not visible yet',
    `${stage(300, 600, 'background:none')}#layer{width:300px;height:600px;opacity:0;background:red}#cta{width:9px;height:9px;background:red}`,
    '<div id="ad"><div id="cta"></div><div id="layer"></div></div>',
  ],
  [
    'a stage in a shadow root',
    '',
    `<x-ad></x-ad><script>document.querySelector('x-ad').attachShadow({mode:'open'}).innerHTML='<div style="width:300px;height:600px;overflow:hidden;background:red"></div>'</script>`,
  ],
])('%s is shown at its own size', async (_, style, body) => {
  const decision = sizeOfLayout(await layoutIn(PROBE_VIEWPORT, document(style, body)), NO_CLAIMS);
  expect(decision).toMatchObject({ size: { width: 300, height: 600 }, warnings: [] });
});

it('a body with a size of its own is the stage, however wide it is', async () => {
  const style = 'body{width:970px;height:90px;margin:0 auto!important;overflow:hidden;background:#123456}';
  const decision = sizeOfLayout(await layoutIn(PROBE_VIEWPORT, document(style, 'x')), NO_CLAIMS);
  expect(decision).toMatchObject({ size: { width: 970, height: 90 }, warnings: [] });
});

it('an ad that fills any frame fills the frame of the probe', async () => {
  expect(await layoutIn(PROBE_VIEWPORT, document(fluid, AD))).toMatchObject({ filled: true, roots: [] });
});

it.each([
  ['swapped', 600, 300],
  ['copied from a smaller ad', 300, 250],
  ['copied from a larger ad', 970, 250],
  ['copied from an ad of the same height', 160, 600],
])('a declared size that is %s loses against the stage, with a warning', async (_, width, height) => {
  const html = document(stage(300, 600), AD);
  expect(contradicts(await layoutIn({ width, height }, html))).toBe(true);
  const declared = { size: { width, height }, from: 'the ad.size meta element' };
  expect(checkedAgainstLayout(declared, await layoutIn(PROBE_VIEWPORT, html), NO_CLAIMS)).toMatchObject({
    size: { width: 300, height: 600 },
    warnings: [{ code: 'size_conflict' }],
  });
});

it('a declared size holds if the parts of the ad are smaller than it', async () => {
  const body = '<div style="width:250px;height:250px;background:red"></div>';
  const declared = { size: { width: 300, height: 600 }, from: 'the ad.size meta element' };
  const layout = await layoutIn(PROBE_VIEWPORT, document('body{background:#ddd}', body));
  expect(checkedAgainstLayout(declared, layout, NO_CLAIMS)).toMatchObject({ size: declared.size, warnings: [] });
});
