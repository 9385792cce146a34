import type { Request } from 'express';

/** @returns the query with `metadata[key]=value` as one object under `metadata`. The query parser does not support objects. */
export function listQuery({ query }: Pick<Request, 'query'>): Record<string, unknown> {
  const rest: [string, unknown][] = [];
  const pairs: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    const key = /^metadata\[(.*)\]$/s.exec(name)?.[1];
    if (key === undefined) rest.push([name, value]);
    else pairs.push([key, value]);
  }
  // Without brackets, `metadata` is a fault, which the schema reports.
  const metadata: [string, unknown][] =
    pairs.length > 0 && query['metadata'] === undefined ? [['metadata', Object.fromEntries(pairs)]] : [];
  return Object.fromEntries([...rest, ...metadata]);
}
