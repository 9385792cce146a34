import type { ResponseHead } from './errors.ts';

/** One request of a chain of redirects. */
export interface Hop {
  url: URL;
  method: string;
  headers: Headers;
  body: Buffer | string | undefined;
}

/** @returns the request that follows a redirect, or undefined if the response is the last one. */
export function nextHop(hop: Hop, { status, headers }: ResponseHead): Hop | undefined {
  const location = headers.get('location');
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  if (!URL.canParse(location, hop.url)) return undefined;
  const url = new URL(location, hop.url);
  url.username = '';
  url.password = '';
  const keepsBody = status === 307 || status === 308 || hop.method === 'GET' || hop.method === 'HEAD';
  return {
    url,
    method: keepsBody ? hop.method : 'GET',
    headers: headersFor(hop, { url, keepsBody }),
    body: keepsBody ? hop.body : undefined,
  };
}

/** Removes credentials at a redirect to another origin. */
function headersFor(hop: Hop, { url, keepsBody }: { url: URL; keepsBody: boolean }): Headers {
  const headers = new Headers(hop.headers);
  headers.delete('host');
  if (url.origin !== hop.url.origin) for (const name of ['authorization', 'cookie']) headers.delete(name);
  if (!keepsBody) for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
  return headers;
}
