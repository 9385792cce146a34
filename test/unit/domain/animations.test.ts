import { expect, test } from 'vitest';
import { frameTimes, judgeSizes, wantedFilms } from '../../../src/domain/animations.ts';
import { withContent } from '../../../src/domain/pictureKeys.ts';

test('an ad has one film for each length, rate and pixel ratio, and no ratio is above 2', () => {
  const [long, short] = [
    { seconds: 10, fps: 10 },
    { seconds: 5, fps: 10 },
  ];
  const shown = [3.5, 3, 2, 1, 1].map((ratio) => ({ animation: long, ratio }));
  const films = wantedFilms([...shown, { animation: short, ratio: 1 }, { animation: null, ratio: 1 }]);
  expect(films).toEqual([
    { ...long, ratio: 2 },
    { ...long, ratio: 1 },
    { ...short, ratio: 1 },
  ]);
});

test('the frames of a film are spread over its seconds', () => {
  expect(frameTimes({ seconds: 1, fps: 3 })).toEqual([0, 333, 667]);
  expect(frameTimes({ seconds: 30, fps: 10 }).at(-1)).toBe(29_900);
});

test.each([
  ['two small files', { webp: 100, gif: 5_000_000 }, true, []],
  ['a large GIF', { webp: 100, gif: 5_040_000 }, true, [/^The GIF animation is 5\.0 MB\. Use fewer/]],
  ['a large WebP', { webp: 12_340_000, gif: 12_000_000 }, true, [/^The WebP animation is 12\.3 MB\. /]],
  [
    'a file that is too large',
    { webp: 100, gif: 20_100_000 },
    false,
    [/no animation: .* is 20\.1 MB; the maximum is 20 MB/],
  ],
])('%s', (_, sizes, isKept, messages) => {
  const judged = judgeSizes(sizes);
  expect(judged.isKept).toBe(isKept);
  expect(judged.warnings.map(({ message }) => message)).toEqual(messages.map((text) => expect.stringMatching(text)));
});

test('the key of a file with its content keeps its ending', () => {
  expect(withContent('screenshots/a/1.png', 'ab')).toBe('screenshots/a/1-ab.png');
  expect(withContent('screenshots/a/1.webp', 'ab')).toBe('screenshots/a/1-ab.webp');
  expect(withContent('creatives/a/b/default-2.75-0-1.png', 'ab')).toBe('creatives/a/b/default-2.75-0-1-ab.png');
});
