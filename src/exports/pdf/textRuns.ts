/** Divides text into runs of one font, in the order in which they are drawn from left to right. */
import bidiModule from 'bidi-js';
import { isRightToLeft } from '../document/labels.ts';
import type { FontFace, Fonts } from './fonts.ts';

interface LineLimits {
  /** Points. */
  readonly width: number;
  readonly lines: number;
  readonly measure: (text: string) => number;
}

/** After spaces, slashes and hyphens, and around characters of scripts without spaces. */
const TOKENS =
  /\s+|[^\s/\-\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+[/-]*|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[/-]+/gu;

type Measured = Omit<LineLimits, 'lines'>;

export interface TextRun {
  readonly text: string;
  /** Undefined: no font has these characters, so they are drawn as a picture. */
  readonly font: FontFace | undefined;
  /** Whether it is written from right to left. */
  readonly isReversed: boolean;
}

// The types describe the package as an ES module with a default export, but it is that function itself.
const createBidi = 'default' in bidiModule ? bidiModule.default : bidiModule;
const bidi = createBidi();
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
const EMOJI = /^\p{RGI_Emoji}$/v;
const LETTER = /[\p{L}\p{N}]/u;

/** @returns the runs of one line of text in the order of reading. */
export function fontRuns(text: string, bold: boolean, fonts: Fonts): { text: string; font: FontFace | undefined }[] {
  const runs: { text: string; font: FontFace | undefined }[] = [];
  // Most texts are plain, and dividing them is slow.
  if (/^[ -~]+$/.test(text)) {
    const font = fonts.find('a', bold);
    if (font !== undefined) return [{ text, font }];
  }
  for (const { segment } of SEGMENTER.segment(text)) {
    const last = runs.at(-1);
    const font = fontOf(segment, { bold, fonts, current: last?.font });
    if (last !== undefined && isSameFace(last.font, font)) last.text += segment;
    else runs.push({ text: segment, font });
  }
  return runs;
}

/** Spaces and punctuation stay in the font of the text before them. */
function fontOf(
  segment: string,
  { bold, fonts, current }: { bold: boolean; fonts: Fonts; current: FontFace | undefined },
): FontFace | undefined {
  if (EMOJI.test(segment) && !/^[\p{ASCII}©®™]/u.test(segment)) return undefined;
  if (current !== undefined && !LETTER.test(segment) && fonts.has(current, segment)) return current;
  return fonts.find(segment, bold);
}

const isSameFace = (a: FontFace | undefined, b: FontFace | undefined) => a?.path === b?.path && a?.face === b?.face;

/**
 * @param line one line in the order of reading.
 * @param isParagraphReversed whether the paragraph is written from right to left.
 */
export function visualRuns(
  line: string,
  { bold, fonts, isParagraphReversed }: { bold: boolean; fonts: Fonts; isParagraphReversed: boolean },
): TextRun[] {
  return levelRuns(line, isParagraphReversed).flatMap(({ text, level }) => {
    const isReversed = level % 2 === 1;
    const runs = fontRuns(text, bold, fonts).map(({ text: part, font }) => {
      return { text: isReversed ? readable(part) : part, font, isReversed };
    });
    return isReversed ? runs.reverse() : runs;
  });
}

/** A font turns its own letters. Text without such letters has to be turned here, with its brackets. */
function readable(text: string): string {
  if (isRightToLeft(text)) return text;
  const segments = [...SEGMENTER.segment(text)].map(({ segment }) => bidi.getMirroredCharacter(segment) ?? segment);
  return segments.reverse().join('');
}

interface LevelRun {
  readonly text: string;
  readonly level: number;
}

/** @returns runs of one direction, from left to right, by rule L2 of the Unicode Bidirectional Algorithm. */
function levelRuns(line: string, isParagraphReversed: boolean): LevelRun[] {
  const { levels } = bidi.getEmbeddingLevels(line, isParagraphReversed ? 'rtl' : 'ltr');
  const runs: LevelRun[] = [];
  for (let start = 0; start < line.length; ) {
    let end = start + 1;
    while (end < line.length && levels[end] === levels[start]) end += 1;
    runs.push({ text: line.slice(start, end), level: levels[start] ?? 0 });
    start = end;
  }
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) reverseFrom(runs, level);
  return runs;
}

/** Turns each sequence of runs of at least this level around. */
function reverseFrom(runs: LevelRun[], level: number): void {
  for (let start = 0; start < runs.length; start += 1) {
    let end = start;
    while (end < runs.length && (runs[end]?.level ?? 0) >= level) end += 1;
    if (end > start + 1) runs.splice(start, end - start, ...runs.slice(start, end).reverse());
    start = Math.max(start, end);
  }
}

/** @returns at most `lines` lines. If the text is longer, the last one ends with an ellipsis. */
export function breakLines(text: string, { width, lines: most, measure }: LineLimits): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const token of tokensOf(text, { width, measure })) {
    if (line !== '' && used + measure(token.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = token.trimStart();
      used = measure(line);
      if (lines.length > most) break;
    } else {
      line += token;
      used += measure(token);
    }
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), withEllipsis(`${lines[most - 1]} ${lines[most]}`, { width, measure })];
}

/** @returns the parts between which a line may break. A part that is wider than a line is divided. */
function tokensOf(text: string, measured: Measured): string[] {
  const tokens = text.match(TOKENS) ?? [];
  return tokens.flatMap((token) => (measured.measure(token) > measured.width ? divided(token, measured) : [token]));
}

function divided(token: string, { width, measure }: Measured): string[] {
  const parts: string[] = [];
  let part = '';
  for (const { segment } of SEGMENTER.segment(token)) {
    if (part !== '' && measure(part + segment) > width) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  return [...parts, part];
}

function withEllipsis(text: string, { width, measure }: Measured): string {
  const segments = [...SEGMENTER.segment(text)].map(({ segment }) => segment);
  while (segments.length > 0 && measure(`${segments.join('')}…`) > width) segments.pop();
  return `${segments.join('').trimEnd()}…`;
}
