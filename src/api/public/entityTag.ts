/** Entity tags of JSON answers: a client that has the answer already need not get it again (RFC 9110, section 13.1.2). */
import { createHash } from 'node:crypto';
import type { Request } from 'express';

/** @returns a tag, which is the same for the same text. */
export const tagOf = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;

/** @returns whether `If-None-Match` names the tag, weak or strong, or any tag with `*`. */
export function hasTag(request: Request, tag: string): boolean {
  const given = (request.headersDistinct['if-none-match'] ?? []).join(',');
  if (given.trim() === '*') return true;
  const tags: readonly string[] = given.match(/"[^"]*"/g) ?? [];
  return tags.includes(tag);
}
