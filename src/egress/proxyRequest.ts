import type { IncomingMessage } from 'node:http';
import { headerPairs } from './proxyHeaders.ts';

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
