import { sizeOfWord, sizesInName } from './nameSize.ts';
import type { Size } from './size.ts';

/** A size that a creative declares, or that its names suggest, before it is opened. */
export interface SizeClaim {
  readonly size: Size;
  /** Where it is written, for messages: "the ad.size meta element". */
  readonly from: string;
  /** True for a weak hint. The user learns that the size may be another one. */
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
  const claims: SizeClaim[] = [];
  for (const name of names) {
    for (const size of sizesInName(name)) claims.push({ size, from: `the name "${name}"` });
  }
  const inFiles = new Map(files.flatMap((name) => sizesInName(name).map((size) => [keyOf(size), { size, name }])));
  const [only] = inFiles.values();
  if (only !== undefined && inFiles.size === 1)
    claims.push({ size: only.size, from: `the name of the file "${only.name}"` });
  for (const name of names) {
    const size = sizeOfWord(name);
    if (size !== undefined) claims.push({ size, from: `the word for a size in the name "${name}"`, isGuess: true });
  }
  return claims;
}

function keyOf({ width, height }: Size): string {
  return `${width}x${height}`;
}

/** @returns the parts of a URL that may name a size: its file, its folders from the last to the first, and its query. */
export function namesInUrl(address: string): string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const parts = url.pathname
    .split('/')
    .filter((part) => part !== '')
    .toReversed();
  return [...parts, url.search.slice(1)].filter((part) => part !== '').map(decodedPart);
}

function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // Not UTF-8 when decoded.
  }
}
