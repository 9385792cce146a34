import { FAILURE_HEADER } from './failures.ts';

/** Meant for one connection only; never passed on by a proxy (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
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
 * The headers to pass on, as Node's flat list of names and values.
 * The proxy's own header goes too: no server may answer as if it were the proxy.
 */
export function endToEndHeaders(rawHeaders: readonly string[]): string[] {
  const named = new Set(connectionTokens(rawHeaders));
  return keepHeaders(rawHeaders, (name) => !HOP_BY_HOP.has(name) && !named.has(name) && name !== FAILURE_HEADER);
}

/** As `endToEndHeaders`, keeping what asks for the upgrade. */
export function upgradeHeaders(rawHeaders: readonly string[]): string[] {
  return keepHeaders(rawHeaders, (name) => !name.startsWith('proxy-'));
}

/** The list with its one Host being that of the URL, which is what was judged. */
export function withHost(headers: readonly string[], host: string): string[] {
  return ['Host', host, ...keepHeaders(headers, (name) => name !== 'host')];
}

function keepHeaders(rawHeaders: readonly string[], keep: (lowerName: string) => boolean): string[] {
  return pairs(rawHeaders)
    .filter(([name]) => keep(name.toLowerCase()))
    .flat();
}

function connectionTokens(rawHeaders: readonly string[]): string[] {
  return pairs(rawHeaders)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    .map((token) => token.trim().toLowerCase());
}

export function pairs(rawHeaders: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) list.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '']);
  return list;
}
