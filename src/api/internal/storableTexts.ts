import type { RequestHandler } from 'express';
import { storable } from '../../domain/text.ts';

/**
 * Names, addresses and reasons are partly a hostile page's words: one NUL in them must not make a result impossible to store. In place, and not while the
 * body is parsed: a reviver takes ten times as long, during which nobody else is answered.
 */
export const storableTexts: RequestHandler = (req, _res, next) => {
  const waiting: unknown[] = [req.body];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part !== 'object' || part === null) continue;
    const fields = part as Record<string, unknown>;
    for (const key in fields) {
      const value = fields[key];
      if (typeof value === 'string') fields[key] = storable(value);
      else if (typeof value === 'object') waiting.push(value);
    }
  }
  next();
};
