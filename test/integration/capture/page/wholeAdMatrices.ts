import { expect, test } from 'vitest';
import { rowsOf, type Tier } from '../../../support/tiers.ts';
import { contains, PHONE, type Pictures, SLOT, SMALL_PHONE, STORY } from './pictures.ts';

/** Sticky parts of the page are drawn in one color, to recognize them in a picture. */
export const bar = (style: string, text = '') =>
  `<div id="bar" style="position:fixed;left:0;right:0;z-index:99;background:#123;color:#fff;${style}">${text}</div>`;

export const slotWithSpace = (style: string) =>
  `<div class="gpt ad-slot" style="width:300px;height:250px;${style}"></div>`;

/** @param pictures started by the file that calls this. */
export function testWholeAdMatrices(tier: Tier, pictures: () => Pictures): void {
  const wholeAd: Pictures['wholeAd'] = (...args) => pictures().wholeAd(...args);

  const wide = '<div class="ad-slot" style="width:728px;height:250px;text-align:center;background:#eee"></div>';
  const WIDE = [
    ['reaches beyond the screen', `${PHONE}${STORY}${wide}${STORY}`],
    ['is cut off by the page', `${PHONE}<div style="overflow:hidden;width:100%">${STORY}${wide}${STORY}</div>`],
    ['is in a page that is laid out for desktops', `${STORY}${wide}${STORY}`],
  ] as const;

  test.each(rowsOf(tier, WIDE, ['is cut off by the page']))(
    'a slot that %s shows the whole ad at its own size',
    async (_what, body) => {
      const picture = await wholeAd(body, 'Apple iPhone 6');
      expect(picture.adBox).toMatchObject({ width: 600, height: 500 });
    },
  );

  const INVISIBLE = [
    ['is hidden itself', slotWithSpace('visibility:hidden')],
    ['is transparent', slotWithSpace('opacity:0')],
    ['is in a hidden box', `<div style="visibility:hidden"><i>Advertisement</i>${slotWithSpace('')}</div>`],
  ] as const;

  test.each(rowsOf(tier, INVISIBLE, ['is in a hidden box']))(
    'a slot that %s shows the whole ad',
    async (_what, body) => {
      await wholeAd(`${PHONE}${STORY}${body}${STORY}`, SMALL_PHONE);
    },
  );

  const COVERS = [
    ['a paywall sheet', bar('bottom:0;height:70%', 'Subscribe to read this story'), 'A subscription notice (#bar)'],
    ['a cookie bar', bar('bottom:0;height:80px', 'Wir verwenden Cookies.'), 'A consent dialog (#bar)'],
    ['an app banner', bar('top:0;height:60px', 'Get our app'), 'An app banner (#bar)'],
    [
      'a newsletter pop-up in a corner',
      bar('bottom:0;left:60%;height:120px', 'Abonnez-vous à la newsletter'),
      '(#bar)',
    ],
    ['an adblock wall', bar('top:0;bottom:0', 'Please turn off your ad blocker'), 'A notice about ad blockers (#bar)'],
    [
      'a consent dialog that stays',
      bar('top:0;bottom:0', 'We value your privacy and our cookies'),
      'A consent dialog (#bar)',
    ],
    ['a layer that clicks pass through', bar('top:0;bottom:0;opacity:0.5;pointer-events:none'), 'A layer (#bar)'],
    [
      'a pop-up that scrolls with the page',
      '<div style="position:absolute;top:0;left:0;width:100%;height:400px;background:#123;z-index:9" id="bar">Our newsletter</div>',
      'A newsletter pop-up (#bar)',
    ],
  ] as const;

  test.each(
    rowsOf(tier, COVERS, [
      'a paywall sheet',
      'a layer that clicks pass through',
      'a cookie bar',
      'a newsletter pop-up in a corner',
      'a pop-up that scrolls with the page',
    ]),
  )('%s is hidden with a warning', async (_what, cover, message) => {
    const locked = '<style>html,body{overflow:hidden;height:100%}</style>';
    const body = `${PHONE}${locked}${cover}${SLOT}${STORY.repeat(3)}`;
    const picture = await wholeAd(body, SMALL_PHONE);
    expect(picture.warnings).toContainEqual({ code: 'overlay_hidden', message: expect.stringContaining(message) });
    expect(await contains(picture)).toBe(false);
  });

  const HIDDEN = [['visibility:hidden'], ['opacity:0'], ['display:none']] as const;

  test.each(rowsOf(tier, HIDDEN, ['opacity:0']))(
    'a page is shown that a script would show which does not load: %s',
    async (style) => {
      const hidden = `<style id="at-body-style">body{${style} !important}</style>`;
      await wholeAd(`${PHONE}${hidden}${STORY}${SLOT}${STORY}`, SMALL_PHONE);
    },
  );
}
