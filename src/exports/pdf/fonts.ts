/** Finds fonts of this machine that have the characters of a text. PDF files contain the parts of them that they use. */
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { create, type Font } from 'fontkit';
import { setBounded } from '../../lib/lru.ts';

export interface FontFace {
  readonly path: string;
  /** Name of the font inside a collection. */
  readonly face?: string;
}

export interface Fonts {
  /** @returns a font that has the whole cluster; undefined if no font has it. */
  find(cluster: string, bold: boolean): FontFace | undefined;
  has(face: FontFace, cluster: string): boolean;
  /** @returns the file of the font. All faces of a collection share it, because a file may have 20 MB. */
  bytes(file: string): Buffer;
}

const FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts', '/Library/Fonts', path.join(homedir(), '.fonts')];
/** In this order; all of them have Latin, Greek and Cyrillic letters. */
const BASES = ['LiberationSans', 'NotoSans', 'DejaVuSans', 'Arial'];
const OTHERS = ['NotoSansSymbols', 'NotoSansSymbols2', 'NotoSansMath'];
const CJK = 'NotoSansCJK';
/** Characters whose font is remembered. */
const MAX_REMEMBERED = 20_000;
/** Not drawn themselves: joiners and variation selectors. */
const INVISIBLE = /\u200C|\u200D|[\uFE00-\uFE0F]/gu;

/** @param folders that are searched for fonts, with all folders inside them. */
export function openFonts(folders: readonly string[] = FOLDERS): Fonts {
  const files = fontFiles(folders);
  const opened = new Map<string, Font | undefined>();
  const remembered = new Map<string, FontFace | undefined>();
  const read = new Map<string, Buffer>();
  const bytes = (file: string): Buffer => {
    const known = read.get(file) ?? readFileSync(file);
    read.set(file, known);
    return known;
  };
  const open = (face: FontFace): Font | undefined => {
    const key = `${face.path}#${face.face ?? ''}`;
    if (!opened.has(key)) opened.set(key, openFont(face, bytes));
    return opened.get(key);
  };
  const has = (face: FontFace, cluster: string): boolean => {
    const font = open(face);
    const letters = [...cluster.replace(INVISIBLE, '')];
    return font !== undefined && letters.every((letter) => font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0));
  };
  return {
    has,
    bytes,
    find(cluster, bold) {
      const key = `${bold}${cluster}`;
      if (remembered.has(key)) return remembered.get(key);
      const found = candidates(files, cluster, bold).find((face) => has(face, cluster));
      setBounded(remembered, [key, found], MAX_REMEMBERED);
      return found;
    },
  };
}

/** Font files by name without extension. */
function fontFiles(folders: readonly string[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      const { name: key, ext } = path.parse(name);
      if (/^\.(ttf|otf|ttc)$/i.test(ext) && !files.has(key)) files.set(key, path.join(folder, name));
    }
  }
  return files;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function candidates(files: ReadonlyMap<string, string>, cluster: string, bold: boolean): FontFace[] {
  const families = [...BASES, ...scriptFamilies(files, cluster), ...OTHERS];
  const faces = families.flatMap((family) => faceOf(files, family, bold));
  const cjk = files.get(bold ? `${CJK}-Bold` : `${CJK}-Regular`) ?? files.get(`${CJK}-Regular`);
  if (cjk === undefined) return faces;
  const weight = path.parse(cjk).name.slice(CJK.length + 1);
  return [...faces, { path: cjk, face: `${CJK}${cjkRegion(cluster)}-${weight}` }];
}

function faceOf(files: ReadonlyMap<string, string>, family: string, bold: boolean): FontFace[] {
  const names = bold
    ? [`${family}-Bold`, `${family} Bold`, `${family}-Regular`, family]
    : [`${family}-Regular`, family];
  const found = names.map((name) => files.get(name)).find((file) => file !== undefined);
  return found === undefined ? [] : [{ path: found }];
}

/** Noto names its fonts after the scripts of Unicode: NotoSansArabic-Regular has the letters of the script Arabic. */
function scriptFamilies(files: ReadonlyMap<string, string>, cluster: string): string[] {
  const families = [...files.keys()].flatMap((name) => /^(NotoSans[A-Z][A-Za-z]*)-Regular$/.exec(name)?.[1] ?? []);
  return families.filter((family) => scriptPattern(family.slice('NotoSans'.length))?.test(cluster));
}

const patterns = new Map<string, RegExp | undefined>();

function scriptPattern(name: string): RegExp | undefined {
  if (!patterns.has(name)) patterns.set(name, compile(name.replace(/(?<=[a-z])(?=[A-Z])/g, '_')));
  return patterns.get(name);
}

function compile(script: string): RegExp | undefined {
  try {
    return new RegExp(`\\p{Script=${script}}`, 'u');
  } catch {
    return undefined; // Not the name of a script, for example Display.
  }
}

function cjkRegion(cluster: string): string {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(cluster)) return 'jp';
  return /\p{Script=Hangul}/u.test(cluster) ? 'kr' : 'sc';
}

/** @returns undefined for a file that is not a readable font. */
function openFont({ path: file, face }: FontFace, bytes: Fonts['bytes']): Font | undefined {
  try {
    const font = create(bytes(file), face);
    return 'hasGlyphForCodePoint' in font ? font : undefined;
  } catch {
    return undefined; // Another font is tried, and in the end the text is drawn as a picture.
  }
}
