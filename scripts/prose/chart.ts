/** Prose in YAML, Helm templates, shell scripts and Makefiles: comments, texts for people, the notes of an installation. */
import { isScalar, parseDocument, visit } from 'yaml';
import { hasWords, maskAsSpace, maskAsWord, maskCode, type Passage, paragraphsOf } from './passages.ts';

const FOR_PEOPLE = ['description', 'summary', 'message'];
/** In a template, a string of fewer words is a name or a value. */
const MESSAGE_WORDS = 4;

export function chartPassages(file: string, text: string): Passage[] {
  if (file.endsWith('NOTES.txt')) return notesPassages(text);
  const isTemplate = /\.tpl$|\/templates\//.test(file);
  if (isTemplate) return [...hashComments(text), ...templatePassages(text)];
  return /\.ya?ml$/.test(file) ? [...hashComments(text), ...valuePassages(text)] : hashComments(text);
}

/** Lines of `#` that follow each other; `@schema` lines hold JSON. */
function hashComments(text: string): Passage[] {
  const block = /^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*/gm;
  return [...text.matchAll(block)].flatMap(({ 0: comment, index }) => {
    const prose = [/^\s*#\s*@schema.*$/gm, /^\s*#!.*$/gm, /^\s*#+/gm, /#+\s*$/gm].reduce(maskAsSpace, comment);
    return paragraphsOf(prose, index);
  });
}

/** Comments and quoted messages between the braces of a template. */
function templatePassages(text: string): Passage[] {
  const comments = [...text.matchAll(/\{\{-?\s*\/\*([\s\S]*?)\*\//g)].flatMap(({ 0: whole, 1: inner = '', index }) =>
    paragraphsOf(inner, index + whole.length - 2 - inner.length),
  );
  const messages = [...text.matchAll(/\{\{(?!-?\s*\/\*)[\s\S]*?\}\}/g)].flatMap((action) =>
    [...action[0].matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].flatMap(({ 1: inner = '', index }) => {
      const masked = maskCode(maskAsWord(inner, /%[a-z]|\{\{[^}]*\}\}/g));
      return sentences(masked, action.index + index + 1);
    }),
  );
  return [...comments, ...messages];
}

/** Values of keys such as `description`, also of alerts. */
function valuePassages(text: string): Passage[] {
  const passages: Passage[] = [];
  visit(parseDocument(text), {
    Pair: (_key, { key, value }) => {
      if (!isScalar(key) || !FOR_PEOPLE.includes(String(key.value)) || !isScalar(value) || !value.range) return;
      const [start, end] = value.range;
      const masked = maskAsWord(text.slice(start, end), /\{\{[^}]*\}\}/g);
      passages.push(...sentences(maskCode(maskAsSpace(masked, /^(?:[>|][-+]?|["'])|["']$/g)), start));
    },
  });
  return passages;
}

/** The text that Helm prints. Commands are indented by four spaces or more. */
function notesPassages(text: string): Passage[] {
  const control = /\{\{-?\s*(?:if|else|end|with|range|\$\w+ :=)[^}]*\}\}/g;
  const plain = [/^ {4,}.*$/gm, control].reduce(maskAsSpace, text);
  return paragraphsOf(maskAsWord(plain, /\{\{[^}]*\}\}/g), 0);
}

function sentences(text: string, start: number): Passage[] {
  return hasWords(text, MESSAGE_WORDS) ? [{ kind: 'sentences', start, text }] : [];
}
