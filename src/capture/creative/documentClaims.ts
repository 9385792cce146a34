import { posix } from 'node:path';
import { claimsOfFiles, declaresExpansion, documentClaims, documentHints, lottieSize } from './declaredSize.ts';
import { decodeText } from './decodeText.ts';
import { nameClaims, type SizeClaim, type SizeClaims } from './sizeClaims.ts';
import type { ZipSite } from './zip.ts';

/** Files in which a tool writes the size. */
const TEXT_FILES = /\.(?:x?html?|js|json|xml)$/i;
/** A larger script is a library. */
const MAX_BYTES = 2 * 1024 * 1024;

/** @param names names that may say the size, the most important first. */
export function pageClaims(html: string, names: readonly string[] = []): SizeClaims {
  return {
    declared: documentClaims(html),
    hints: [...nameClaims(names), ...documentHints(html)],
    expands: declaresExpansion(html),
  };
}

/** @returns the sizes that the files and the names of a zip claim. */
export function zipClaims({ files, index }: ZipSite, names: readonly string[]): SizeClaims {
  const page = decodeText(files.get(index));
  const texts = textsOf(files, index);
  const folders = posix.dirname(index).split('/').toReversed();
  const hints = nameClaims(
    [...names, ...folders, posix.basename(index)].filter((name) => name !== '.'),
    [...files.keys()].filter((name) => isBeside(name, index)).map((name) => posix.basename(name)),
  );
  return {
    declared: claimsOfFiles(page, texts),
    hints: [...hints, ...documentHints(page), ...lottieHints(texts)],
    expands: texts.some(([, text]) => declaresExpansion(text)),
  };
}

/** The page first, then the texts in its folder and above. The folders of other pages may hold other sizes. */
function textsOf(files: ZipSite['files'], index: string): [path: string, text: string][] {
  const paths = [...files.keys()].filter((path) => TEXT_FILES.test(path) && path !== index && isBeside(path, index));
  const small = paths.filter((path) => (files.get(path)?.length ?? 0) <= MAX_BYTES);
  return [index, ...small].map((path) => [path, decodeText(files.get(path))]);
}

function isBeside(path: string, index: string): boolean {
  const [folder, home] = [posix.dirname(path), posix.dirname(index)];
  return home === '.' || folder === '.' || `${folder}/`.startsWith(`${home}/`) || `${home}/`.startsWith(`${folder}/`);
}

function lottieHints(texts: readonly (readonly [path: string, text: string])[]): SizeClaim[] {
  const sizes = texts.map(([path, text]) => (/\.js(?:on)?$/i.test(path) ? lottieSize(text) : undefined));
  const [size] = sizes.filter((one) => one !== undefined);
  return size === undefined ? [] : [{ size, from: 'the Lottie animation' }];
}
