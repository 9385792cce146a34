import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_OPTIONS } from '../../../../src/domain/screenshotOptions.ts';
import type { AppliedRule } from '../../../../src/domain/siteRules.ts';
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
import { ad, device, placed, readyPage } from './sites.ts';

let pictures: Pictures;
const take: Pictures['take'] = (...args) => pictures.take(...args);
const wholeAd: Pictures['wholeAd'] = (...args) => pictures.wholeAd(...args);

beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testPictureMatrices('test', () => pictures);

/** The styles move and hide what is over a page. After the first time, the script removes elements that others insert. */
const HOSTILE = `<style>
    html { transform: translateY(40px); zoom: 1.5; }
    html > div, [popover], div:empty { display: none !important; opacity: 0 !important; transform: scale(0) !important; }
    * { transition: all 9s !important; }
    ::backdrop { background: #000 !important; }
  </style>
  <script>
    let inserted = 0;
    new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes) if (node.nodeType === 1 && ++inserted > 1) node.remove();
    }).observe(document, { childList: true, subtree: true });
  </script>`;

const MASTHEAD = '<header style="height:9px;background:#123"></header>';

describe('a unit that the request asks for and the page does not declare', () => {
  let page: PicturedPage;

  beforeAll(async () => {
    page = await pictures.open(`${PHONE}${MASTHEAD}${STORY}${STORY}${HOSTILE}`, SMALL_PHONE);
  });
  afterAll(() => page.close());

  test('an anchor is drawn at the lower edge of the screen, whatever the page does, and is removed again', async () => {
    const picture = await page.wholeAd({ size: [320, 50], slot: { format: 'anchor' } });
    expect(picture.chosen).toMatchObject({ kind: 'anchor', element: 'anchor drawn by Tearsheet' });
    expect(picture.adBox).toMatchObject({ x: 28, y: 667 - 50 });
    expect(await contains(picture)).toBe(true);
    expect(picture.warnings).toContainEqual({
      code: 'slot_drawn',
      message: 'The page shows no anchor, so Tearsheet drew this one over the page.',
    });
    const { result } = await page.take({ slot: { selector: '[data-drawn-unit]' } });
    expect(result).toMatchObject({ reason: expect.stringContaining('matches no element') });
  });

  test('an interstitial covers the screen, also where the whole page was asked for', async () => {
    const picture = await page.wholeAd({ slot: { format: 'interstitial' }, fullPage: true });
    expect([picture.width, picture.height]).toEqual([375, 667]);
    expect(picture.adBox.x).toBeGreaterThan(30);
    expect(picture.chosen.kind).toBe('interstitial');
  });

  test('an ad that is no such ad is refused', async () => {
    const { result } = await page.take({ slot: { format: 'anchor' } });
    const reason = /^The page shows no anchor, and one that Tearsheet draws cannot hold an ad of 300×250: /;
    expect(result).toMatchObject({ status: 'no_slots', reason: expect.stringMatching(reason) });
  });
});

const GPT_ANCHOR = `<script>window.googletag = { cmd: [] };
  googletag.cmd.push(() => googletag.defineOutOfPageSlot('/1/a', googletag.enums.OutOfPageFormat.BOTTOM_ANCHOR));</script>`;
const GOOGLE_ANCHOR = `<ins class="adsbygoogle adsbygoogle-noablate" data-anchor-status="displayed"
  style="display:block;position:fixed;bottom:0;width:100%;height:100px;background:#fafafa"></ins>`;
const CLOSED_ANCHOR = `<div style="display:none;position:fixed;bottom:0;left:0;width:100%;background:#fff">
  <button style="position:absolute;right:0" aria-label="close"></button><div id="sticky-ad"></div></div>`;
const EMPTY_ANCHOR = '<div id="site_adhesion" style="position:fixed;bottom:0;width:100%"></div>';

test.each([
  ['to Google Publisher Tag, without an element', GPT_ANCHOR, 50],
  ['as Google inserts it', GOOGLE_ANCHOR, 100],
  ['as an empty bar', EMPTY_ANCHOR, 50],
  ['as a bar that it hides until the ad comes', CLOSED_ANCHOR, 50],
])('an anchor that a page declares %s gets the ad', async (_how, anchor, height) => {
  const picture = await wholeAd(`${PHONE}${MASTHEAD}${STORY}${STORY}${anchor}`, SMALL_PHONE, { size: [320, 50] });
  expect(picture.chosen.kind).toBe('anchor');
  expect(picture.adBox.y).toBe(667 - height);
  expect(await contains(picture)).toBe(true);
  expect(codes(picture)).not.toContain('slot_drawn');
});

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

describe('site rules', () => {
  const rule = (id: string, parts: Partial<AppliedRule>): AppliedRule => ({
    ...{ id, host: '127.0.0.1', slots: [], hide: [], click: [], wait_for: [], cookies: [], headers: [] },
    ...parts,
  });
  const box = (id: string, size: string) => `<div class="ad" id="${id}" style="${size};background:#eee"></div>`;
  const slot = (selector: string) => ({ size: { width: 300, height: 250 }, selector });
  const open = async (body: string, rules: readonly AppliedRule[]) => {
    const url = pictures.sites.put('/rules', `<!doctype html><body style="margin:0">${PHONE}${body}`);
    return pictures.opener.open(url, device(SMALL_PHONE), { rules });
  };

  /** A wall whose button opens a story with a slot that comes later, and a bar that keeps itself on the screen. */
  const WALLED = `${STORY}${box('first', 'width:300px;height:250px')}${STORY}
    <div id="mine" style="width:320px;height:260px;background:#ddd"></div>${STORY}
    <div id="wall" style="position:fixed;inset:0;background:#fff">
      <button hidden class="close">Close</button><button class="close">Close</button></div>
    <div class="bar" style="position:fixed;bottom:0;height:90px;width:100%;background:#123;display:block !important"></div>
    <script>document.querySelectorAll('.close')[1].onclick = () => {
      document.querySelector('#wall').remove();
      document.querySelector('#mine').insertAdjacentHTML('beforebegin',
        '<div class="bar" style="height:60px;background:#123"></div>');
      setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p id="late">Late</p>'); }, 900);
    };</script>`;

  test('rules hide, click and wait, and the slot of the most specific one takes the ad', async () => {
    const page = await open(WALLED, [
      rule('own', { slots: [slot('#mine')], click: ['.close'], wait_for: ['#late'] }),
      rule('general', {
        slots: [slot('#first')],
        hide: ['.bar', '#gone', 'p:has(:has(a))', 'body', ':is(.bar', '.bar /*'],
        click: ['#none'],
      }),
    ]);
    readyPage(page);
    const picture = await page.place(await ad(300, 250, 1));
    placed(picture);
    expect([picture.chosen.element, picture.slotReport]).toEqual([
      '#mine',
      { id: 'own', host: '127.0.0.1', effect: { part: 'slot', target: '#mine', found: 1, problem: null } },
    ]);
    expect(await contains(picture)).toBe(false);
    expect(page.ruleReports?.map(({ id, effects }) => [id, effects.map((one) => Object.values(one))])).toEqual([
      [
        'own',
        [
          ['click', '.close', 1, null],
          ['wait_for', '#late', 1, null],
        ],
      ],
      [
        'general',
        [
          ['hide', '.bar', 1, null],
          ['hide', '#gone', 0, 'It matches no element of the page.'],
          ['hide', 'p:has(:has(a))', 0, 'It is not valid CSS.'],
          ['hide', 'body', 1, 'It would hide the whole page.'],
          ['hide', ':is(.bar', 1, 'It is not valid CSS.'],
          ['hide', '.bar /*', 1, 'It is not valid CSS.'],
          ['click', '#none', 0, 'It matches no element of the page.'],
        ],
      ],
    ]);
    const failed = picture.warnings.filter(({ code }) => code === 'site_rule_failed');
    expect(failed).toHaveLength(6);
    expect(failed[0]?.message).toBe('Site rule general (127.0.0.1), hide #gone: It matches no element of the page.');
    const chosen = await page.place(await ad(300, 250, 1), { ...DEFAULT_OPTIONS, slot: { selector: '#first' } });
    placed(chosen);
    expect([chosen.chosen.element, chosen.slotReport]).toEqual(['#first', undefined]);
    expect(await page.slotOfRule?.({ width: 300, height: 250 })).toMatchObject({ index: -1, report: { id: 'own' } });
    await page.close();
  });

  test('if the slot of a rule is gone, the score decides and a warning says why', async () => {
    const many = '<i></i>'.repeat(501);
    const page = await open(`${STORY}${box('first', 'width:300px;height:250px')}${STORY}${many}`, [
      rule('gone', { slots: [slot('#gone')], hide: ['i'] }),
    ]);
    readyPage(page);
    const picture = await page.place(await ad(300, 250, 1));
    placed(picture);
    expect([picture.chosen.element, picture.slotReport?.effect]).toEqual([
      '#first',
      { part: 'slot', target: '#gone', found: 0, problem: expect.stringContaining('matches no element') },
    ]);
    expect(picture.warnings.map(({ message }) => message)).toEqual([
      'Site rule gone (127.0.0.1), hide i: It matches 501 elements, and a rule hides at most 500.',
      'Site rule gone (127.0.0.1), slot #gone: The selector #gone matches no element of the page. The score decided instead.',
    ]);
    expect(await page.slotOfRule?.({ width: 300, height: 250 })).toMatchObject({ report: { effect: { found: 0 } } });
    await page.close();
  });

  test('a click may open another page of the site, and one that leaves the site fails with the rule', async () => {
    pictures.sites.put('/story', `${PHONE}${STORY}${SLOT}`);
    const start = `<a id="on" href="/story">Go on</a><a id="away" target="_blank" href="${pictures.sites.other}/">Away</a><a id="lost" href="/lost">Lost</a>`;
    const inside = await open(start, [rule('on', { click: ['#on'] })]);
    readyPage(inside);
    expect([new URL(inside.finalUrl).pathname, inside.ruleReports?.[0]?.effects]).toMatchObject([
      '/story',
      [{ part: 'click', found: 1 }],
    ]);
    await inside.close();
    expect(await open(start, [rule('r-1', { click: ['#away'] })])).toMatchObject({
      status: 'generic_error',
      reason:
        'Site rule r-1 (127.0.0.1), click #away: it leads away from the site, to localhost. Change or delete the rule.',
      ruleReports: [{ id: 'r-1' }],
    });
    pictures.sites.put('/out', (_request, response) => {
      response.writeHead(302, { location: `${pictures.sites.other}/` }).end();
    });
    expect(await open('<a id="out" href="/out">Out</a>', [rule('r-3', { click: ['#out'] })])).toMatchObject({
      ...{ status: 'generic_error', reason: expect.stringContaining('click #out: it leads away from the site') },
    });
    pictures.sites.put('/lost', (_request, response) => void response.writeHead(404).end());
    expect(await open(start, [rule('r-2', { click: ['#lost'] })])).toMatchObject({
      ...{ status: 'not_found', reason: 'The site answered 404. A click of site rule r-2 (127.0.0.1) came before.' },
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
