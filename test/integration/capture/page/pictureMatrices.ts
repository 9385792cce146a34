import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import type { Picture } from '../../../../src/capture/page/page.ts';
import { rowsOf, type Tier } from '../../../support/tiers.ts';
import { codes, contains, PHONE, type Pictures, SLOT, STORY } from './pictures.ts';
import { adIn, device, placed } from './sites.ts';

/** Compares small copies, because the browser resamples a scaled ad. */
export async function showsScaled(picture: Picture, png: Buffer): Promise<void> {
  const { width, height } = picture.adBox;
  expect(width).toBeLessThanOrEqual(picture.width);
  const whole = await sharp(png).metadata();
  // Whole pixels.
  expect(Math.abs(height - (width * whole.height) / whole.width)).toBeLessThan(2);
  const small = (image: Sharp) => image.resize(9, 7, { fit: 'fill' }).removeAlpha().raw().toBuffer();
  const shown = await small(sharp(await adIn(picture), { raw: { width, height, channels: 3 } }));
  const expected = await small(sharp(png));
  for (const [at, value] of shown.entries()) expect(Math.abs(value - (expected[at] ?? 0))).toBeLessThan(12);
}

/** An ad of the page in a color that the picture is searched for. {@link putOtherAd} serves its frame. */
export const OTHER_AD = `<div class="ad-slot" id="div-gpt-ad-other" style="width:300px;height:250px;margin:auto"><iframe src="/pagead/ads?slot=1" width="300" height="250" style="border:0"></iframe></div>`;

export function putOtherAd({ sites }: Pictures): void {
  sites.put('/pagead/ads', '<!doctype html><body style="margin:0;height:250px;background:#123">');
}

export const slotOf = (width: number, height: number) =>
  `<div class="ad-slot" id="div-gpt-ad-1" style="width:${width}px;height:${height}px;margin:auto"></div>`;

/** @param pictures started by the file that calls this. */
export function testPictureMatrices(tier: Tier, pictures: () => Pictures): void {
  const wholeAd: Pictures['wholeAd'] = (...args) => pictures().wholeAd(...args);

  const DEVICES = [['desktop'], ['Apple iPhone 6']] as const;

  test.each(rowsOf(tier, DEVICES, ['Apple iPhone 6']))(
    'a picture of the whole page contains the ad below the first screen on %s',
    async (name) => {
      const long = `${PHONE}${STORY.repeat(6)}${SLOT}${STORY.repeat(4)}`;
      const picture = await wholeAd(long, name, { fullPage: true });
      const { height } = device(name).viewport;
      expect(picture.height).toBeGreaterThan(height * device(name).ratio);
      expect(picture.adBox.y).toBeGreaterThan(height * device(name).ratio * 0.5);
    },
  );

  const body = `${PHONE}${STORY}<div id="div-gpt-ad-mine" style="width:300px;height:250px;margin:auto"></div><p>A line.</p>${OTHER_AD}${STORY}`;
  const mine = { selector: '#div-gpt-ad-mine' };

  test.each(rowsOf(tier, DEVICES, ['desktop']))(
    'other ads are shown beside the ad if they are kept, on %s',
    async (name) => {
      putOtherAd(pictures());
      expect(await contains(await wholeAd(body, name, { slot: mine, otherAds: 'keep' }))).toBe(true);
      expect(await contains(await wholeAd(body, name, { slot: mine }))).toBe(false);
    },
  );

  const PAGES = [
    ['made for phones', PHONE],
    ['laid out for desktops', ''],
  ] as const;

  test.each(rowsOf(tier, PAGES, ['laid out for desktops']))(
    'a scaled ad is whole on a phone, in a page %s',
    async (_what, meta) => {
      const { result, png } = await pictures().take(`${meta}${STORY}${slotOf(300, 250)}${STORY}`, 'Apple iPhone 6', {
        size: [360, 300],
        allowScaling: true,
      });
      placed(result);
      expect(codes(result)).toContain('scaled');
      await showsScaled(result, png);
    },
  );
}
