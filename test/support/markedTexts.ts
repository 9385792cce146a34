/** A catalogue of texts whose every text has marks, and what a page shows without them: words that come from no catalogue. */
import { parseDocument } from 'htmlparser2';

const OPEN = '⟦';
const CLOSE = '⟧';

/** Also marks names, so that a test sees only other words. */
export const marked = (text: string) => `${OPEN}${text}${CLOSE}`;

/** @returns the catalogue with marks around each text, also around those that its functions return. */
export function markedTexts<T>(texts: T): T {
  return markAll(texts) as T;
}

function markAll(value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? value : marked(value);
  if (typeof value === 'function') return (...given: unknown[]) => markAll(Reflect.apply(value, undefined, given));
  if (Array.isArray(value)) return value.map(markAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, markAll(inner)]));
}

/** Attributes that people see or hear, or whose texts scripts show. */
const SPOKEN = ['alt', 'title', 'aria-label', 'placeholder', 'data-play', 'data-stop', 'data-download'];
/** Times are written by the language, and names of files are for all languages. */
const UNSPOKEN = ['script', 'style', 'time', 'code'];
/** Not words of a language: names, hosts, units and formats. */
const NAMES = /Tearsheet|Logo|GIF|MB|[\w.-]+\.(?:example|pdf|zip|pptx)[\w/-]*/g;

type Node = ReturnType<typeof parseDocument>['children'][number];

/** @returns the texts of the page that hold words outside of marks. */
export function unmarkedTexts(page: string): string[] {
  return textsIn(parseDocument(page).children).filter((text) => /\p{L}{2,}/u.test(unmarked(text).replace(NAMES, '')));
}

function textsIn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => {
    if (node.type === 'text') return [node.data];
    if (!('children' in node)) return [];
    if (!('attribs' in node)) return textsIn(node.children);
    if (UNSPOKEN.includes(node.name)) return [];
    const { attribs } = node;
    const value = /^(?:text|email)$/.test(attribs['type'] ?? '') ? (attribs['value'] ?? '') : '';
    return [value, ...SPOKEN.map((name) => attribs[name] ?? ''), ...textsIn(node.children)];
  });
}

/** Marks may stand inside marks. */
function unmarked(text: string): string {
  const inner = text.replace(/⟦[^⟦⟧]*⟧/g, '');
  return inner === text ? text : unmarked(inner);
}
