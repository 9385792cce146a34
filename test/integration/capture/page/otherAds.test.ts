/** Ads that came with the page, or that the publisher serves. Their requests look like those of the page. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FILL, IMAGE, putPartner, slot, testOtherAds } from './otherAdsMatrices.ts';
import { contains, type Pictures, STORY, startPictures } from './pictures.ts';

let pictures: Pictures;

beforeAll(async () => {
  pictures = await startPictures();
  putPartner(pictures);
});
afterAll(() => pictures.close());

testOtherAds('test', () => pictures);

test.each([
  ['a frame', `<iframe id="google_ads_iframe_1" src="/partner" style="${FILL}"></iframe>`],
  ['an image with a link', slot('only', `<a href="https://brand.example/"><img src="${IMAGE}" style="${FILL}"></a>`)],
])('the ad takes the place of %s that shows another', async (_what, ad) => {
  expect(await contains(await pictures.wholeAd(`${STORY}${ad}${STORY}`, 'desktop'))).toBe(false);
});

const teaser = `<a href="https://brand.example/"><img src="${IMAGE}" style="${FILL};width:410px;height:170px"></a>`;

test.each([
  ['outside of the slots', teaser],
  ['in a widget of recommendations', `<div class="OUTBRAIN" data-widget-id="AR_1">${teaser}<p>A story</p></div>`],
])('an image with a link %s stays', async (_what, image) => {
  expect(await contains(await pictures.wholeAd(`${image}${slot('mine', '')}${STORY}`, 'desktop'))).toBe(true);
});
