/** Estimates the width of text, in units of the font size, for a sans serif. The estimate is too wide for most texts, so that text stays inside its frame. */

const NARROW = /[iljtfrI.,:;|!'()[\]/ -]/;
const WIDE = /[mwMW@%&—…]/;
const FULL =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\uFF00-\uFF60]/u;

export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

function charWidth(char: string): number {
  if (/[\p{M}\p{Cf}]/u.test(char)) return 0;
  if (FULL.test(char)) return 1.05;
  if (NARROW.test(char)) return 0.36;
  if (WIDE.test(char)) return 0.96;
  return /[A-Z\p{Lu}]/u.test(char) ? 0.72 : 0.58;
}
