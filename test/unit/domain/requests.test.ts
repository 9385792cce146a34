import { describe, expect, test } from 'vitest';
import { defaultAdName } from '../../../src/domain/ads.ts';
import { campaignName } from '../../../src/domain/campaigns.ts';
import { formatKey, keyOfHeader, parseKey } from '../../../src/domain/keys.ts';
import { isMarker, markerMs } from '../../../src/domain/markers.ts';
import { reviewNotes } from '../../../src/domain/reviewNotes.ts';
import { DEFAULT_OPTIONS, type ScreenshotOptions } from '../../../src/domain/screenshotOptions.ts';
import { countWanted, expandScreenshots, type WantedScreenshots } from '../../../src/domain/screenshots.ts';
import { codePoints, cutCodePoints, textFault } from '../../../src/domain/text.ts';
import { parseTimestamp, timestamp } from '../../../src/domain/time.ts';
import { siteFault, siteKey, urlFault, withScheme } from '../../../src/domain/webAddresses.ts';

describe('text', () => {
  test('text is counted and cut in code points', () => {
    expect([codePoints(''), codePoints('a😀b'), codePoints('\ud83d'), codePoints('\ude00\ud83d')]).toEqual([
      0, 3, 1, 2,
    ]);
    expect([
      cutCodePoints('a😀b', 2),
      cutCodePoints('a😀b', 1),
      cutCodePoints('😀', 0),
      cutCodePoints('ab', 9),
    ]).toEqual(['a😀', 'a', '', 'ab']);
  });

  test('text with U+0000 or half of a surrogate pair cannot be stored', () => {
    expect([textFault('a\0'), textFault('\udc00'), textFault('a😀')].map((fault) => fault !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('the name of a campaign is trimmed, cut and trimmed again', () => {
    expect(campaignName(`  ${'x'.repeat(249)} y`)).toBe('x'.repeat(249));
    expect(campaignName('x'.repeat(251))).toBe('x'.repeat(250));
  });
});

describe('markers', () => {
  test('a marker is validated before it is rounded', () => {
    expect([0, 30, -0, 15.5].every(isMarker)).toBe(true);
    expect([30.0000001, -0.0000001, Number.POSITIVE_INFINITY, Number.NaN].some(isMarker)).toBe(false);
  });

  test('a marker is stored in whole milliseconds, never as minus zero', () => {
    expect([markerMs(1.0005), markerMs(29.9999), Object.is(markerMs(-0), 0)]).toEqual([1001, 30_000, true]);
  });
});

describe('keys', () => {
  const key = { id: 'AbCd1234', secret: `${'x'.repeat(41)}_-` };
  test('a key is read with and without Bearer, and any other text is rejected', () => {
    const text = formatKey(key);
    expect([parseKey(text), keyOfHeader(text), keyOfHeader(`BEARER  ${text} `)]).toEqual([key, key, key]);
    for (const bad of ['', 'Bearer', `Token ${text}`, `${text}x`, `x${text}`, `${text},${text}`]) {
      expect(keyOfHeader(bad)).toBeUndefined();
    }
  });
});

describe('sites', () => {
  test('a site without a scheme gets https, and sites are compared in one spelling', () => {
    expect([withScheme('a.example'), withScheme('//a.example'), withScheme('http://a.example')]).toEqual([
      'https://a.example',
      'https://a.example',
      'http://a.example',
    ]);
    expect(siteKey(' BÜCHER.example:443/a/../b?q#f ')).toBe('https://xn--bcher-kva.example/b?q#f');
  });
});

describe('the pictures of a request', () => {
  const wanted = (url: string, ...markers: number[]): WantedScreenshots => ({
    site: { url, key: siteKey(url) },
    device: 'desktop',
    markers,
    options: DEFAULT_OPTIONS,
    access: null,
  });
  test('a request has one screenshot for each marker of each object, without duplicates', () => {
    const entries = [
      { adId: 'a', screenshots: [wanted('s.example', 0, 1000), wanted('t.example', 1000, 2000), wanted('s.example')] },
      { adId: 'b', screenshots: [wanted('s.example')] },
      { adId: 'a', screenshots: [wanted('S.example', 1000)] },
    ];
    expect(expandScreenshots(entries, 100).map(({ adId, siteUrl, markerMs: ms }) => [adId, siteUrl, ms])).toEqual([
      ['a', 's.example', 0],
      ['a', 's.example', 1000],
      ['a', 't.example', 1000],
      ['a', 't.example', 2000],
      ['a', 's.example', null],
      ['b', 's.example', null],
    ]);
    expect([countWanted(entries), expandScreenshots(entries, 2).length]).toEqual([7, 3]);
  });

  test('the same screenshot with each choice of options is another screenshot', () => {
    const choices: Partial<ScreenshotOptions>[] = [
      ...[{}, { allowScaling: true }, { fullPage: true }, { view: 'masthead' as const }, { otherAds: 'keep' as const }],
      ...[{ animation: { seconds: 5, fps: 10 } }, { animation: { seconds: 5, fps: 5 } }],
      ...[{ slot: { index: 1 } }, { slot: { index: 2 } }, { slot: { selector: '1' } }],
    ];
    const screenshots = [...choices, ...choices].map((choice) => ({
      ...wanted('s.example'),
      options: { ...DEFAULT_OPTIONS, ...choice },
    }));
    expect(expandScreenshots([{ adId: 'a', screenshots }], 100)).toHaveLength(choices.length);
  });
});

describe('names of ads', () => {
  test('the default name of an ad comes from its media', () => {
    const name = (content: string) => defaultAdName({ type: 'url', content }, '12345678-9abc');
    expect([
      name('https://c.example/a/b.zip?x'),
      name('https://c.example/a/'),
      name('https://c.example/%E2%9C%93.png'),
    ]).toEqual(['b.zip', 'c.example', '✓.png']);
    expect(codePoints(name(`https://c.example/${'x'.repeat(900)}`))).toBe(255);
    expect(defaultAdName({ type: 'html_tag', content: '<p>' }, '12345678-9abc')).toBe('Ad 12345678');
  });
});

describe('review notes', () => {
  const counts = { uploaded: 10, no_slots: 1, blocked: 1 };
  test('review notes end with a line about failures once the set is resolved', () => {
    const line =
      '2 of 12 could not be placed: the page has no slot for the ad (no_slots, 1); the site refused the visit (blocked, 1).';
    expect(reviewNotes({ status: 'approved', review_notes: 'Nice.' }, counts)).toBe(`Nice.\n${line}`);
    expect(reviewNotes({ status: 'in_review', review_notes: null }, counts)).toBe(line);
    expect(reviewNotes({ status: 'capturing', review_notes: null }, counts)).toBeNull();
    expect(reviewNotes({ status: 'approved', review_notes: null }, { uploaded: 3 })).toBeNull();
  });
});

describe('times', () => {
  test('times are written with milliseconds and an offset', () => {
    expect(timestamp(new Date('2026-11-21T09:30:00Z'))).toBe('2026-11-21T09:30:00.000+00:00');
  });
  test('times are read with an offset, or as UTC', () => {
    const read = (text: string) => parseTimestamp(text)?.toISOString();
    expect([read('2026-01-01'), read('2026-01-01T10:00'), read('2026-01-01T10:00:00.5+02:00')]).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T10:00:00.000Z',
      '2026-01-01T08:00:00.500Z',
    ]);
    expect([read('now'), read('2026-13-01'), read('1'), read('2026-01-01T25:00')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test.each(['https://a.exam\nple/', 'https://a.example/x\ty', 'https://a.example/\r\nb'])(
  'the address %j with a control character inside has a fault',
  (address) => {
    expect([urlFault(address), siteFault(address)]).toEqual(
      Array(2).fill('must not contain line breaks, tabs or other control characters.'),
    );
    expect([urlFault(' https://a.example/ \n'), siteFault('a.example\n')]).toEqual([undefined, undefined]);
  },
);
