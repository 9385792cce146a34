/** A piece of prose in a file, with everything that is no prose masked out. */
import type { PassageKind } from './rules.ts';

export interface Passage {
  readonly kind: PassageKind;
  /** Offset in the file. */
  readonly start: number;
  /** As long as the text in the file, so that offsets stay true. */
  readonly text: string;
}

/** Replaces what a pattern matches by one word of the same length. */
export function maskAsWord(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (found) => 'X'.repeat(found.length));
}

/** Replaces what a pattern matches by spaces. */
export function maskAsSpace(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (found) => found.replaceAll(/[^\n]/g, ' '));
}

/** Inline code, addresses and links to symbols count as one word each. */
export function maskCode(text: string): string {
  return [/`[^`\n]*`/g, /\{@link [^}]*\}/g, /\b[a-z0-9]+:\/\/[^\s"'<>)]+/g].reduce(maskAsWord, text);
}

export function hasWords(text: string, atLeast: number): boolean {
  return (text.match(/\p{L}{2,}/gu)?.length ?? 0) >= atLeast;
}

const NEW_PARAGRAPH = /^\s*(?:[-*] |\d+\. |@\w+|#{1,6} |\|)/;

/**
 * Paragraphs of a comment: blank lines, list items and tags such as `@returns` begin a new one.
 * @param text the comment without its delimiters, these masked by spaces.
 */
export function paragraphsOf(text: string, start: number): Passage[] {
  const passages: Passage[] = [];
  let open: { start: number; text: string } | undefined;
  let offset = start;
  const close = () => {
    if (open !== undefined && hasWords(open.text, 2)) {
      // The errors of `@throws` and the cells of a table are lists.
      const kind = /^\s*(?:@throws|\|)/.test(open.text) ? 'label' : 'sentences';
      passages.push({ kind, start: open.start, text: maskAsSpace(maskCode(open.text), /^\s*@\w+/g) });
    }
    open = undefined;
  };
  for (const line of text.split('\n')) {
    if (line.trim() === '' || NEW_PARAGRAPH.test(line)) close();
    if (line.trim() !== '') {
      open = open === undefined ? { start: offset, text: line } : { ...open, text: `${open.text}\n${line}` };
    }
    offset += line.length + 1;
  }
  close();
  return passages;
}
