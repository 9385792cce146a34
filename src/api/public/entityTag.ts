/** Entity tags of JSON answers: a client that has the answer already need not get it again (RFC 9110, section 13.1.2). */
import { createHash } from 'node:crypto';
import type { Request } from 'express';

/** Characters that are hashed at once, in about a millisecond. */
const SLICE_CHARACTERS = 256 * 1024;

/** Steps to a tag, which is the same for the same text. */
export function* entityTagSteps(text: string): Generator<undefined, string> {
  const hash = createHash('sha256');
  for (let start = 0; start < text.length; start += SLICE_CHARACTERS) {
    hash.update(text.slice(start, start + SLICE_CHARACTERS));
    yield;
  }
  return `"${hash.digest('base64url').slice(0, 27)}"`;
}

/** @returns the tag of a short text. */
export const tagOf = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;

/** @returns whether `If-None-Match` names the tag, weak or strong, or any tag with `*`. */
export function hasTag(request: Request, tag: string): boolean {
  const given = (request.headersDistinct['if-none-match'] ?? []).join(',');
  if (given.trim() === '*') return true;
  const tags: readonly string[] = given.match(/"[^"]*"/g) ?? [];
  return tags.includes(tag);
}
