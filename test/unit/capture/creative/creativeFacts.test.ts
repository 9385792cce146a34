import sharp from 'sharp';
import { expect, it } from 'vitest';
import { exitBy, whiteEdge } from '../../../../src/capture/creative/creativeFacts.ts';

const OWN = 'http://0123456789abcdef.creative.localhost/';
const SHOP = 'https://shop.example/a';

it.each([
  ['the value of clickTag', 'https://clicktag.example/landing', '', 'click_tag'],
  ['a redirect to clickTag', 'https://ads.example/?to=https%3A%2F%2Fclicktag.example%2Flanding', '', 'click_tag'],
  ['a macro', `${OWN}%7BCLICK_MACRO%7D`, '', 'click_tag'],
  ['a macro of Google', `${OWN}%%CLICK_URL_UNESC%%`, '', 'click_tag'],
  ['a literal that ad servers replace', SHOP, 'var clickTag = "https://shop.example/a";', 'click_tag'],
  ['a literal of an object', `${SHOP}?b=1`, `{ 'clickTAG': 'https://shop.example/a' }`, 'click_tag'],
  ['an address beside an unused clickTag', SHOP, 'var clickTag = "https://other.example/";', 'hard_coded'],
  ['a file of the ad', `${OWN}_blank`, '', 'hard_coded'],
])('the exit by %s is recognized', (_, address, code, by) => {
  expect(exitBy(address, [code], [`${OWN}index.html`])).toBe(by);
});

it.each([
  'https://s0.2mdn.net/ads/studio/Enabler.js',
  'https://s1.adform.net/banners/scripts/rmb/Adform.DHTML.js',
  `${OWN}mraid.js`,
])('%s opens the landing page itself', (library) => {
  expect(exitBy(SHOP, [''], [library])).toBe('library');
});

it.each([
  ['a transparent image on white', '#fff', 0, 1],
  ['an image with a gray border', '#fff', 1, 0],
  ['a dark image', '#123', 0, 0],
])('the edge of %s is measured', async (_, background, border, share) => {
  const ad = sharp({ create: { width: 20, height: 10, channels: 3, background } });
  const sides = { top: border, bottom: border, left: border, right: border };
  expect(
    await whiteEdge(
      await ad
        .extend({ ...sides, background: '#ccc' })
        .png()
        .toBuffer(),
    ),
  ).toBe(share);
});
