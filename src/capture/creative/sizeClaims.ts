import { isStandardSize } from '../../domain/adSizes.ts';
import { type Size, sizeText } from './creative.ts';
import { decodedAddress } from './markup.ts';

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

/** A size that a creative declares, or that its names suggest, before it is opened. */
export interface SizeClaim {
  readonly size: Size;
  /** Where it is written, for messages: "the ad.size meta element". */
  readonly from: string;
  /** True for a weak hint. A warning says that the size may be different. */
  readonly isGuess?: boolean;
}

/** The sizes that a creative claims before it is opened. */
export interface SizeClaims {
  /** The `ad.size` meta element and what the tool wrote, the most reliable first. */
  readonly declared: readonly SizeClaim[];
  /** Names and the like. They decide only if the creative fills any frame, or if it shows no size of its own. */
  readonly hints: readonly SizeClaim[];
  /** True if the creative expands. Its largest box is then not its size. */
  readonly expands: boolean;
}

const NO_CLAIMS: SizeClaims = { declared: [], hints: [], expands: false };

/** @returns claims with one size that needs no check. */
export function declaredOnly(size: Size | undefined, from: string): SizeClaims {
  return size === undefined ? NO_CLAIMS : { ...NO_CLAIMS, declared: [{ size, from }] };
}

/**
 * The sizes in the names of a creative.
 * @param names the most important first: the zip, the folder, the page.
 * @param files names of other files. They count only if they agree.
 */
export function nameClaims(names: readonly string[], files: readonly string[] = []): SizeClaim[] {
  const inNames = names.flatMap((name) => sizesInName(name).map((size) => ({ size, from: `the name "${name}"` })));
  const inFiles = new Map(files.flatMap((name) => sizesInName(name).map((size) => [sizeText(size), { size, name }])));
  const ofFiles = [...inFiles.values()].map(({ size, name }) => ({ size, from: `the name of the file "${name}"` }));
  const ofWords = names.flatMap((name) => {
    const size = sizeOfWord(name);
    return size ? [{ size, from: `the word for a size in the name "${name}"`, isGuess: true }] : [];
  });
  return [...inNames, ...(ofFiles.length === 1 ? ofFiles : []), ...ofWords];
}

/** @returns the parts of a URL that may name a size: its file, its folders from the last to the first, and its query. */
export function namesInUrl(address: string): string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const parts = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .toReversed();
  return [...parts, url.search.slice(1)].filter((part) => part !== '').map(decodedAddress);
}

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
    if (known !== undefined) found.set(sizeText(known), known);
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
