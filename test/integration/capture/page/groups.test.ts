/** Several ads in one picture. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PageOpener, Picture, PlacementFailure } from '../../../../src/capture/page/page.ts';
import { DEFAULT_OPTIONS, type PlacementOptions } from '../../../../src/domain/screenshotOptions.ts';
import type { AppliedRule } from '../../../../src/domain/siteRules.ts';
import { required } from '../../../support/required.ts';
import { PHONE, STORY } from './pictures.ts';
import { ad, adIn, device, openerFor, pixelsOf, placed, readyPage, type Sites, startSites } from './sites.ts';

let sites: Sites;
let opener: PageOpener;

beforeAll(async () => {
  [sites, opener] = await Promise.all([startSites(), openerFor({})]);
});
afterAll(() => Promise.all([sites.close(), opener.close()]));

type Sized = readonly [width: number, height: number];

const slot = (id: string, [width, height]: Sized, style = '') =>
  `<div id="${id}" class="ad-slot" data-sizes="[[${width},${height}]]" style="width:${width}px;height:${height}px;${style}"></div>`;

let pages = 0;

/** Checks that the picture shows each ad that was placed, pixel by pixel. */
async function takeTogether(
  body: string,
  sizes: readonly Sized[],
  {
    name = 'desktop',
    rules = [],
    ...options
  }: Partial<PlacementOptions> & { name?: string; rules?: readonly AppliedRule[] } = {},
): Promise<readonly (Picture | PlacementFailure)[]> {
  const page = await opener.open(
    sites.put(`/group-${pages++}`, `<!doctype html><body style="margin:0">${body}`),
    device(name),
    { rules },
  );
  readyPage(page);
  const frames = await Promise.all(sizes.map(([width, height]) => ad(width, height, device(name).ratio)));
  const results = await page.placeTogether(
    frames.map((frame) => ({ frame, options: { ...DEFAULT_OPTIONS, ...options } })),
  );
  for (const [index, result] of results.entries())
    if (result.status === 'uploaded')
      expect((await adIn(result)).equals((await pixelsOf(required(frames[index]).png)).data)).toBe(true);
  await page.close();
  return results;
}

const pictures = (results: readonly (Picture | PlacementFailure)[]) =>
  results.map((one) => {
    placed(one);
    return one;
  });

const RECTANGLE: Sized = [300, 250];
const LEADERBOARD: Sized = [728, 90];
const HALF_PAGE: Sized = [300, 600];

test('one picture of the screen shows all ads, each in a slot of its own', async () => {
  const body = `${slot('top', LEADERBOARD)}${slot('side', HALF_PAGE, 'float:right')}${STORY}${slot('in-text', RECTANGLE)}`;
  const all = pictures(await takeTogether(body, [RECTANGLE, LEADERBOARD, HALF_PAGE]));
  expect(all.map(({ chosen }) => chosen.element)).toEqual(['#in-text', '#top', '#side']);
  expect(new Set(all.map(({ png }) => png)).size).toBe(1);
  expect(required(all[0]).height).toBe(device('desktop').viewport.height);
});

test('ads that no screen shows together are in a picture of the page down to the last ad', async () => {
  const body = `${slot('top', LEADERBOARD)}${STORY.repeat(6)}${slot('far', RECTANGLE)}${STORY.repeat(6)}`;
  const [top, far] = pictures(await takeTogether(body, [LEADERBOARD, RECTANGLE]));
  expect(required(top).adBox.y).toBe(0);
  expect(required(top).warnings.map(({ message }) => message)).toContainEqual(expect.stringContaining('left edge'));
  const { adBox, height } = required(far);
  expect(height).toBeGreaterThan(device('desktop').viewport.height);
  expect(height).toBe(adBox.y + adBox.height + 16);
});

test('an ad prefers a slot near the other ads to a slightly better one far below', async () => {
  const near =
    '<div id="near" class="ad-slot" data-sizes="[[300,250],[336,280]]" style="width:336px;height:280px"></div>';
  const body = `${slot('top', LEADERBOARD)}${STORY}${near}${STORY.repeat(6)}${slot('far', RECTANGLE)}${STORY}`;
  const [alone] = pictures(await takeTogether(body, [RECTANGLE]));
  expect(required(alone).chosen.element).toBe('#far');
  const [rectangle, top] = pictures(await takeTogether(body, [RECTANGLE, LEADERBOARD]));
  expect([rectangle, top].map((one) => required(one).chosen.element)).toEqual(['#near', '#top']);
  expect(required(top).height).toBe(device('desktop').viewport.height);
});

test('the larger ad gets the only slot that can hold both, and the picture shows it without the other', async () => {
  const both =
    '<div id="both" class="ad-slot" data-sizes="[[300,250],[300,600]]" style="width:300px;height:600px"></div>';
  const [rectangle, halfPage] = await takeTogether(`${both}${STORY}`, [RECTANGLE, HALF_PAGE]);
  expect(halfPage).toMatchObject({ status: 'uploaded', chosen: { element: '#both' } });
  expect(rectangle).toMatchObject({ status: 'no_slots' });
  expect(rectangle).toHaveProperty('reason', expect.stringContaining('#both: another ad of the group is in it'));
});

test('the slot of a site rule takes one of two ads of its size, and the rule did not fail for the other one', async () => {
  const slots = [{ size: { width: 300, height: 250 }, selector: '#below' }];
  const none = { hide: [], click: [], wait_for: [], cookies: [], headers: [] };
  const rules = [{ id: 'r-1', host: '127.0.0.1', slots, ...none }];
  const body = `${STORY}${slot('first', RECTANGLE)}${STORY}${slot('below', RECTANGLE)}`;
  const all = pictures(await takeTogether(body, [RECTANGLE, RECTANGLE], { rules }));
  expect(all.map(({ chosen, slotReport }) => [chosen.element, slotReport?.effect.problem])).toEqual([
    ['#below', null],
    ['#first', undefined],
  ]);
  expect(all.flatMap(({ warnings }) => warnings.filter(({ code }) => code === 'site_rule_failed'))).toEqual([]);
});

test('on a phone, an ad in an anchor stays beside one that is scrolled into view', async () => {
  const anchor = `<div style="position:fixed;bottom:0;width:100%">${slot('anchor', [320, 50], 'margin:auto')}</div>`;
  const body = `${PHONE}${STORY.repeat(3)}${slot('in-text', RECTANGLE)}${STORY.repeat(6)}${anchor}`;
  const all = pictures(await takeTogether(body, [[320, 50], RECTANGLE], { name: 'mobile' }));
  expect(all.map(({ chosen }) => chosen.element)).toEqual(['#anchor', '#in-text']);
});

test('an ad in a frame that showed another ad stays beside the ads that come after it', async () => {
  sites.put('/partner', '<!doctype html><body style="margin:0;background:#123">');
  const frame = '<iframe id="google_ads_iframe_1" src="/partner" style="width:728px;height:90px;border:0"></iframe>';
  const all = pictures(await takeTogether(`${frame}${STORY}${slot('in-text', [300, 50])}`, [LEADERBOARD, [300, 50]]));
  expect(all.map(({ chosen }) => chosen.element)).toEqual(['#google_ads_iframe_1', '#in-text']);
});

test('each of many ads of one size finds a slot of its own', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const body = ids.map((id) => slot(`ad-${id}`, [300, 50], 'margin-bottom:8px')).join('');
  const all = pictures(
    await takeTogether(
      `${STORY}${body}`,
      Array.from(ids, () => [300, 50] as const),
    ),
  );
  expect(new Set(all.map(({ chosen }) => chosen.element)).size).toBe(6);
});
