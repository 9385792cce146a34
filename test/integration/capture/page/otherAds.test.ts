/** Ads that came with the page, or that the publisher serves. Their requests look like those of the page. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contains, type Pictures, STORY, startPictures } from './pictures.ts';

let pictures: Pictures;

beforeAll(async () => {
  pictures = await startPictures();
  pictures.sites.put('/partner', '<!doctype html><body style="margin:0;height:250px;background:#123">');
});
afterAll(() => pictures.close());

const slot = (id: string, ad: string) =>
  `<div id="div-gpt-ad-${id}" style="width:300px;height:250px;margin:auto">${ad}</div>`;
const fill = 'width:300px;height:250px;border:0;background:#123';
const IMAGE = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='300' height='250'/>";

test.each([
  ['in a frame of the site', `<iframe src="/partner" style="${fill}"></iframe>`],
  ['in a frame with its own text', `<iframe srcdoc="<body style='background:#123'>" style="${fill}"></iframe>`],
  ['that is an image with a link', `<a href="https://brand.example/"><img src="${IMAGE}" style="${fill}"></a>`],
])('the picture shows the ad of a competitor %s only if other ads are kept', async (_what, ad) => {
  const body = `<p>A line.</p>${slot('mine', '')}<p>A line.</p>${slot('other', ad)}${STORY}`;
  const mine = { slot: { selector: '#div-gpt-ad-mine' } };
  expect(await contains(await pictures.wholeAd(body, 'desktop', { ...mine, otherAds: 'keep' }))).toBe(true);
  expect(await contains(await pictures.wholeAd(body, 'desktop', mine))).toBe(false);
});

test.each([
  ['a frame', `<iframe id="google_ads_iframe_1" src="/partner" style="${fill}"></iframe>`],
  ['an image with a link', slot('only', `<a href="https://brand.example/"><img src="${IMAGE}" style="${fill}"></a>`)],
])('the ad takes the place of %s that shows another', async (_what, ad) => {
  expect(await contains(await pictures.wholeAd(`${STORY}${ad}${STORY}`, 'desktop'))).toBe(false);
});

const teaser = `<a href="https://brand.example/"><img src="${IMAGE}" style="${fill};width:410px;height:170px"></a>`;

test.each([
  ['outside of the slots', teaser],
  ['in a widget of recommendations', `<div class="OUTBRAIN" data-widget-id="AR_1">${teaser}<p>A story</p></div>`],
])('an image with a link %s stays', async (_what, image) => {
  expect(await contains(await pictures.wholeAd(`${image}${slot('mine', '')}${STORY}`, 'desktop'))).toBe(true);
});
