/** The rules for prose, on a passage of text whose code and markup are masked out. */
import { AVOIDED_STARTS, AVOIDED_WORDS, type Avoided } from './words.ts';

/** `label`: a heading or a cell of a table, which need not be a sentence. */
export type PassageKind = 'sentences' | 'label';

export interface Finding {
  readonly message: string;
  /** Offset in the passage. */
  readonly index: number;
}

/** Style aims at 25 words; readers lose a longer sentence than this. */
const MAX_WORDS = 30;
const MAX_SEMICOLONS = 1;

const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’_./-]*/gu;
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
/** "`a`: …; `b`: …" lists values, which semicolons may separate. */
const LISTS_VALUES = /XX:.*XX:/;

const compiled = (list: readonly Avoided[], before: string, flags: string) =>
  list.map(({ pattern, instead }) => ({
    instead,
    pattern: new RegExp(`${before}(?:${pattern})(?![\\p{L}\\p{N}-])`, flags),
  }));
const WORDS = compiled(AVOIDED_WORDS, '(?<=^|[^\\p{L}\\p{N}-])', 'giu');
/** Most passages have none, and one pattern finds that out faster than fifty. */
const ANY_WORD = new RegExp(AVOIDED_WORDS.map(({ pattern }) => pattern).join('|'), 'iu');
const STARTS = compiled(AVOIDED_STARTS, '^', 'u');

/** @param text one passage; line breaks count as spaces. */
export function checkPassage(text: string, kind: PassageKind): Finding[] {
  const flat = text.replaceAll(/\s/g, ' ');
  const findings = avoidedWords(flat);
  if (kind === 'label') return findings;
  for (const { segment, index } of SENTENCES.segment(flat)) {
    const sentence = segment.trimStart();
    const start = index + segment.length - sentence.length;
    findings.push(...sentenceFaults(sentence).map((message) => ({ message, index: start })));
  }
  return findings;
}

function avoidedWords(text: string): Finding[] {
  if (!ANY_WORD.test(text)) return [];
  return WORDS.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ message: `"${found}": write ${instead}`, index })),
  );
}

function sentenceFaults(sentence: string): string[] {
  const faults: string[] = [];
  const words = sentence.match(WORD)?.length ?? 0;
  if (words > MAX_WORDS) faults.push(`a sentence of ${words} words: split it, ${MAX_WORDS} at most`);
  const semicolons = sentence.match(/;(?= )/g)?.length ?? 0;
  if (semicolons > MAX_SEMICOLONS && !LISTS_VALUES.test(sentence)) {
    faults.push(`${semicolons} semicolons in one sentence: split it, ${MAX_SEMICOLONS} at most`);
  }
  const avoided = STARTS.find(({ pattern }) => pattern.test(sentence));
  if (avoided !== undefined && !/\?["')]?\s*$/.test(sentence)) {
    faults.push(`"${sentence.split(' ', 3).join(' ')} …": ${avoided.instead}`);
  }
  return faults;
}
