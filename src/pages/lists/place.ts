/** A row's position in a list as text for an address, and the links to the pages before and after. */

import type { KeysetRows, Place } from '../../db/keyset.ts';
import { isUuid } from '../../domain/slugs.ts';
import { textFault } from '../../domain/text.ts';
import { type HtmlContent, html } from '../../lib/html.ts';
import { addressOf } from '../paths.ts';

export function placeText({ value, id }: Place): string {
  return Buffer.from(`${id}${value}`).toString('base64url');
}

const ID_LENGTH = 36;
/** As PostgreSQL writes it, with microseconds. */
const TIME = /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{6}Z$/;

/** @returns undefined for anything that no link of ours contains; then the list begins at its first row. */
export function readPlace(text: unknown, isTime: boolean): Place | undefined {
  if (typeof text !== 'string' || text.length > 2_000) return undefined;
  const plain = Buffer.from(text, 'base64url').toString();
  const [id, value] = [plain.slice(0, ID_LENGTH), plain.slice(ID_LENGTH)];
  const isValue = isTime ? TIME.test(value) : textFault(value) === undefined;
  return isUuid(id) && isValue ? { id, value } : undefined;
}

/** Links to the list pages before and after this one. */
export function pageLinks(
  { rows, hasBefore, hasAfter }: KeysetRows<unknown>,
  path: string,
  given: Readonly<Record<string, string>>,
): HtmlContent {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined || !(hasBefore || hasAfter)) return null;
  const before =
    hasBefore &&
    html`<a rel="prev" href="${addressOf(path, { ...given, before: placeText(first.place) })}">Previous page</a>`;
  const after =
    hasAfter && html`<a rel="next" href="${addressOf(path, { ...given, after: placeText(last.place) })}">Next page</a>`;
  const start = hasBefore && html`<a href="${addressOf(path, given)}">First page</a>`;
  return html`<nav class="pages" aria-label="Pages">${start} ${before} ${after}</nav>`;
}
