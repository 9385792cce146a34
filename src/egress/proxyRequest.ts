import type { IncomingMessage } from 'node:http';
import { FAILURE_HEADER } from './errors.ts';

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

/** A request to the proxy that names its target by a whole URL. */
export interface AbsoluteTarget {
  readonly url: URL;
  /** Path and query as the client sent them, because a proxy must not change them (RFC 9110, 7.7). */
  readonly path: string;
}

/** User names, backslashes, and any number of slashes but two make programs read different hosts in one URL. */
const ABSOLUTE = /^(?:http|ws):\/\/([^/?#@\\]+)([^#]*)/i;

export function absoluteTarget({ url: text = '' }: IncomingMessage): AbsoluteTarget | undefined {
  const [, authority, rest = ''] = ABSOLUTE.exec(text) ?? [];
  if (authority === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.port === '0') return undefined;
  return { url, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** The target of a CONNECT request. An IPv6 address has brackets. */
export interface Authority {
  readonly host: string;
  readonly port: number;
}

export function authority(text: string): Authority | undefined {
  const match = /^(\[[^\]]+\]|[^:@/?#\s]+):(\d{1,5})$/.exec(text);
  return match ? { host: match[1]?.toLowerCase() ?? '', port: Number(match[2]) } : undefined;
}

/**
 * @returns why the proxy rejects a request that Node's parser accepts, or undefined. No browser sends such a request, and
 *   programs read it in different ways.
 */
export function requestFault(request: IncomingMessage): string | undefined {
  const { method, headers, httpVersion } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return `HTTP/${httpVersion} is not supported`;
  if (method === 'TRACE') return 'the proxy does not forward TRACE';
  if (hostLines(request) > 1) return 'there is more than one Host';
  if (!/^[^\s/?#@,\\]*$/.test(headers.host ?? '')) return 'the Host is not a host';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return `the transfer coding ${coding} is not supported`;
  if (coding !== undefined && httpVersion === '1.0') return 'HTTP/1.0 has no transfer codings';
  if (method === 'CONNECT' && hasBody(request)) return 'a request for a tunnel has no body';
  return undefined;
}

/** Other protocols, such as h2c, would let a server receive requests that the proxy does not see. */
export function isWebSocketUpgrade(request: IncomingMessage): boolean {
  const { method, headers, httpVersion } = request;
  return (
    method === 'GET' && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket' && !hasBody(request)
  );
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function hostLines(request: IncomingMessage): number {
  return headerPairs(request.rawHeaders).filter(([name]) => name.toLowerCase() === 'host').length;
}

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
