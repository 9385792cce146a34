/** Pages that do not begin at their top left corner, or do not scroll like others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PHONE, type Pictures, SLOT, STORY, startPictures } from './pictures.ts';

let pictures: Pictures;
const wholeAd: Pictures['wholeAd'] = (...args) => pictures.wholeAd(...args);

beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

const style = (rules: string) => `${PHONE}<style>${rules}</style>`;
/** Something left of the screen. */
const BESIDE = '<div style="position:absolute;top:0;right:100%;width:400px;height:200px;background:#cc8">A menu</div>';
const ARTICLE = `${STORY}${SLOT}${STORY}${BESIDE}`;
const sections = (height: string) =>
  [STORY, `${STORY.repeat(2)}${SLOT}`, STORY].map((part) => `<section style="height:${height}">${part}</section>`);
const SKIPPED = Array.from(
  { length: 8 },
  (_, index) => `<section>${STORY.repeat(2)}${index === 5 ? SLOT : ''}</section>`,
);

test.each([
  ['right to left, with content left of the screen', style('html { direction: rtl }') + ARTICLE],
  ['right to left, cut at its sides', style('html { direction: rtl; overflow-x: hidden }') + ARTICLE],
  ['with the direction of its body', style('body { direction: rtl }') + ARTICLE],
  [
    'vertical from right to left',
    style('html { writing-mode: vertical-rl }') + STORY.repeat(6) + SLOT + STORY.repeat(6),
  ],
  [
    'vertical from left to right',
    style('html { writing-mode: vertical-lr }') + STORY.repeat(6) + SLOT + STORY.repeat(6),
  ],
  [
    'that snaps to sections which are higher than the screen',
    style('html { scroll-snap-type: y mandatory } section { scroll-snap-align: start }') + sections('120vh').join(''),
  ],
  [
    'that snaps to sections of the screen',
    style('html { scroll-snap-type: y mandatory } section { scroll-snap-align: start }') + sections('100vh').join(''),
  ],
])('an ad is placed on a page %s', async (_what, body) => {
  await wholeAd(body, 'desktop');
});

test('an ad is placed on a phone that shows the end of a page from right to left', async () => {
  await wholeAd(style('html { direction: rtl }') + ARTICLE, 'mobile');
});

test.each([
  ['right to left', style('html { direction: rtl }') + ARTICLE],
  ['vertical', style('html { writing-mode: vertical-rl }') + STORY.repeat(6) + SLOT + STORY.repeat(6)],
  [
    'with parts that the browser skips off screen',
    style('section { content-visibility: auto; contain-intrinsic-size: auto 100px }') + SKIPPED.join(''),
  ],
])('a picture of a whole page %s has the ad in its slot', async (_what, body) => {
  const { adBox, chosen, width, height } = await wholeAd(body, 'desktop', { fullPage: true });
  expect(width * height).toBeGreaterThan(1440 * 900);
  expect(adBox.x).toBeGreaterThanOrEqual(chosen.box.x);
  expect(adBox.x + adBox.width).toBeLessThanOrEqual(chosen.box.x + chosen.box.width);
  expect(adBox.y).toBeGreaterThanOrEqual(chosen.box.y);
});

test('on a page from right to left that has no slot for the ad, the slots are where the picture of the page shows them', async () => {
  const body = style('html { direction: rtl }') + ARTICLE;
  const { chosen } = await wholeAd(body, 'desktop', { fullPage: true });
  const { result } = await pictures.take(body, 'desktop', { size: [900, 900] });
  expect(result).toMatchObject({ status: 'no_slots', candidates: [{ element: chosen.element, box: chosen.box }] });
});

test('a picture of a whole page that scrolls in a container says what it does not show', async () => {
  const body = `${style('body { height: 100vh; overflow: hidden } main { height: 100vh; overflow: auto }')}<main>${STORY.repeat(6)}${SLOT}${STORY.repeat(6)}</main>`;
  const message = 'The page scrolls inside main. The picture shows the part around the ad, not the whole page.';
  expect((await wholeAd(body, 'desktop', { fullPage: true })).warnings).toEqual([{ code: 'page_changed', message }]);
  expect((await wholeAd(body, 'desktop')).warnings).toEqual([]);
});
