import { expect, test } from 'vitest';
import { rowsOf, type Tier } from '../../../support/tiers.ts';
import { PHONE, type Pictures, SLOT, SMALL_PHONE, STORY } from './pictures.ts';

export const style = (rules: string) => `${PHONE}<style>${rules}</style>`;
/** Something left of the screen. */
const BESIDE = '<div style="position:absolute;top:0;right:100%;width:400px;height:200px;background:#cc8">A menu</div>';
export const ARTICLE = `${STORY}${SLOT}${STORY}${BESIDE}`;
const VERTICAL = STORY.repeat(6) + SLOT + STORY.repeat(6);
const sections = (height: string) =>
  [STORY, `${STORY.repeat(2)}${SLOT}`, STORY].map((part) => `<section style="height:${height}">${part}</section>`);
const snapping = (height: string) =>
  style('html { scroll-snap-type: y mandatory } section { scroll-snap-align: start }') + sections(height).join('');
const SKIPPED = Array.from(
  { length: 8 },
  (_, index) => `<section>${STORY.repeat(2)}${index === 5 ? SLOT : ''}</section>`,
);

const PAGES = [
  ['right to left, with content left of the screen', style('html { direction: rtl }') + ARTICLE],
  ['right to left, cut at its sides', style('html { direction: rtl; overflow-x: hidden }') + ARTICLE],
  ['with the direction of its body', style('body { direction: rtl }') + ARTICLE],
  ['vertical from right to left', style('html { writing-mode: vertical-rl }') + VERTICAL],
  ['vertical from left to right', style('html { writing-mode: vertical-lr }') + VERTICAL],
  ['that snaps to sections which are higher than the screen', snapping('120vh')],
  ['that snaps to sections of the screen', snapping('100vh')],
] as const;

const WHOLE = [
  ['right to left', style('html { direction: rtl }') + ARTICLE],
  ['vertical', style('html { writing-mode: vertical-rl }') + VERTICAL],
  [
    'with parts that the browser skips off screen',
    style('section { content-visibility: auto; contain-intrinsic-size: auto 100px }') + SKIPPED.join(''),
  ],
] as const;

/** @param pictures started by the file that calls this. */
export function testScrollingMatrices(tier: Tier, pictures: () => Pictures): void {
  test.each(
    rowsOf(tier, PAGES, [
      'right to left, with content left of the screen',
      'vertical from right to left',
      'that snaps to sections of the screen',
    ]),
  )('an ad is placed on a page %s', async (_what, body) => {
    await pictures().wholeAd(body, 'desktop');
  });

  const DEVICES = [['mobile'], [SMALL_PHONE]] as const;

  test.each(rowsOf(tier, DEVICES, [SMALL_PHONE]))(
    'an ad is placed on a phone that shows the end of a page from right to left: %s',
    async (name) => {
      await pictures().wholeAd(style('html { direction: rtl }') + ARTICLE, name);
    },
  );

  test.each(rowsOf(tier, WHOLE, ['right to left', 'with parts that the browser skips off screen']))(
    'a picture of a whole page %s has the ad in its slot',
    async (_what, body) => {
      const { adBox, chosen, width, height } = await pictures().wholeAd(body, 'desktop', { fullPage: true });
      expect(width * height).toBeGreaterThan(1440 * 900);
      expect(adBox.x).toBeGreaterThanOrEqual(chosen.box.x);
      expect(adBox.x + adBox.width).toBeLessThanOrEqual(chosen.box.x + chosen.box.width);
      expect(adBox.y).toBeGreaterThanOrEqual(chosen.box.y);
    },
  );
}
