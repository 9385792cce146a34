/** Breaks a paragraph into lines of a width. */

export interface LineLimits {
  /** Points. */
  readonly width: number;
  readonly lines: number;
  readonly measure: (text: string) => number;
}

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** After spaces, slashes and hyphens, and around characters of scripts without spaces. */
const TOKENS =
  /\s+|[^\s/\-\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+[/-]*|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[/-]+/gu;

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

type Measured = Omit<LineLimits, 'lines'>;

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
