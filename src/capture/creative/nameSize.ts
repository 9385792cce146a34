import { isStandardSize } from '../../domain/adSizes.ts';
import type { Size } from './size.ts';

/** Times 2 or 3 of the pixels, as in `600x500@2x`. */
const SCALE = /^@([23])x/i;

/** Words for sizes that agencies use in file names. Each must stand alone. */
const SIZE_WORDS: readonly (readonly [RegExp, Size])[] = [
  [/mobile[-_ ]?(?:leaderboard|banner)/, { width: 320, height: 50 }],
  [/(?:super|large)[-_ ]?leaderboard/, { width: 970, height: 90 }],
  [/leaderboard|lb/, { width: 728, height: 90 }],
  [/large[-_ ]?rectangle/, { width: 336, height: 280 }],
  [/mpu|mrec|medium[-_ ]?rectangle/, { width: 300, height: 250 }],
  [/half[-_ ]?page|hpu|hpa/, { width: 300, height: 600 }],
  [/billboard|bb/, { width: 970, height: 250 }],
  [/(?:wide[-_ ]?)?sky(?:scraper)?/, { width: 160, height: 600 }],
  [/interstitial/, { width: 320, height: 480 }],
];

/** @returns the standard sizes in a name, in their order, each once: `banner_300x250_v2.zip` has 300 × 250. */
export function sizesInName(name: string): Size[] {
  const text = name.slice(0, 1_000);
  const found = sizesWritten(text, /(?<!\d)(\d{2,4})(?=\s?[x×*]\s?(\d{2,4})(?!\d))/gi);
  return found.length > 0 ? found : sizesWritten(text, /(?<!\d)(\d{2,4})(?=[-_](\d{2,4})(?!\d))/g);
}

function sizesWritten(text: string, pattern: RegExp): Size[] {
  const found = new Map<string, Size>();
  for (const match of text.matchAll(pattern)) {
    const [first, second] = [match[1] ?? '', match[2] ?? ''];
    const end = text.indexOf(second, match.index + first.length) + second.length;
    const scale = Number(SCALE.exec(text.slice(end, end + 3))?.[1] ?? 1);
    const written = { width: Number(first), height: Number(second) };
    const size = { width: written.width / scale, height: written.height / scale };
    const known = [size, written].find(isStandardSize);
    if (known !== undefined) found.set(`${known.width}x${known.height}`, known);
  }
  return [...found.values()];
}

/** @returns the size that a word in the name stands for, for example `Leaderboard_v2.zip`. */
export function sizeOfWord(name: string): Size | undefined {
  const text = name
    .slice(0, 1_000)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase();
  return SIZE_WORDS.find(([word]) => new RegExp(`(?<![a-z])(?:${word.source})(?![a-z])`).test(text))?.[1];
}
