import { describe, expect, test } from 'vitest';
import {
  adFrameKey,
  adPreviewKey,
  checkKey,
  manifestKey,
  screenshotKey,
} from '../../../../src/core/buckets/objectKeys.ts';

const shot = {
  keyPrefix: 'ar_',
  setId: 'set-1',
  number: 7,
  siteUrl: 'https://www.example.com/a/b?c',
  device: 'iPhone 15 Pro',
  ad: 'Spring Sale 300x250',
  markerMs: 1500,
};

test('object keys have the documented form', () => {
  expect(adPreviewKey({ keyPrefix: 'ar_', adId: 'ad-1' })).toBe('ar_ads/ad-1/preview.png');
  expect(adFrameKey({ keyPrefix: '', adId: 'ad-1', markerMs: 30_000 })).toBe('ads/ad-1/frame-30000.png');
  expect(screenshotKey(shot)).toBe(
    'ar_screenshot_sets/set-1/007-www.example.com-iPhone-15-Pro-Spring-Sale-300x250-1500.png',
  );
  expect(manifestKey({ keyPrefix: 'proofs/2026/', setId: 'set-1' })).toBe(
    'proofs/2026/screenshot_sets/set-1/manifest.json',
  );
});

describe('hostile names', () => {
  const hostile = [
    '../../etc',
    '..',
    '.',
    '',
    '\u0000\u0007\n',
    'a/b\\c',
    '‮gnp.exe',
    '…',
    '%2e%2e',
    'é'.repeat(500),
    '広告',
    '-',
    '...---...',
  ];
  test.each(hostile)('the name %j cannot leave its folder, hide or end a key', (text) => {
    const keys = [
      screenshotKey({ ...shot, siteUrl: text, device: text, ad: text, setId: text }),
      adPreviewKey({ keyPrefix: '', adId: text }),
    ];
    for (const key of keys) {
      expect(key).toMatch(/^[A-Za-z0-9._/-]+$/);
      expect(key).not.toContain('..');
      expect(key.split('/')).toHaveLength(3);
      expect(key.length).toBeLessThan(400);
    }
  });

  test('a letter with an accent keeps its plain form', () => {
    expect(screenshotKey({ ...shot, ad: 'Größe Café' })).toContain('-Gro-e-Cafe-');
  });
});

test.each(['a..b/', 'customers/été/', '/a//b', 'p q+%2f?#'])('the prefix %j stays as it was given', (keyPrefix) => {
  expect(manifestKey({ keyPrefix, setId: 's' })).toBe(`${keyPrefix}screenshot_sets/s/manifest.json`);
  expect(checkKey({ keyPrefix, id: '1' })).toBe(`${keyPrefix}tearsheet-check-1.txt`);
});
