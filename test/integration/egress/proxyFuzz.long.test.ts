/** Sends many malformed requests through the proxy and looks at what arrives at the sockets of servers. */
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createGuard } from '../../../src/egress/guard.ts';
import { startEgressProxy } from '../../../src/egress/proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { type Listener, listen } from '../../support/listeners.ts';
import { type Random, seededRandom } from '../../support/seededRandom.ts';
import { readStrictly } from '../../support/strictRequest.ts';

const SEED = 20_261_123;
const REQUESTS = 2_000;
/** Many, because each incomplete request waits for a timeout of the proxy. */
const AT_ONCE = 256;
/** The proxy answers or closes by itself long before. */
const PATIENCE_MS = 240_000;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
function keep<T extends { close(): Promise<void> }>(thing: T): T {
  opened.push(thing);
  return thing;
}

/** A server that reads each connection strictly. `seen` gets the bytes of each connection that had any. */
function strictServer(seen: string[]): Promise<Listener> {
  return listen((socket: Socket) => {
    let bytes = '';
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      bytes += chunk;
      if (readStrictly(bytes).isComplete)
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    });
    socket.once('close', () => void (bytes !== '' && seen.push(bytes)));
  });
}

/** Sends the bytes and stays. @returns the answer, when the proxy has closed the connection. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let answer = '';
    const late = () => reject(new Error(`The proxy neither answered nor closed: ${JSON.stringify(bytes)}`));
    const timer = setTimeout(late, PATIENCE_MS);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    // A reset is an end, too.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(answer);
    });
    socket.write(bytes, 'latin1');
  });
}

test('malformed requests reach no forbidden address, and each server gets exactly one clear request', async () => {
  const seen: string[] = [];
  const allowed = keep(await strictServer(seen));
  const tunnel = keep(
    await listen((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('ok'),
    ),
  );
  const forbidden = keep(await listen());
  const guard = createGuard({
    allow: [`127.0.0.1:${allowed.port}`, `127.0.0.1:${tunnel.port}`],
    // Every name means this machine, as a hostile name server would answer.
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const proxy = keep(await startEgressProxy({ guard, idleMs: 5_000 }));
  const [open, shut] = [allowed.port, forbidden.port];
  const targets = {
    allowed: [`127.0.0.1:${open}`, `public.example:${open}`],
    tunnel: `public.example:${tunnel.port}`,
    forbidden: [
      ...[`127.0.0.1:${shut}`, `127.1:${shut}`, `[::1]:${shut}`, `localhost:${shut}`, `other.example:${shut}`],
      ...[`127.0.0.1:${open}@127.0.0.1:${shut}`, `127.0.0.1:${shut}#@127.0.0.1:${open}`, `2130706433:${shut}`],
    ],
  };
  const random = seededRandom(SEED);
  const requests = Array.from({ length: REQUESTS }, () => hostileRequest(targets, random));
  const answers: string[] = [];
  const port = Number(new URL(proxy.url).port);
  const worker = async () => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) answers.push(await exchange(port, next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await eventually(() => expect([allowed.open, tunnel.open]).toEqual([0, 0]));

  expect(forbidden.connections).toBe(0);
  for (const bytes of seen) {
    const { fault, host } = readStrictly(bytes);
    expect([fault, bytes]).toEqual([undefined, bytes]);
    // A changed name resolves to the same address.
    if (host !== undefined) expect(host).toMatch(new RegExp(`:${open}$`));
  }
  // The requests are not so broken that none arrives, and not so harmless that none is refused.
  expect(answers).toHaveLength(REQUESTS);
  expect(seen.length).toBeGreaterThan(20);
  expect(tunnel.connections).toBeGreaterThan(0);
  const statuses = new Set(answers.map((answer) => answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)));
  for (const status of ['200', '400', '403']) expect(statuses).toContain(status);
});

interface RequestTargets {
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
function hostileRequest(targets: RequestTargets, random: Random): string {
  let text = template(targets, random);
  for (let changes = random.between(0, 3); changes > 0; changes -= 1) text = random.pick(CHANGES)(text, random);
  return text;
}
