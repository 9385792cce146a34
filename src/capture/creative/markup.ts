/**
 * Reads untrusted markup in linear time. A regular expression that searches for a missing `>` from every `<` would take hours
 * for a megabyte.
 */

/** No useful tag is longer. */
const MAX_TAG = 16_384;

export interface Tag {
  readonly text: string;
  /** The offset of its first character. */
  readonly index: number;
}

/** @param names patterns of element names. Default: all elements. */
export function* tagsIn(html: string, names?: readonly string[]): Generator<Tag> {
  const opening = new RegExp(names === undefined ? '<[a-z]' : `<(?:${names.join('|')})\\b`, 'gi');
  for (let begin = opening.exec(html); begin; begin = opening.exec(html)) {
    const end = html.indexOf('>', opening.lastIndex);
    if (end < 0) return;
    yield { text: html.slice(begin.index, Math.min(end + 1, begin.index + MAX_TAG)), index: begin.index };
    opening.lastIndex = end + 1;
  }
}

/** @returns the text without all passages that start with `from` and end with `to`. A passage without an end stays. */
export function without(text: string, from: RegExp, to: RegExp): string {
  const [begin, end] = [new RegExp(from, 'gi'), new RegExp(to, 'gi')];
  let kept = '';
  let at = 0;
  for (let found = begin.exec(text); found; found = begin.exec(text)) {
    end.lastIndex = begin.lastIndex;
    if (end.exec(text) === null) break;
    kept += text.slice(at, found.index);
    at = end.lastIndex;
    begin.lastIndex = at;
  }
  return kept + text.slice(at);
}

export function withoutComments(html: string): string {
  return without(html, /<!--/, /-->/);
}

/** @returns the text in the first braces after `begin`; undefined if there are none. */
export function braced(text: string, begin: RegExp): string | undefined {
  const start = begin.exec(text);
  const open = start === null ? -1 : text.indexOf('{', start.index + start[0].length);
  const close = open < 0 ? -1 : text.indexOf('}', open);
  return close < 0 ? undefined : text.slice(open + 1, close);
}

/** @returns the value of an attribute of one tag. */
export function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`[\\s"']${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i').exec(tag);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
