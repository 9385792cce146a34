/** Keeps of a text only what cannot be a secret, for people outside of the installation. */

/** A word, perhaps a name as in CamelCase or with hyphens, a code such as ECONNREFUSED or 42P01, or a short number. */
const PLAIN = /^[([]?(?:[A-Za-z]{1,20}(?:[-/_'’][A-Za-z]{1,20})?|[A-Z0-9]{5}|\d{1,5}(?:\.\d{1,3})?)[)\].,:;!?%]*$/;
const QUOTED = /"[^"]*"?|`[^`]*`?|'[^'\s]{2,}'/g;
/** The next word may be the value of a secret. */
const SECRET_NAME = /^(?:password|passwd|secret|token|key|authorization|bearer|basic|cookie|credential)s?[:=]?$/i;
const MAX = 400;

/** @returns the text with `…` in place of everything that is quoted, long, or no word, and of what follows the name of a secret. */
export function plainWords(text: string): string {
  const words = text.slice(0, MAX).replace(QUOTED, ' … ').split(/\s+/);
  const kept = words.map((word, at) =>
    PLAIN.test(word) && !SECRET_NAME.test(words[at - 1] ?? '') ? word : word === '' ? '' : '…',
  );
  return kept
    .join(' ')
    .replace(/(?:… )+…/g, '…')
    .trim();
}
