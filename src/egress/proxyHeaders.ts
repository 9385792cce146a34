import { FAILURE_HEADER } from './failures.ts';

/** Headers for a single connection. A proxy never forwards them (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * @returns the headers to forward, as Node's flat list of names and values. The proxy's own header is removed, too, so
 *   that no server can pretend to be the proxy.
 */
export function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  const named = new Set(connectionTokens(rawHeaders));
  return keepHeaders(rawHeaders, (name) => !HOP_BY_HOP.has(name) && !named.has(name) && name !== FAILURE_HEADER);
}

/** Like `endToEndHeaders`, but keeps the headers of the upgrade. */
export function upgradeHeaders(rawHeaders: readonly string[]): string[] {
  return keepHeaders(rawHeaders, (name) => !name.startsWith('proxy-'));
}

/** @returns the headers with one Host, the one of the URL, because the guard checks that one. */
export function withHost(headers: readonly string[], host: string): string[] {
  return ['Host', host, ...keepHeaders(headers, (name) => name !== 'host')];
}

function keepHeaders(rawHeaders: readonly string[], keep: (lowerName: string) => boolean): string[] {
  return headerPairs(rawHeaders)
    .filter(([name]) => keep(name.toLowerCase()))
    .flat();
}

function connectionTokens(rawHeaders: readonly string[]): string[] {
  return headerPairs(rawHeaders)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    .map((token) => token.trim().toLowerCase());
}

export function headerPairs(rawHeaders: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) list.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return list;
}
