/** Prose in files that textlint cannot read: comments, messages, names of tests, texts of the chart. */
import { parseAst } from 'vitest/node';
import { maskCode } from './sentenceRule.ts';

export interface Passage {
  /** Offset in the file. */
  readonly start: number;
  /** One line, as long as in the file. */
  readonly text: string;
}

type Node = Record<string, unknown> & { readonly type: string; readonly start: number; readonly end: number };
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

const isText = (value: unknown): value is Node =>
  isNode(value) &&
  (value.type === 'TemplateLiteral' || (value.type === 'Literal' && typeof value['value'] === 'string'));

const CODE =
  /=>|\bfunction\b|;\s*\}|\{[\w-]+:[^}]*[;}]|^\s*(?:select|insert|update|delete|with|create|alter) |^Mozilla/;
const FOR_TOOLS = /^\/\/ ?(?:biome-ignore|oxlint|@ts-|# ?source)/;
const COMMENT = /\/\*[\s\S]*?\*\/|(?:\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+/g;
const HASH_COMMENT = /^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*/gm;
/** In YAML, texts for people, also over several lines. */
const DESCRIPTION = /^( *)(?:- )?(?:description|summary|message): (?:[|>]-?\n(?:\1 +.*\n?)+|.*)/gm;
const BLANK = (text: string) => text.replaceAll(/[^\n]/g, ' ');
const WORD = (text: string) => 'X'.repeat(text.length);

/** @param file decides by its name how the text is read. */
export function passagesOf(file: string, text: string): Passage[] {
  if (/\.[jt]s$/.test(file)) return scriptPassages(file, text);
  if (file.endsWith('NOTES.txt')) {
    const plain = text.replaceAll(/^ {4,}.*$|\{\{-?\s*(?:if|else|end|with|range|\$\w+ :=)[^}]*\}\}/gm, BLANK);
    return paragraphs(plain.replaceAll(/\{\{[^}]*\}\}/g, WORD), 0);
  }
  const comments = found(text, HASH_COMMENT, (comment) =>
    comment.replaceAll(/^\s*#\s*@schema.*|^\s*#!.*|^\s*#+/gm, BLANK),
  );
  if (/\.tpl$|\/templates\//.test(file))
    return [
      ...comments,
      ...found(text, /\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/\/\*|\*\//g, BLANK)),
      // A string of fewer words is a name or a value.
      ...found(text, /"(?:[^"\\\n]|\\.)*"/g, (message) => message.replaceAll(/%[a-z]/g, WORD)).filter(hasWords(4)),
    ];
  const values = found(text, DESCRIPTION, (value) =>
    value.replace(/^.*?: (?:[|>]-?\n)?/, BLANK).replaceAll(/\{\{[^}]*\}\}/g, WORD),
  );
  return /\.ya?ml$/.test(file) ? [...comments, ...values.filter(hasWords(4))] : comments;
}

function found(text: string, pattern: RegExp, mask: (found: string) => string, atLeast = 2): Passage[] {
  return [...text.matchAll(pattern)].flatMap((match) => paragraphs(mask(match[0]), match.index, atLeast));
}

/** Blank lines, items of lists, tags such as `@returns` and rows of tables begin a new paragraph. */
function paragraphs(text: string, start: number, atLeast = 2): Passage[] {
  const parts = text.matchAll(/[^\n]+(?:\n(?!\s*(?:\n|$|[-*] |\d+\. |@\w+|#{1,6} |\|))[^\n]+)*/g);
  return [...parts]
    .map((part) => ({ start: start + part.index, text: maskCode(part[0]).replaceAll('\n', ' ') }))
    .filter(hasWords(atLeast));
}

function hasWords(atLeast: number) {
  return ({ text }: Passage) => (text.match(/\p{L}{2,}/gu)?.length ?? 0) >= atLeast;
}

function scriptPassages(file: string, text: string): Passage[] {
  const isTest = /(?:^|\/)test\//.test(file);
  const passages: Passage[] = [];
  let code = text;
  const visit = (value: unknown, isProse: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, isProse);
    if (!isNode(value)) return;
    // In these, `//` begins no comment.
    if ((isText(value) && value.type === 'Literal') || value.type === 'TemplateElement' || 'regex' in value)
      code =
        code.slice(0, value.start) +
        code.slice(value.start, value.end).replaceAll(/[^\n]/g, '_') +
        code.slice(value.end);
    if (isProse && isText(value)) passages.push(...messagePassages(text, value, isTest));
    const isNamed = value.type === 'CallExpression' && /^(?:it|test|describe|suite)$/.test(nameOf(value['callee']));
    for (const [key, child] of Object.entries(value)) {
      if (isTest && key === 'arguments' && Array.isArray(child))
        for (const [at, argument] of child.entries()) visit(argument, isNamed && at === 0 && isText(argument));
      else if (typeof child === 'object') visit(child, isProse && key !== 'source' && !isOtherLanguage(value, key));
    }
  };
  visit(parseAst(text, { lang: file.endsWith('.ts') ? 'ts' : 'js' }), !isTest);
  const comments = [...code.matchAll(COMMENT)].filter(([comment]) => !FOR_TOOLS.test(comment));
  return [
    ...comments.flatMap(({ 0: comment, index }) =>
      paragraphs(comment.replaceAll(/^\/\*+|\*+\/$|^\s*\*(?=\s)|\/\/+/gm, BLANK), index),
    ),
    ...passages,
  ];
}

/** Without quotes and escapes; each value that is filled in counts as one word. Tags of HTML begin a new passage. */
function messagePassages(text: string, { start, end, ...node }: Node, isTest: boolean): Passage[] {
  let inner = text.slice(start + 1, end - 1);
  const values = Array.isArray(node['expressions']) ? node['expressions'].filter(isNode) : [];
  for (const value of values) {
    const [from, to] = [value.start - start - 3, value.end - start];
    inner = inner.slice(0, from) + 'X'.repeat(to - from) + inner.slice(to);
  }
  if (CODE.test(inner)) return [];
  const plain = inner.replaceAll(/\\u[0-9a-f]{4}|\\./gi, BLANK).replaceAll(/%[sdo]|\$\w+/g, WORD);
  if (!hasWords(isTest ? 1 : 3)({ start, text: plain.replaceAll(/<[^>]*>/g, BLANK) })) return [];
  return found(plain, /[^<>]+(?=<|$)/g, (part) => part, 1).map((part) => ({ ...part, start: part.start + start + 1 }));
}

/** `it` of `it`, `it.each`, `it.each(table)` and `` it.each`table` ``. */
function nameOf(value: unknown): string {
  if (!isNode(value)) return '';
  return typeof value['name'] === 'string' ? value['name'] : nameOf(value['object'] ?? value['callee'] ?? value['tag']);
}

function isOtherLanguage(node: Node, key: string): boolean {
  return node.type === 'TaggedTemplateExpression' && key === 'quasi' && /^(?:sql|css|words)$/.test(nameOf(node['tag']));
}
