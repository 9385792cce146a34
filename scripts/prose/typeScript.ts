/** Prose in TypeScript and JavaScript: comments and messages; in tests, comments and the names of tests. */
import { parseAst } from 'vitest/node';
import { hasWords, maskAsSpace, maskAsWord, maskCode, type Passage, paragraphsOf } from './passages.ts';

type Node = Record<string, unknown> & { readonly type: string; readonly start: number; readonly end: number };

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

interface Parsed {
  /** Literals and parts of templates, in which `//` begins no comment. */
  readonly literals: Node[];
  /** Strings and whole templates. */
  readonly texts: Node[];
  readonly testNames: Node[];
}

const MODULES = [
  'ImportDeclaration',
  'ExportAllDeclaration',
  'ExportNamedDeclaration',
  'ImportExpression',
  'TSImportType',
];
/** Templates in another language, and lists of words. */
const OTHER_LANGUAGES = /^(?:sql|css|words)$/;
const CODE =
  /=>|\bfunction\b|;\s*\}|\{[\w-]+:[^}]*[;}]|^\s*(?:select|insert|update|delete|with|create|alter) |^Mozilla/;
const TEST_FUNCTIONS = /^(?:it|test|describe|suite)$/;
/** A string of fewer words is a name or a value. */
const MESSAGE_WORDS = 3;

/** @param file decides how it is read: `.ts` or `.js`, a test or a program. */
export function typeScriptPassages(file: string, text: string): Passage[] {
  const { literals, texts, testNames } = parse(file, text);
  const isTest = /(?:^|\/)test\//.test(file);
  return [
    ...commentsOf(text, literals),
    ...(isTest ? testNames : texts).flatMap((node) => passageOf(text, node, isTest ? 1 : MESSAGE_WORDS)),
  ];
}

function parse(file: string, text: string): Parsed {
  const found: Parsed = { literals: [], texts: [], testNames: [] };
  const visit = (value: unknown, isProse: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, isProse);
    if (!isNode(value)) return;
    if (value.type === 'TemplateElement' || isString(value) || 'regex' in value) found.literals.push(value);
    if (isProse && isText(value)) found.texts.push(value);
    if (value.type === 'CallExpression' && TEST_FUNCTIONS.test(nameOf(value['callee']))) {
      found.testNames.push(...nodesOf(value['arguments']).slice(0, 1).filter(isText));
    }
    for (const [key, child] of Object.entries(value)) {
      if (typeof child === 'object') visit(child, isProse && !isForeign(value, key));
    }
  };
  visit(parseAst(text, { lang: file.endsWith('.ts') ? 'ts' : 'js' }), true);
  return found;
}

function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isString(node: Node): boolean {
  return node.type === 'Literal' && typeof node['value'] === 'string';
}

function isText(node: Node): boolean {
  return isString(node) || node.type === 'TemplateLiteral';
}

/** Whether this child is no prose: the name of a module, or a template in another language. */
function isForeign(node: Node, key: string): boolean {
  if (MODULES.includes(node.type)) return key === 'source';
  return node.type === 'TaggedTemplateExpression' && key === 'quasi' && OTHER_LANGUAGES.test(nameOf(node['tag']));
}

/** `it` of `it`, `it.each`, `it.each(table)` and `` it.each`table` ``. */
function nameOf(value: unknown): string {
  if (!isNode(value)) return '';
  if (typeof value['name'] === 'string') return value['name'];
  return nameOf(value['object'] ?? value['callee'] ?? value['tag']);
}

/** Without quotes, escapes and markup; each value that is filled in counts as one word. */
function passageOf(text: string, { start, end, ...node }: Node, atLeast: number): Passage[] {
  let inner = text.slice(start + 1, end - 1);
  for (const value of nodesOf(node['expressions'])) {
    const [from, to] = [value.start - start - 3, value.end - start];
    inner = inner.slice(0, from) + 'X'.repeat(to - from) + inner.slice(to);
  }
  if (CODE.test(inner)) return [];
  const plain = [/\\u[0-9a-f]{4}/gi, /\\[^`]/g, /<[^>]*>/g].reduce(maskAsSpace, inner).replaceAll('\\`', ' `');
  const masked = maskCode(maskAsWord(plain, /%[sdo]|\$\w+/g));
  if (!hasWords(masked, atLeast)) return [];
  if (/<\w/.test(inner)) return [{ kind: 'label', start: start + 1, text: masked }];
  return inner.includes('\n')
    ? paragraphsOf(masked, start + 1)
    : [{ kind: 'sentences', start: start + 1, text: masked }];
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?:\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+/g;
const FOR_TOOLS = /^\/\/ ?(?:biome-ignore|oxlint|@ts-|# ?source)/;

/** Comments are found outside of the literals, where `//` and `/*` mean nothing else. */
function commentsOf(text: string, literals: readonly Node[]): Passage[] {
  let code = '';
  for (const { start, end } of literals.toSorted((one, two) => one.start - two.start)) {
    code += text.slice(code.length, start) + text.slice(start, end).replaceAll(/[^\n]/g, '_');
  }
  code += text.slice(code.length);
  return [...code.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    if (FOR_TOOLS.test(comment)) return [];
    const prose = [/^\/\*+/g, /\*+\/$/g, /^\s*\*(?=\s)/gm, /\/\/+/g].reduce(maskAsSpace, comment);
    return paragraphsOf(prose, index);
  });
}
