/** Tunnels, upgrades, connections with several requests, and connections that end early. */
import { CHUNKS, type CorpusCase, type CorpusTargets, SMUGGLED, withHeaders } from './types.ts';

const LENGTH = SMUGGLED.length;

const connect = (name: string, target: (targets: CorpusTargets) => string, more = '', after = ''): CorpusCase => ({
  name,
  bytes: (targets) => `CONNECT ${target(targets)} HTTP/1.1\r\nHost: ${targets.open}\r\n${more}\r\n${after}`,
});
/** In a tunnel that is open, the strict server reads this request. */
const INSIDE = 'GET /inside HTTP/1.1\r\nHost: inside\r\n\r\n';

const tunnels: readonly CorpusCase[] = [
  connect('a tunnel with early bytes', ({ open }) => open, '', INSIDE),
  connect('a tunnel with a length', ({ open }) => open, `Content-Length: ${LENGTH}\r\n`, INSIDE),
  connect('a tunnel with a length of 0', ({ open }) => open, 'Content-Length: 0\r\n', INSIDE),
  connect('a tunnel with a coding', ({ open }) => open, 'Transfer-Encoding: chunked\r\n', CHUNKS),
  connect(
    'a tunnel with a length and a coding',
    ({ open }) => open,
    'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
    CHUNKS,
  ),
  connect('a tunnel with Upgrade', ({ open }) => open, 'Connection: Upgrade\r\nUpgrade: h2c\r\n', INSIDE),
  connect('a tunnel with Expect', ({ open }) => open, 'Expect: 100-continue\r\n', INSIDE),
  connect('a tunnel with Proxy-Authorization', ({ open }) => open, 'Proxy-Authorization: Basic eDp5\r\n', INSIDE),
  connect('a tunnel to a forbidden address', ({ shut }) => shut, '', INSIDE),
  connect('a tunnel without a port', () => '127.0.0.1', '', INSIDE),
  connect('a tunnel with an empty port', () => '127.0.0.1:', '', INSIDE),
  connect('a tunnel to port 0', () => '127.0.0.1:0', '', INSIDE),
  connect('a tunnel to port 22', () => '127.0.0.1:22', '', INSIDE),
  connect('a tunnel to port 25', () => '127.0.0.1:25', '', INSIDE),
  connect('a tunnel to port 99999', () => '127.0.0.1:99999', '', INSIDE),
  connect('a tunnel to a port that exceeds 16 bits', ({ port }) => `127.0.0.1:${port + 65_536}`, '', INSIDE),
  connect('a tunnel to a port with leading zeros', ({ port }) => `127.0.0.1:0${port}`, '', INSIDE),
  connect('a tunnel to an IPv6 zone', ({ port }) => `[::1%lo]:${port}`, '', INSIDE),
  connect('a tunnel to an IPv6 zone that is encoded', ({ port }) => `[::1%25lo]:${port}`, '', INSIDE),
  connect('a tunnel to IPv6 without brackets', ({ port }) => `::1:${port}`, '', INSIDE),
  connect('a tunnel to an IPv4 address in IPv6', ({ shut }) => `[::ffff:127.0.0.2]:${shut.split(':')[1]}`, '', INSIDE),
  connect('a tunnel to a short address', ({ shut }) => `127.2:${shut.split(':')[1]}`, '', INSIDE),
  connect('a tunnel to an address as one number', ({ shut }) => `2130706434:${shut.split(':')[1]}`, '', INSIDE),
  connect('a tunnel to a name with a dot after it', ({ port }) => `localhost.:${port}`, '', INSIDE),
  connect('a tunnel with a user name', ({ open, shut }) => `${open}@${shut}`, '', INSIDE),
  connect('a tunnel with a user name before an allowed host', ({ open }) => `user:secret@${open}`, '', INSIDE),
  connect('a tunnel with a path', ({ open }) => `${open}/a`, '', INSIDE),
  connect('a tunnel with a URL', ({ open }) => `http://${open}`, '', INSIDE),
  connect('a tunnel with a query', ({ open }) => `${open}?a`, '', INSIDE),
  connect('a tunnel with a fragment', ({ open }) => `${open}#a`, '', INSIDE),
  connect('a tunnel with an encoded host', ({ shut }) => `%31%32%37.0.0.2:${shut.split(':')[1]}`, '', INSIDE),
  connect('a tunnel with a backslash', ({ open, shut }) => `${open}\\${shut}`, '', INSIDE),
  connect('a tunnel with a list', ({ open, shut }) => `${open},${shut}`, '', INSIDE),
  connect('a tunnel with NUL', ({ open, shut }) => `${open}\0${shut}`, '', INSIDE),
  connect('a tunnel without a target', () => '', '', INSIDE),
  {
    name: 'a tunnel with another Host',
    bytes: ({ open, shut }) => `CONNECT ${shut} HTTP/1.1\r\nHost: ${open}\r\n\r\n${INSIDE}`,
  },
  { name: 'a tunnel with HTTP/1.0', bytes: ({ open }) => `CONNECT ${open} HTTP/1.0\r\n\r\n${INSIDE}` },
  {
    name: 'a tunnel with two Hosts',
    bytes: ({ open }) => `CONNECT ${open} HTTP/1.1\r\nHost: ${open}\r\nHost: x\r\n\r\n${INSIDE}`,
  },
  { name: 'connect in lower case', bytes: ({ open }) => `connect ${open} HTTP/1.1\r\nHost: ${open}\r\n\r\n${INSIDE}` },
  {
    name: 'a tunnel after a request',
    bytes: ({ open }) => [
      `GET http://${open}/a HTTP/1.1\r\nHost: ${open}\r\n\r\n`,
      `CONNECT ${open} HTTP/1.1\r\nHost: x\r\n\r\n${INSIDE}`,
    ],
  },
];

const WEBSOCKET =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';
const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
const websocket = (name: string, more: string, body = '', method = 'GET') =>
  withHeaders(name, `${WEBSOCKET}${more}`, body, method);

const upgrades: readonly CorpusCase[] = [
  websocket('a websocket', ''),
  websocket('a websocket that sends a request at once', '', SMUGGLED),
  websocket('a websocket with a length', `Content-Length: ${LENGTH}\r\n`, SMUGGLED),
  websocket('a websocket with a coding', 'Transfer-Encoding: chunked\r\n', CHUNKS),
  websocket('a websocket by POST', `Content-Length: ${LENGTH}\r\n`, SMUGGLED, 'POST'),
  websocket('a websocket with a second Host', 'Host: inner\r\n'),
  websocket('a websocket with Proxy-Authorization', 'Proxy-Authorization: Basic eDp5\r\n'),
  withHeaders('a websocket without its headers', 'Connection: Upgrade\r\nUpgrade: websocket\r\n', '', 'GET'),
  withHeaders('an unknown version of websocket', `${WEBSOCKET.replace('13', '777')}`, SMUGGLED, 'GET'),
  {
    name: 'a websocket with HTTP/1.0',
    bytes: ({ open }) => `GET http://${open}/a HTTP/1.0\r\nHost: ${open}\r\n${WEBSOCKET}\r\n${SMUGGLED}`,
  },
  {
    name: 'a websocket to a forbidden address',
    bytes: ({ open, shut }) => `GET ws://${shut}/a HTTP/1.1\r\nHost: ${open}\r\n${WEBSOCKET}\r\n`,
  },
  { name: 'the scheme ws', bytes: ({ open }) => `GET ws://${open}/a HTTP/1.1\r\nHost: ${open}\r\n${WEBSOCKET}\r\n` },
  {
    name: 'the scheme ws without an upgrade',
    bytes: ({ open }) => `GET ws://${open}/a HTTP/1.1\r\nHost: ${open}\r\nConnection: close\r\n\r\n`,
  },
  withHeaders('an upgrade to h2c', H2C, SMUGGLED, 'GET'),
  withHeaders('an upgrade to h2c with a length', `${H2C}Content-Length: ${LENGTH}\r\n`, SMUGGLED),
  withHeaders(
    'an upgrade to h2c whose settings Connection does not name',
    'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n',
    '',
    'GET',
  ),
  withHeaders('an upgrade to TLS', 'Connection: Upgrade\r\nUpgrade: TLS/1.2\r\n', SMUGGLED, 'GET'),
  withHeaders('an upgrade to several protocols', 'Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n', SMUGGLED, 'GET'),
  withHeaders('Upgrade without Connection', 'Upgrade: websocket\r\n', SMUGGLED, 'GET'),
  withHeaders('Connection: Upgrade without Upgrade', 'Connection: Upgrade\r\n', SMUGGLED, 'GET'),
];

const hops: readonly CorpusCase[] = [
  ...[
    ...[
      'Connection: close, X-Private\r\nX-Private: y',
      'Connection: host',
      'Connection: close\r\nConnection: X-Private\r\nX-Private: y',
    ],
    ...[
      'Connection: close\r\nProxy-Connection: keep-alive',
      'Connection: close\r\nKeep-Alive: timeout=99',
      'Connection: close\r\nTE: trailers',
    ],
    ...[
      'Connection: close\r\nProxy-Authorization: Basic eDp5',
      'Connection: close\r\nProxy-Authenticate: Basic',
      'Connection: close\r\nMax-Forwards: 0',
    ],
    ...['Connection: close\r\nVia: 1.1 x', 'Connection: x\0y', 'Connection:', 'Connection: cookie\r\nCookie: a=b'],
  ].map((lines) => withHeaders(JSON.stringify(lines), `${lines}\r\n`, '', 'GET')),
  withHeaders('Max-Forwards 0 on a TRACE', 'Connection: close\r\nMax-Forwards: 0\r\n', '', 'TRACE'),
];

const expectations: readonly CorpusCase[] = [
  withHeaders(
    'Expect with its body at once',
    `Expect: 100-continue\r\nContent-Length: ${LENGTH}\r\nConnection: close\r\n`,
    SMUGGLED,
  ),
  withHeaders('Expect on a GET without a body', 'Expect: 100-continue\r\nConnection: close\r\n', '', 'GET'),
  withHeaders(
    'Expect on a GET with a body',
    `Expect: 100-continue\r\nContent-Length: ${LENGTH}\r\nConnection: close\r\n`,
    SMUGGLED,
    'GET',
  ),
  withHeaders(
    'Expect with a chunked body',
    'Expect: 100-continue\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n',
    CHUNKS,
  ),
  withHeaders('an unknown Expect', `Expect: nothing\r\nContent-Length: ${LENGTH}\r\n`, SMUGGLED),
  withHeaders('an obfuscated Expect', `Expect: y 100-continue\r\nContent-Length: ${LENGTH}\r\n`, SMUGGLED),
  withHeaders('Expect with a line feed', `Expect: \n100-continue\r\nContent-Length: ${LENGTH}\r\n`, SMUGGLED),
  withHeaders(
    'Expect twice',
    `Expect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: ${LENGTH}\r\nConnection: close\r\n`,
    SMUGGLED,
  ),
  {
    name: 'Expect with HTTP/1.0',
    bytes: ({ open }) =>
      `POST http://${open}/a HTTP/1.0\r\nHost: ${open}\r\nExpect: 100-continue\r\nContent-Length: ${LENGTH}\r\n\r\n${SMUGGLED}`,
  },
];

const get = (host: string, path: string, more = '') =>
  `GET http://${host}/${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
const CLOSE = 'Connection: close\r\n';

const sequences: readonly CorpusCase[] = [
  { name: 'two requests at once', bytes: ({ open }) => get(open, 'a') + get(open, 'b', CLOSE) },
  { name: 'twenty requests at once', bytes: ({ open }) => get(open, 'a').repeat(19) + get(open, 'b', CLOSE) },
  {
    name: 'a forbidden request after an allowed one',
    bytes: ({ open, shut }) => get(open, 'a') + get(shut, 'b', CLOSE),
  },
  {
    name: 'an allowed request after a forbidden one',
    bytes: ({ open, shut }) => get(shut, 'a') + get(open, 'b', CLOSE),
  },
  {
    name: 'a path only after an allowed request',
    bytes: ({ open }) => `${get(open, 'a')}GET /b HTTP/1.1\r\nHost: ${open}\r\n${CLOSE}\r\n`,
  },
  { name: 'nonsense after a request', bytes: ({ open }) => `${get(open, 'a')}nonsense\r\n\r\n` },
  { name: 'a request after one with Connection: close', bytes: ({ open }) => get(open, 'a', CLOSE) + get(open, 'b') },
  {
    name: 'a request after a POST without a length',
    bytes: ({ open }) => `POST http://${open}/a HTTP/1.1\r\nHost: ${open}\r\n\r\n${get(open, 'b', CLOSE)}`,
  },
  {
    name: 'HTTP/1.0 with keep-alive',
    bytes: ({ open }) =>
      `GET http://${open}/a HTTP/1.0\r\nHost: ${open}\r\nConnection: keep-alive\r\n\r\n${get(open, 'b', CLOSE)}`,
  },
  {
    name: 'HTTP/1.0 with Proxy-Connection',
    bytes: ({ open }) =>
      `GET http://${open}/a HTTP/1.0\r\nHost: ${open}\r\nProxy-Connection: keep-alive\r\n\r\n${get(open, 'b', CLOSE)}`,
  },
  {
    name: 'a request after HTTP/1.0',
    bytes: ({ open }) => `GET http://${open}/a HTTP/1.0\r\nHost: ${open}\r\n\r\n${get(open, 'b', CLOSE)}`,
  },
  {
    name: 'the server answers before the body ends, and the body is a request',
    bytes: ({ open }) => [
      `POST http://${open}/early HTTP/1.1\r\nHost: ${open}\r\nContent-Length: ${LENGTH}\r\n\r\n`,
      SMUGGLED + get(open, 'b', CLOSE),
    ],
  },
  {
    name: 'the server answers before a chunked body ends',
    bytes: ({ open }) => [
      `POST http://${open}/early HTTP/1.1\r\nHost: ${open}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      CHUNKS + get(open, 'b', CLOSE),
    ],
  },
  {
    name: 'a length with too few bytes, then the end',
    bytes: ({ open }) => `POST http://${open}/a HTTP/1.1\r\nHost: ${open}\r\nContent-Length: 100\r\n\r\n${SMUGGLED}`,
    halfClose: true,
  },
  {
    name: 'half a head, then the end',
    bytes: ({ open }) => `GET http://${open}/a HTTP/1.1\r\nHost: ${open}\r\n`,
    halfClose: true,
  },
  { name: 'a request, then the end', bytes: ({ open }) => get(open, 'a'), halfClose: true },
  {
    name: 'a tunnel, then the end',
    bytes: ({ open }) => `CONNECT ${open} HTTP/1.1\r\nHost: ${open}\r\n\r\n${INSIDE}`,
    halfClose: true,
  },
];

export const CONNECTIONS = {
  tunnels,
  upgrades,
  'hop-by-hop headers': hops,
  Expect: expectations,
  connections: sequences,
};
