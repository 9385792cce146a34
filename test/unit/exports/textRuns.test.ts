import { expect, test } from 'vitest';
import type { Fonts } from '../../../src/exports/pdf/fonts.ts';
import { breakLines, fontRuns, visualRuns } from '../../../src/exports/pdf/textRuns.ts';

/** A machine with a font for ASCII and Hebrew, and one for Arabic. */
const fonts: Fonts = {
  bytes: () => Buffer.alloc(0),
  has: ({ path }, cluster) =>
    (path === 'base' ? /^[\p{ASCII}\p{Script=Hebrew}–]+$/u : /^[\p{Script=Arabic} ]+$/u).test(cluster),
  find: (cluster) => [{ path: 'base' }, { path: 'arabic' }].find((face) => fonts.has(face, cluster)),
};

test('text is divided by font, and spaces stay with the text before them', () => {
  expect(fontRuns('A حملة الربيع 😀 !', false, fonts).map(({ text, font }) => [text, font?.path])).toEqual([
    ['A ', 'base'],
    ['حملة الربيع ', 'arabic'],
    ['😀', undefined],
    [' !', 'base'],
  ]);
});

test('an emoji of several code points is one picture', () => {
  expect(fontRuns('👩‍👩‍👧🇩🇪', false, fonts)).toEqual([{ text: '👩‍👩‍👧🇩🇪', font: undefined }]);
});

test('words from right to left are drawn in the order of the eye', () => {
  const draw = (line: string, isParagraphReversed: boolean) =>
    visualRuns(line, { bold: false, fonts, isParagraphReversed }).map(({ text }) => text);
  expect(draw('Sale אביב 2026', false)).toEqual(['Sale ', '2026', 'אביב ']);
  expect(draw('אביב 2026 Sale', true)).toEqual(['Sale', ' ', '2026', 'אביב ']);
  expect(draw('אביב (50%)', true).at(-1)).toBe('אביב (');
});

test('a paragraph breaks at spaces and slashes, and a long word inside', () => {
  const lines = (text: string, most = 10) =>
    breakLines(text, { width: 10, lines: most, measure: (part) => part.length });
  expect(lines('one two three')).toEqual(['one two', 'three']);
  expect(lines('https://news.example/a')).toEqual(['https://', 'news.examp', 'le/a']);
  expect(lines('aaaaaaaaaaaaaaa')).toEqual(['aaaaaaaaaa', 'aaaaa']);
  expect(lines('one two three four five', 2)).toEqual(['one two', 'three fou…']);
  expect(lines('')).toEqual([]);
});
