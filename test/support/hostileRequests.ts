/** Requests to a proxy that a seed changes at random, as a hostile page or creative may send them. */
import type { Random } from './seededRandom.ts';

export interface RequestTargets {
  /** Authorities that the guard allows for requests. */
  readonly allowed: readonly string[];
  /** An authority that the guard allows, used for tunnels only. */
  readonly tunnel: string;
  readonly forbidden: readonly string[];
}

const INNER = 'GET /smuggled HTTP/1.1\r\nHost: inner\r\n\r\n';
const CHUNKED = `${INNER.length.toString(16)}\r\n${INNER}\r\n0\r\n`;

const TOKENS = [
  ...['\r', '\n', '\r\n', '\0', '\t', ' ', '\v', '\x85', '\xff', ':', '@', '#', '?', '\\', '/', '//', ',', ';', '%00'],
  ...['%0d%0a', '%2f', '..', '[', ']', '0', '-1', 'GET ', ' HTTP/1.1\r\n', 'HTTP/0.9', 'HTTP/2.0'],
];
const HEADERS = [
  ...['Content-Length: 0', 'Content-Length: +5', 'Content-Length: 5, 5', 'Content-Length: 0x10', 'Content-Length: -1'],
  ...['Content-Length: 9999999999999999999999', 'Content-Length : 5', 'Content-Length:\v5', 'Content_Length: 5'],
  ...['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked, identity', 'Transfer-Encoding: identity, chunked'],
  ...['Transfer-Encoding: xchunked', 'Transfer-Encoding : chunked', 'Transfer-Encoding:\tchunked', 'Transfer-Encoding'],
  ...['TRANSFER-ENCODING: CHUNKED', ' folded: chunked', 'Connection: content-length', 'Connection: transfer-encoding'],
  ...['Connection: host', 'Connection: close, x', 'Keep-Alive: timeout=1', 'TE: trailers', 'Trailer: Content-Length'],
  ...['Expect: 100-continue', 'Expect: nothing', 'Host: other', 'Host:', 'Proxy-Connection: keep-alive'],
  ...[
    'Upgrade: h2c\r\nConnection: upgrade, http2-settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
    'X: \r\n\tfolded',
    ': x',
  ],
];
const VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.1 HTTP/1.1', 'http/1.1', ''];
const METHODS = ['get', 'TRACE', 'OPTIONS', 'HEAD', 'PRI', 'DELETE', 'M-SEARCH', ' GET', 'GET\t'];

type Change = (text: string, random: Random) => string;

const cut = (text: string, at: number, count: number, added = '') => text.slice(0, at) + added + text.slice(at + count);
const place = (text: string, random: Random) => random.between(0, Math.max(0, text.length - 1));

const CHANGES: readonly Change[] = [
  (text, random) => cut(text, place(text, random), 1, String.fromCharCode(random.between(0, 255))),
  (text, random) => cut(text, place(text, random), random.between(1, 4)),
  (text, random) => cut(text, place(text, random), 0, random.pick(TOKENS)),
  (text, random) => insertLine(text, random.pick(HEADERS), random),
  (text, random) => insertLine(text, random.pick(text.split('\r\n')), random),
  (text, random) => text.split('\r\n').toSpliced(random.between(1, 3), 1).join('\r\n'),
  (text, random) => text.replace(random.pick(['\r\n', '\r\n\r\n']), random.pick(['\n', '\r', '\n\n', '\r\r\n'])),
  (text, random) => text.replace('HTTP/1.1', random.pick(VERSIONS)),
  (text, random) => text.replace(/^\S+/, random.pick(METHODS)),
  (text, random) => text.slice(0, place(text, random)),
];

function insertLine(text: string, line: string, random: Random): string {
  return text.split('\r\n').toSpliced(random.between(1, 3), 0, line).join('\r\n');
}

function template(targets: RequestTargets, random: Random): string {
  const any = random.pick([...targets.allowed, ...targets.allowed, ...targets.forbidden]);
  const tunnel = random.pick([targets.tunnel, ...targets.forbidden]);
  const head = (method: string, url: string, more = '') => `${method} ${url} HTTP/1.1\r\nHost: ${any}\r\n${more}\r\n`;
  return random.pick([
    head('GET', `http://${any}/ok`),
    head('GET', `http://${any}/ok`, `Content-Length: ${INNER.length}\r\n`) + INNER,
    head('POST', `http://${any}/ok`, `Content-Length: ${INNER.length}\r\n`) + INNER,
    `${head('POST', `http://${any}/ok`, 'Transfer-Encoding: chunked\r\n')}${CHUNKED}\r\n`,
    `${head('POST', `http://${any}/ok`, 'Transfer-Encoding: chunked\r\nTrailer: X-T\r\n')}${CHUNKED}Host: trailer\r\n\r\n`,
    head('GET', `http://${any}/first`) + head('GET', `http://${random.pick(targets.forbidden)}/second`),
    head('GET', `ws://${any}/live`, 'Connection: Upgrade\r\nUpgrade: websocket\r\n') + INNER,
    head('GET', '/origin-form'),
    head('OPTIONS', '*'),
    head('CONNECT', tunnel) + INNER,
  ]);
}

/** @returns a request as bytes in latin1. The proxy may refuse it, answer it or close the connection. */
export function hostileRequest(targets: RequestTargets, random: Random): string {
  let text = template(targets, random);
  for (let changes = random.between(0, 3); changes > 0; changes -= 1) text = random.pick(CHANGES)(text, random);
  return text;
}
