import type { RequestHandler } from 'express';
import { Failure } from '../../domain/failure.ts';

/** Rejects a path or query whose percent-encoding is not that of UTF-8. Otherwise a filter would compare with other text than the client meant. */
export const requireEncoding: RequestHandler = ({ originalUrl }, _response, next) => {
  const start = originalUrl.indexOf('?');
  const [path, query] = start < 0 ? [originalUrl, ''] : [originalUrl.slice(0, start), originalUrl.slice(start + 1)];
  if (!isEncoded(path)) throw malformed('path');
  if (!isEncoded(query)) throw malformed('query');
  next();
};

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function malformed(part: 'path' | 'query'): Failure {
  const text = `has a percent sign that does not begin the encoding of a character in UTF-8. Write a percent sign as %25.`;
  return new Failure({ status: 400, code: 'malformed', errors: { [part]: [text] } });
}
