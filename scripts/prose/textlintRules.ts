/** Our rules as textlint rules: what is said (documents and sources), and how wide it is (documents). */
import type { TextlintRuleModule } from '@textlint/kernel';
import { maskCode } from './passages.ts';
import { checkPassage, type PassageKind } from './rules.ts';

/** The fields that the rules read of textlint's nodes. */
interface TextNode {
  readonly type: string;
  readonly raw: string;
  readonly range: readonly [number, number];
  readonly loc: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
  readonly value?: string;
  readonly children?: readonly TextNode[];
}

/** Columns of a line of Markdown; tables, code and the targets of links may be wider. */
const MAX_COLUMNS = 120;

export const proseRule: TextlintRuleModule = ({ report, RuleError, locator }) => {
  const check = (kind: PassageKind) => (node: Parameters<typeof report>[0] & TextNode) => {
    for (const { message, index } of checkPassage(proseOf(node), kind)) {
      report(node, new RuleError(message, { padding: locator.range([index, index + 1]) }));
    }
  };
  return { Paragraph: check('sentences'), Header: check('label'), TableCell: check('label') };
};

/** The node's text at the same offsets: inline code is one word, everything else that is no text is space. */
function proseOf(node: TextNode): string {
  const letters = Array.from({ length: node.raw.length }, () => ' ');
  const write = (part: TextNode): void => {
    const offset = part.range[0] - node.range[0];
    const isText = part.type === 'Str' || part.type === 'Code';
    if (isText) for (const [at, letter] of textOf(part).split('').entries()) letters[offset + at] = letter;
    for (const child of part.children ?? []) write(child);
  };
  write(node);
  return maskCode(letters.join(''));
}

function textOf({ type, raw, value }: TextNode): string {
  if (type === 'Code') return 'X'.repeat(raw.length);
  // Sources come masked, of the same length; in Markdown a value may be shorter, where something is escaped.
  return value?.length === raw.length ? value : raw;
}

export const widthRule: TextlintRuleModule = ({ report, RuleError, locator }) => {
  const exempt = new Set<number>();
  const skip = ({ loc }: TextNode) => {
    for (let line = loc.start.line; line <= loc.end.line; line += 1) exempt.add(line);
  };
  const checkLines = (document: Parameters<typeof report>[0]): void => {
    let offset = 0;
    for (const [at, line] of document.raw.split('\n').entries()) {
      const columns = [...line.replaceAll(/\]\([^)]*\)/g, '](…)')].length;
      if (columns > MAX_COLUMNS && !exempt.has(at + 1)) {
        const message = `a line of ${columns} columns: wrap at ${MAX_COLUMNS}`;
        report(document, new RuleError(message, { padding: locator.range([offset, offset + 1]) }));
      }
      offset += line.length + 1;
    }
  };
  return { CodeBlock: skip, Table: skip, Html: skip, 'Document:exit': checkLines };
};
