import { expect, test } from 'vitest';
import { rowsOf, type Tier } from '../../../support/tiers.ts';
import { contains, type Pictures, STORY } from './pictures.ts';

export const slot = (id: string, ad: string) =>
  `<div id="div-gpt-ad-${id}" style="width:300px;height:250px;margin:auto">${ad}</div>`;
export const FILL = 'width:300px;height:250px;border:0;background:#123';
export const IMAGE = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='300' height='250'/>";

export function putPartner({ sites }: Pictures): void {
  sites.put('/partner', '<!doctype html><body style="margin:0;height:250px;background:#123">');
}

const OTHERS = [
  ['in a frame of the site', `<iframe src="/partner" style="${FILL}"></iframe>`],
  ['in a frame with its own text', `<iframe srcdoc="<body style='background:#123'>" style="${FILL}"></iframe>`],
  ['that is an image with a link', `<a href="https://brand.example/"><img src="${IMAGE}" style="${FILL}"></a>`],
] as const;

/** @param pictures started by the file that calls this. */
export function testOtherAds(tier: Tier, pictures: () => Pictures): void {
  test.each(rowsOf(tier, OTHERS, ['in a frame of the site', 'that is an image with a link']))(
    'the picture shows the ad of a competitor %s only if other ads are kept',
    async (_what, ad) => {
      const body = `<p>A line.</p>${slot('mine', '')}<p>A line.</p>${slot('other', ad)}${STORY}`;
      const mine = { slot: { selector: '#div-gpt-ad-mine' } };
      expect(await contains(await pictures().wholeAd(body, 'desktop', { ...mine, otherAds: 'keep' }))).toBe(true);
      expect(await contains(await pictures().wholeAd(body, 'desktop', mine))).toBe(false);
    },
  );
}
