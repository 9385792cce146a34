import { expect, test } from 'vitest';
import { screenshotRequestParser } from '../../../src/contract/parseScreenshotRequest.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';

const parse = screenshotRequestParser({ ...DEFAULT_LIMITS, entries: 2, screenshots: 2 });
const object = { site: { url: 'news.example' }, device: { name: 'desktop' } };
const entry = (objects: number) => ({
  ad: { media: { type: 'url', content: 'https://ads.example/' } },
  screenshots: Array.from({ length: objects }, () => object),
});
const read = (entries: object[]) => parse({ campaign: { name: 'C' }, screenshot_requests: entries });

test('Objects that name the same screenshot are read, up to a bound over all entries', () => {
  const most = read([entry(5), entry(3)]);
  expect(most.faults.any).toBe(false);
  expect(most.entries.map(({ screenshots }) => screenshots.length)).toEqual([5, 3]);
  expect(read([entry(5), entry(4)]).faults.errors).toEqual({
    screenshot_requests: ['must have at most 8 screenshot objects in all: send several requests.'],
  });
});

test('Entries beyond the limit are counted, not read', () => {
  const { entries, faults } = read([entry(1), entry(1), ...Array.from({ length: 5_000 }, () => ({}))]);
  expect(entries).toHaveLength(2);
  expect(faults.errors).toEqual({
    screenshot_requests: ['must have at most 2 entries, but has 5,002: send several requests.'],
  });
});
