/** Pages that do not begin at their top left corner, or do not scroll like others. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pictures, SLOT, STORY, startPictures } from './pictures.ts';
import { ARTICLE, style, testScrollingMatrices } from './scrollingMatrices.ts';

let pictures: Pictures;
const wholeAd: Pictures['wholeAd'] = (...args) => pictures.wholeAd(...args);

beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testScrollingMatrices('test', () => pictures);

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
