import { expect, test } from 'vitest';
import { screenshotRequestParser } from '../../../src/contract/readRequest.ts';
import { requestEntries } from '../../../src/contract/requestEntries.ts';
import { combinationsOf, planCombinations } from '../../../src/domain/combinations.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { expandScreenshots } from '../../../src/domain/screenshots.ts';

const WIDE = { id: 'wide', size: { width: 970, height: 250 }, still: false };
const STILL = { id: 'still', size: { width: 300, height: 250 }, still: true };
const UNKNOWN = { id: 'unknown', size: null, still: false };
const GRID = {
  ads: [WIDE, STILL, UNKNOWN],
  sites: ['news.example', 'https://blog.example/a'],
  devices: ['desktop', 'mobile'],
  markers: [0, 2.5],
} as const;

test('combinations that cannot fit are left out, and a still ad is taken once for all moments', () => {
  const { combinations, notFitting, repeated } = planCombinations(combinationsOf(GRID));
  expect({ taken: combinations.length, notFitting, repeated }).toEqual({
    taken: 4 + 4 + 8,
    notFitting: 4,
    repeated: 4,
  });
  expect(planCombinations(combinationsOf(GRID), null).combinations).toHaveLength(20);
});

test('a video fits a phone at any size, because a player scales it', () => {
  const video = { id: 'video', size: { width: 800, height: 600 }, still: false, category: 'video' } as const;
  const on = { site: 'news.example', device: 'mobile', marker: undefined } as const;
  const wanted = [video, { ...video, id: 'page', category: 'display' } as const].map((ad) => ({ ad, ...on }));
  expect(planCombinations(wanted)).toMatchObject({ combinations: [{ ad: video }], notFitting: 1 });
});

test('the same page from two locations gives two pictures and two objects', () => {
  const one = { ad: WIDE, site: 'news.example', device: 'desktop', marker: undefined } as const;
  const { combinations, repeated } = planCombinations(['de', 'fr', 'de'].map((location) => ({ ...one, location })));
  expect([combinations.length, repeated]).toEqual([2, 1]);
  const [entry] = requestEntries(combinations, ({ location }) => ({ options: { page: { location } } }));
  expect(entry).toMatchObject({
    screenshots: [{ options: { page: { location: 'de' } } }, { options: { page: { location: 'fr' } } }],
  });
});

test('a site that is written in two ways is one site', () => {
  const one = { ad: WIDE, device: 'desktop', marker: undefined } as const;
  const sites = ['news.example', 'https://NEWS.example/', ' https://news.example'];
  const { combinations, repeated } = planCombinations(sites.map((site) => ({ ...one, site })));
  expect([combinations.map(({ site }) => site), repeated]).toEqual([['news.example'], 2]);
});

test('the request asks for exactly these combinations', () => {
  const own = 'Own device 412 x 915, 2.63x, touch';
  const wanted = [
    { ad: UNKNOWN, site: 'news.example', device: 'desktop', marker: 1 },
    { ad: UNKNOWN, site: 'https://news.example/', device: 'desktop', marker: 2 },
    { ad: UNKNOWN, site: 'news.example', device: 'desktop', marker: undefined },
    { ad: UNKNOWN, site: 'news.example', device: own, marker: undefined },
    { ad: WIDE, site: 'blog.example', device: 'desktop', marker: undefined },
  ] as const;
  const body = {
    campaign: { name: 'Spring' },
    screenshot_requests: requestEntries(planCombinations(wanted).combinations, () => ({
      options: { ad: { allow_scaling: true } },
    })),
  };
  const { entries, faults } = screenshotRequestParser(DEFAULT_LIMITS)(body);
  expect([faults.errors, entries.map(({ ad }) => ad?.id)]).toEqual([{}, ['unknown', 'wide']]);
  const pictures = expandScreenshots(
    entries.map(({ ad, screenshots }) => ({ adId: ad?.id ?? '', screenshots })),
    99,
  );
  expect(pictures.map(({ adId, device, markerMs }) => [adId, device, markerMs])).toEqual([
    ['unknown', 'desktop', null],
    ['unknown', 'desktop', 1000],
    ['unknown', 'desktop', 2000],
    ['unknown', own, null],
    ['wide', 'desktop', null],
  ]);
  expect(pictures.every(({ options }) => options.allowScaling)).toBe(true);
});
