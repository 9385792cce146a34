import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGuard } from '../../../../src/egress/guard.ts';
import { startEgressProxy } from '../../../../src/egress/proxy.ts';
import { OTHER_AD, putOtherAd, showsScaled, slotOf, testPictureMatrices } from './pictureMatrices.ts';
import {
  codes,
  contains,
  PHONE,
  type PicturedPage,
  type Pictures,
  SLOT,
  SMALL_PHONE,
  STORY,
  startPictures,
} from './pictures.ts';
import { placed } from './sites.ts';

let pictures: Pictures;
const take: Pictures['take'] = (...args) => pictures.take(...args);
const wholeAd: Pictures['wholeAd'] = (...args) => pictures.wholeAd(...args);

beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testPictureMatrices('test', () => pictures);

/** One open page shows all that a request may choose, because each page takes a second. */
describe('the slot that a request chooses', () => {
  const box = (id: string) => `<div class="ad" id="${id}" style="width:300px;height:250px"></div>`;
  const parts = [
    box('first'),
    box('second'),
    '<div id="mine" style="width:320px;height:260px;background:#ddd"></div>',
    '<div class="ad" id="rail" style="width:160px;height:200px"></div>',
  ];
  let page: PicturedPage;

  beforeAll(async () => {
    const body = `${PHONE}${parts.map((part) => STORY + part).join('')}${STORY}<div id="away" style="display:none"></div>`;
    page = await pictures.open(body, SMALL_PHONE);
  });
  afterAll(() => page.close());

  test('a selector chooses its element, whatever its score', async () => {
    const picture = await page.wholeAd({ slot: { selector: '#mine' } });
    expect(picture.chosen.element).toBe('#mine');
    expect(codes(picture)).not.toContain('outside_slot');
  });

  test.each([
    ['#nothing', 'The selector #nothing matches no element of the page.'],
    ['div[', 'The selector div[ is not valid'],
    ['#away', 'The element of the selector #away is hidden on this device.'],
  ])('the selector %s fails with a reason', async (selector, reason) => {
    const { result } = await page.take({ slot: { selector } });
    expect(result).toMatchObject({ status: 'no_slots', reason: expect.stringContaining(reason) });
  });

  test('an index counts the candidates in the order of the record', async () => {
    const picture = await page.wholeAd({ slot: { index: 2 } });
    expect(picture.chosen.element).toBe(picture.candidates[1]?.element);
    const { result } = await page.take({ slot: { index: 9 } });
    expect(result).toMatchObject({ status: 'no_slots', reason: expect.stringContaining('so there is no slot 9') });
  });

  test('a format considers only its own slots, and the page says which ones it has', async () => {
    expect((await page.wholeAd({ slot: { format: 'display' } })).chosen.element).toBe('#first');
    const { result } = await page.take({ slot: { format: 'rail' } });
    const reason = 'The page has no slot of the format rail. It has slots of these formats: display (3).';
    expect(result).toMatchObject({ status: 'no_slots', reason });
  });

  test('a slot that was chosen although it cannot hold the ad gives a warning', async () => {
    expect((await page.wholeAd({ slot: { selector: '#rail' } })).warnings).toContainEqual({
      code: 'outside_slot',
      message: 'The chosen slot #rail cannot hold the ad: 300×250 goes in only at 53 %.',
    });
  });
});

describe('options of the request', () => {
  describe('other ads', () => {
    test('the ad replaces another ad that is kept', async () => {
      putOtherAd(pictures);
      const picture = await wholeAd(`${PHONE}${STORY}${OTHER_AD}${STORY}`, SMALL_PHONE, { otherAds: 'keep' });
      expect(await contains(picture)).toBe(false);
    });
  });

  test('other ads that are kept load only through the guard', async () => {
    const proxy = await startEgressProxy({ guard: createGuard({ allow: ['127.0.0.0/8'] }) });
    const guarded = await startPictures({ proxyUrl: proxy.url });
    const frame = (url: string) => `<div class="ad"><iframe src="${url}" width="300" height="250"></iframe></div>`;
    putOtherAd(guarded);
    const body = `${PHONE}${SLOT}${STORY.slice(0, 90)}${frame('http://10.0.0.1/pagead/ads')}${frame('/pagead/ads')}${STORY}`;
    const picture = await guarded.wholeAd(body, 'desktop', { otherAds: 'keep', slot: { selector: '#div-gpt-ad-1' } });
    expect(await contains(picture)).toBe(true);
    expect(proxy.failures.map(({ host }) => host)).toEqual(['10.0.0.1']);
    await guarded.close();
    await proxy.close();
  });

  describe('scaling', () => {
    test('an ad that is wider than the phone is whole in a page that the phone shows smaller', async () => {
      const body = `${STORY}${slotOf(728, 90)}${STORY}`;
      const { result, png } = await take(body, 'Apple iPhone 6', { size: [728, 90], allowScaling: true });
      placed(result);
      expect(codes(result)).toContain('scaled');
      expect(result.scale).toBeCloseTo(375 / 728, 2);
      await showsScaled(result, png);
    });
  });

  test('a picture of the whole page shows the ad at its own size, without a viewport for phones', async () => {
    const picture = await wholeAd(`${STORY.repeat(9)}${SLOT}${STORY.repeat(3)}`, 'Apple iPhone 6', { fullPage: true });
    expect(picture.width).toBe(980 * 2);
    expect(picture.adBox).toMatchObject({ width: 600, height: 500 });
  });
});
