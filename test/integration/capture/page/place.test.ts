/** Where in the page the ad stands, and what it does to the page around it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codes, contains, PHONE, type Pictures, SLOT, STORY, startPictures } from './pictures.ts';
import { testPlaceMatrices } from './placeMatrices.ts';
import { placed } from './sites.ts';

let pictures: Pictures;
const take: Pictures['take'] = (...args) => pictures.take(...args);
const wholeAd: Pictures['wholeAd'] = (...args) => pictures.wholeAd(...args);

beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testPlaceMatrices('test', () => pictures);

describe('an ad that would lie over content', () => {
  const beside = '<div style="float:left;width:100%;height:300px">The text beside the slot, which people read.</div>';

  test('in a slot with floated neighbors, the ad gets a row of its own', async () => {
    const body = `<div>${beside.replace('100%', '80%')}<div id="div-gpt-ad-b" class="ad-slot" style="position:absolute"></div></div>${STORY}`;
    const picture = await wholeAd(body, 'desktop');
    expect(picture.adBox.y).toBeGreaterThanOrEqual(300);
  });

  test('a slot in a box of a fixed height makes the box higher', async () => {
    const body = `${STORY}<div style="height:20px"><div id="div-gpt-ad-b" class="ad-slot"></div></div><h1>A headline below the box</h1>${STORY}`;
    await wholeAd(body, 'desktop');
  });

  test.each([
    ['its label', '<div style="position:absolute;inset:0;text-align:center">Advertisement</div>'],
    [
      'an image that is missing',
      '<img alt="" src="/none.jpg" style="position:absolute;inset:0;width:100%;height:100%">',
    ],
  ])('lies over %s', async (_what, above) => {
    const slot = '<div id="div-gpt-ad-1" class="ad-slot" style="height:250px"></div>';
    const box = `<div style="position:relative;width:300px">${above}${slot}</div>`;
    await wholeAd(`${STORY}${box}${STORY}`, 'desktop');
  });

  test('may lie in an anchor over the text, which comes out from under it', async () => {
    const anchor =
      '<div id="anchor" class="ad-anchor" data-sizes="[[320,50]]" style="position:fixed;bottom:0;width:100%"></div>';
    const picture = await wholeAd(`${PHONE}${STORY.repeat(4)}${anchor}`, 'mobile', { size: [320, 50] });
    expect(picture.chosen.element).toBe('#anchor');
  });

  test('an image that begins where the ad ends is not under it', async () => {
    const image = '<img alt="The Daily Ship" style="display:block;width:100%;height:40px">';
    const slot = (id: string) => `<div id="${id}" class="ad-slot"></div>`;
    const body = `<p style="margin:0">A story.</p>${slot('first')}${image}${STORY.repeat(4)}${slot('second')}`;
    expect((await wholeAd(body, 'desktop', { size: [728, 90] })).chosen.element).toBe('#first');
  });
});

test('on a phone, an ad in a slot that is wider than the screen does not move the page sideways', async () => {
  const picture = await wholeAd(
    `${STORY}<div id="div-1" class="ad-slot" style="width:1200px;height:250px"></div>${STORY}`,
    'Apple iPhone 6',
  );
  expect(picture.adBox.x).toBe(0);
});

test.each([
  ['the page can scroll', `<div style="height:10px"></div>${SLOT}`],
  ['the page would have to move down', `<div style="position:relative">${SLOT}</div>`],
])('the head of the site stays above the ad where %s', async (_what, slot) => {
  const head =
    '<header style="position:fixed;z-index:9;top:0;left:0;right:0;height:60px;background:#123">The Daily Ship</header>';
  const picture = await wholeAd(`${head}${slot}${STORY.repeat(6)}`, 'desktop');
  expect(await contains(picture)).toBe(true);
  expect(picture.adBox.y).toBeGreaterThanOrEqual(60);
  expect(codes(picture)).not.toContain('overlay_hidden');
});

test('with the masthead in view, the page is scrolled as little as the ad allows', async () => {
  const head = '<header style="height:80px;background:#123">The Daily Ship</header>';
  const middle = async (stories: number, view: 'slot' | 'masthead') => {
    const { adBox, height: screen } = await wholeAd(
      `${head}${STORY.repeat(stories)}${SLOT}${STORY.repeat(9)}`,
      'desktop',
      { view },
    );
    return (adBox.y + adBox.height / 2) / screen;
  };
  expect(await middle(12, 'slot')).toBeCloseTo(0.5, 1);
  expect(await middle(12, 'masthead')).toBeGreaterThan(0.8);
  expect(await middle(1, 'masthead')).toBe(await middle(1, 'slot'));
});

test('an ad takes the place of the placeholder beside its closed slot', async () => {
  const placeholder = '<div id="grey" style="height:250px;background:#eee">Advertisement</div>';
  const body = `${STORY}<div style="width:336px">${placeholder}<div id="div-gpt-ad-c" class="ad-slot"></div></div>${STORY}`;
  const { result } = await take(body, 'desktop');
  placed(result);
  const { result: alone } = await take(body.replace(placeholder, ''), 'desktop');
  placed(alone);
  expect(result.adBox.y).toBe(alone.adBox.y);
});

test('empty slots around the ad collapse if the page collapses slots that get no ad', async () => {
  const define = (id: string) => `googletag.defineSlot('/1/x', [300, 250], '${id}');`;
  const script = (more: string) =>
    `<script>window.googletag={cmd:[]};googletag.cmd.push(()=>{${define('one')}${define('two')}${more}})</script>`;
  const slots = '<div id="one" style="height:250px"></div><div id="two" style="height:250px"></div><p>Text</p>';
  const warnings = async (more: string) => codes(await wholeAd(`${script(more)}${slots}${STORY}`, 'desktop'));
  expect(await warnings('googletag.pubads().collapseEmptyDivs();')).toContain('page_changed');
  expect(await warnings('')).not.toContain('page_changed');
});

test('an ad in a closed container is in its center when it is open', async () => {
  const container = '<div style="height:0;overflow:hidden"><div class="ad-slot" data-ad-size="970x250"></div></div>';
  const { adBox } = await wholeAd(container + STORY, 'desktop', { size: [970, 250] });
  expect(adBox.x).toBe(235);
});

test('a bar that sticks beside the text is a part of the page, a fixed one is not', async () => {
  const side =
    '<div style="position:sticky;bottom:10px;width:300px"><div id="side" class="ad-slot" style="height:250px"></div></div>';
  const fixed =
    '<div style="position:fixed;bottom:0;left:0"><div id="bar" class="ad-slot" style="width:300px;height:250px"></div></div>';
  const picture = await wholeAd(`${PHONE}${STORY}${fixed}${side}${STORY}`, 'desktop');
  expect(picture.chosen.element).toBe('#side');
});

test('a high header that is fixed at the top is a part of the page', async () => {
  const slot = '<div class="ad-slot" id="top" style="width:970px;height:250px;margin:auto"></div>';
  const header = `<div style="position:fixed;top:0;left:0;width:100%;background:#fff">${slot}<nav>News</nav></div>`;
  const body = `${header}<div style="margin-top:320px">${STORY}</div>${STORY}`;
  expect((await wholeAd(body, 'desktop', { size: [970, 250] })).chosen.element).toBe('#top');
});

test('an ad at the edge of a wide slot has a warning that says so, and one in the middle has none', async () => {
  const uncertain = (picture: Parameters<typeof codes>[0]) =>
    picture.warnings.find(({ code }) => code === 'slot_uncertain')?.message;
  const wide = (side: string) =>
    `${STORY}<div class="ad-slot" style="margin:0 -8px;width:970px;height:250px;text-align:${side}"></div>${STORY}`;
  expect(uncertain(await wholeAd(wide('left'), 'desktop'))).toMatch(
    /at the left edge of a wide slot\. Check the picture/,
  );
  expect(uncertain(await wholeAd(wide('center'), 'desktop'))).toBeUndefined();
});
