/** A textlint rule: sentences are short, have few semicolons, and start with their subject. */
import type { TextlintRuleModule } from '@textlint/kernel';

const MAX_WORDS = 30;
const MAX_SEMICOLONS = 1;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’_./-]*/gu;
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
/** A question ("What now?") is fine. */
const HIDDEN_SUBJECT =
  /^(?:[Ww]hat|[Ww]hatever|Whichever|[Ww]ho|Whom|Of|Not so|So is|So are|Nor)\b(?=\s+\w)(?!.*\?["')]?\s*$)/;
/** "`a`: …; `b`: …" lists values, which semicolons may separate. */
const LISTS_VALUES = /XX:.*XX:/;

/** Inline code and addresses count as one word each. */
export function maskCode(text: string): string {
  return text.replaceAll(/`[^`]*`|\]\([^)]*\)|\b[a-z0-9]+:\/\/[^\s"'<>)]+/g, (code) => 'X'.repeat(code.length));
}

export const sentenceRule: TextlintRuleModule = ({ report, RuleError, locator, getSource }) => ({
  Paragraph(node) {
    const text = maskCode(getSource(node)).replaceAll(/\s/g, ' ');
    // The errors of `@throws` and the cells of a table are lists.
    if (/^\s*(?:@throws|\|)/.test(text)) return;
    for (const { segment, index } of SENTENCES.segment(text)) {
      for (const fault of faultsOf(segment.trim().replace(/^@\w+ /, '')))
        report(node, new RuleError(fault, { padding: locator.range([index, index + 1]) }));
    }
  },
});

function faultsOf(sentence: string): string[] {
  const words = sentence.match(WORD)?.length ?? 0;
  const semicolons = sentence.match(/;(?= )/g)?.length ?? 0;
  return [
    ...(words > MAX_WORDS ? [`a sentence of ${words} words: split it, ${MAX_WORDS} at most`] : []),
    ...(semicolons > MAX_SEMICOLONS && !LISTS_VALUES.test(sentence)
      ? [`${semicolons} semicolons in one sentence: split it, ${MAX_SEMICOLONS} at most`]
      : []),
    ...(HIDDEN_SUBJECT.test(sentence) ? [`"${sentence.split(' ', 3).join(' ')} …": start with the subject`] : []),
  ];
}
