import { expect, test } from 'vitest';
import { planBatches, planCreativeIndexes, wantedFrames } from '../../../src/domain/batches.ts';

const SAME = { otherAds: 'hide', location: null, accessId: null, group: null, givenPage: null } as const;

const pages = (count: number, pictures = 1) =>
  Array.from({ length: count * pictures }, (_, i) => ({
    siteKey: `site-${i % count}`,
    device: 'desktop',
    ...SAME,
  }));

test('pages with other options of the page are in different indexes', () => {
  const page = { siteKey: 'a', device: 'desktop', ...SAME };
  const other = [
    { otherAds: 'keep' as const },
    { location: 'de' },
    { location: 'fr' },
    { accessId: 'one' },
    { group: 'g' },
    { givenPage: 'upload' },
  ];
  const { assignment } = planBatches([page, ...other.map((options) => ({ ...page, ...options })), page], 10);
  expect(assignment).toEqual([0, 1, 2, 3, 4, 5, 6, 0]);
});

test('An index is one site on one device', () => {
  const { indexes, assignment } = planBatches(
    [
      { siteKey: 'a', device: 'desktop', ...SAME },
      { siteKey: 'b', device: 'desktop', ...SAME },
      { siteKey: 'a', device: 'mobile', ...SAME },
      { siteKey: 'a', device: 'desktop', ...SAME },
    ],
    10,
  );
  expect(indexes).toBe(3);
  expect(assignment).toEqual([0, 1, 2, 0]);
});

test('A page of more than 200 pictures is split', () => {
  const { indexes, assignment } = planBatches(pages(1, 401), 10);
  expect(indexes).toBe(3);
  expect([0, 1, 2].map((index) => assignment.filter((each) => each === index).length)).toEqual([200, 200, 1]);
});

test('Up to four times the parallelism, each page has an index of its own', () => {
  expect(planBatches(pages(8), 2).indexes).toBe(8);
});

test('Above four times the parallelism, an index takes at most four pages, and each capture has work', () => {
  for (const count of [9, 20, 33, 1_000]) {
    const { indexes, assignment } = planBatches(pages(count), 2);
    const sizes = Array.from({ length: indexes }, (_, index) => assignment.filter((each) => each === index).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(indexes).toBeGreaterThanOrEqual(4);
    expect(indexes).toBeLessThan(count);
  }
});

test('Packed pages never make an index of more than 200 pictures', () => {
  const { indexes, assignment } = planBatches(pages(40, 90), 2);
  const sizes = Array.from({ length: indexes }, (_, index) => assignment.filter((each) => each === index).length);
  expect(Math.max(...sizes)).toBe(180);
});

test('Ads without pages are grouped by 20', () => {
  expect([1, 20, 21, 45].map(planCreativeIndexes)).toEqual([1, 1, 2, 3]);
});

test('An ad has one frame for each marker and pixel ratio of its screenshots', () => {
  const frames = wantedFrames([
    { markerMs: 1_000, ratio: 3 },
    { markerMs: 0, ratio: 1 },
    { markerMs: 1_000, ratio: 1 },
    { markerMs: 1_000, ratio: 3 },
    { markerMs: null, ratio: 1 },
  ]);
  expect(frames).toEqual([
    { marker_ms: null, ratio: 1 },
    { marker_ms: 0, ratio: 1 },
    { marker_ms: 1_000, ratio: 1 },
    { marker_ms: 1_000, ratio: 3 },
  ]);
});

test('If an index is expensive to start, it takes more pages, and each capture still has two indexes', () => {
  expect(planBatches(pages(24), 2, 12).indexes).toBe(4);
  expect(planBatches(pages(100), 2, 12).indexes).toBe(9);
});
