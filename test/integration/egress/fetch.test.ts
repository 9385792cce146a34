import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import {
  ConnectionFailedError,
  HostNotFoundError,
  NetworkTimeoutError,
  ResponseTooLargeError,
  TlsError,
  TooManyRedirectsError,
} from '../../../src/egress/errors.ts';
import { createGuardedFetch, type GuardedFetchOptions } from '../../../src/egress/fetch.ts';
import { createGuard, EgressRefusedError, type GuardOptions } from '../../../src/egress/guard.ts';
import { abortAfterHeaders } from '../../support/abortAfterHeaders.ts';
import { dripping, type Listener, listen, listenHttp, startListener, withoutEnd } from '../../support/listeners.ts';

const opened: Listener[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
function keep(listener: Listener): Listener {
  opened.push(listener);
  return listener;
}

const LOOPBACK = { allow: ['127.0.0.0/8'] };
function fetchWith(guard: Partial<GuardOptions> = LOOPBACK, options: Partial<GuardedFetchOptions> = {}) {
  return createGuardedFetch({ guard: createGuard({ allow: [], ...guard }), ...options });
}
/** A server that redirects every request to one place. */
const redirecting = async (location: (port: number) => string, status = 302) => {
  const server: Listener = keep(
    await listenHttp((_request, response) => response.writeHead(status, { location: location(server.port) }).end()),
  );
  return server;
};

describe('forbidden addresses', () => {
  // guard.test.ts has all spellings of such addresses.
  test('an address of this machine is refused before any connection', async () => {
    const listener = keep(await listen());
    await expect(fetchWith({})(`http://0x7f.1:${listener.port}/`)).rejects.toThrow(EgressRefusedError);
    await expect(fetchWith({})(`https://0x7f.1:${listener.port}/`)).rejects.toThrow(EgressRefusedError);
    expect(listener.connections).toBe(0);
  });

  test('a redirect to an address of this machine is refused before any connection', async () => {
    const listener = keep(await listen());
    // The redirecting server itself is reached through a name and the one range that is open.
    const lookup = async () => [{ address: '127.0.0.9', family: 4 }];
    const server = keep(
      await listenHttp((_request, response) => {
        response.writeHead(302, { location: `http://0x7f.1:${listener.port}/` }).end();
      }, '127.0.0.9'),
    );
    const fetch = fetchWith({ allow: ['127.0.0.9/32'], lookup });
    await expect(fetch(`http://public.example:${server.port}/`)).rejects.toThrow(EgressRefusedError);
    expect([server.connections, listener.connections]).toEqual([1, 0]);
  });

  test('a name that resolves to an address of this machine is refused before any connection', async () => {
    const listener = keep(await listen());
    const lookup = async () => ['93.184.216.34', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    await expect(fetchWith({ lookup })(`http://rebound.example:${listener.port}/`)).rejects.toThrow(EgressRefusedError);
    expect(listener.connections).toBe(0);
  });

  test('a user name does not hide the host', async () => {
    const listener = keep(await listen());
    await expect(fetchWith({})(`http://public.example@127.0.0.1:${listener.port}/`)).rejects.toThrow(
      EgressRefusedError,
    );
    expect(listener.connections).toBe(0);
  });

  test.each([
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'data:text/plain,x',
    'view-source:http://x/',
    'chrome://version',
    'nonsense',
  ])('%s is refused, also as a redirect', async (url) => {
    await expect(fetchWith()(url)).rejects.toThrow(EgressRefusedError);
    if (url === 'nonsense') return;
    const server = await redirecting(() => url);
    await expect(fetchWith()(`${server.url}/`)).rejects.toThrow(EgressRefusedError);
  });
});

describe('redirects', () => {
  test('a redirect is followed with the method, body and headers of its status', async () => {
    const seen: string[] = [];
    const target = keep(
      await listenHttp(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        seen.push(`${request.method} ${request.url} ${body} ${request.headers.authorization ?? '-'}`);
        response.end('here');
      }),
    );
    const from = await redirecting(() => `${target.url}/next`, 302);
    const kept = await redirecting(() => `${target.url}/next`, 307);
    const init = { method: 'POST', body: 'data', headers: { authorization: 'secret' } };
    expect((await fetchWith()(`${from.url}/`, init)).url).toBe(`${target.url}/next`);
    await fetchWith()(`${kept.url}/`, init);
    expect(seen).toEqual(['GET /next  -', 'POST /next data -']);
  });

  test('a redirect is returned if no redirects are allowed', async () => {
    const target = keep(await listenHttp((_request, response) => response.end()));
    const from = await redirecting(() => `${target.url}/`);
    expect((await fetchWith(LOOPBACK, { maxRedirects: 0 })(`${from.url}/`)).status).toBe(302);
    expect(target.connections).toBe(0);
  });

  test('endless redirects fail', async () => {
    const circle = await redirecting((port) => `http://127.0.0.1:${port}/`);
    await expect(fetchWith()(`${circle.url}/`)).rejects.toThrow(TooManyRedirectsError);
  });
});

describe('bodies', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
  ] as const)('a body in the encoding %s is decoded', async (encoding, encode) => {
    const body = encode(Buffer.from('hello'));
    const server = keep(
      await listenHttp((_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body)),
    );
    expect((await fetchWith()(`${server.url}/`)).body.toString()).toBe('hello');
  });

  test('a missing body is not decoded', async () => {
    const server = keep(
      await listenHttp((_request, response) => response.writeHead(204, { 'content-encoding': 'gzip' }).end()),
    );
    expect((await fetchWith()(`${server.url}/`)).body).toHaveLength(0);
    expect((await fetchWith()(`${server.url}/`, { method: 'HEAD' })).body).toHaveLength(0);
  });

  test('a body that cannot be decoded is a failed connection with the status', async () => {
    const server = keep(
      await listenHttp((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')),
    );
    await expect(fetchWith()(`${server.url}/`)).rejects.toMatchObject({ head: { status: 200 } });
  });

  test('endless bodies and decompression bombs are cut at the limit and keep the status', async () => {
    const endless = keep(await listenHttp(withoutEnd));
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const bombing = keep(
      await listenHttp((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
    );
    for (const { url } of [endless, bombing]) {
      const failure = await fetchWith(LOOPBACK, { maxBytes: 1000 })(`${url}/`).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ResponseTooLargeError);
      expect(failure).toMatchObject({ head: { status: 200 }, partial: { length: 1000 } });
    }
    await expect.poll(() => endless.open).toBe(0);
  });

  test('a body of exactly the limit is accepted', async () => {
    const server = keep(await listenHttp((_request, response) => response.end('x'.repeat(1000))));
    expect((await fetchWith()(`${server.url}/`, { maxBytes: 1000 })).body).toHaveLength(1000);
    await expect(fetchWith()(`${server.url}/`, { maxBytes: 999 })).rejects.toThrow(ResponseTooLargeError);
  });

  test('a response with a megabyte of headers is rejected', async () => {
    const server = keep(
      await listen((socket) =>
        socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1024 * 1024)}\r\n\r\n`)),
      ),
    );
    await expect(fetchWith()(`${server.url}/`)).rejects.toThrow(ResponseTooLargeError);
  });
});

describe('deadlines', () => {
  const silentBody = () => listen((socket) => socket.resume().write('HTTP/1.1 200 OK\r\n\r\n'));
  const slowBody = () => dripping('HTTP/1.1 200 OK\r\n\r\n');

  test.each([
    ['never answers', () => listen()],
    ['sends a byte of its headers at a time', () => dripping('HTTP/1.1 200 OK\r\nx-slow: ')],
    ['falls silent after the headers', silentBody],
    ['sends a byte of its body at a time', slowBody],
  ] as const)('a server that %s causes a timeout', async (_what, start) => {
    const server = keep(await start());
    await expect(fetchWith(LOOPBACK, { timeoutMs: 150 })(`${server.url}/`)).rejects.toThrow(NetworkTimeoutError);
    await expect.poll(() => server.open).toBe(0);
  });

  test.each([
    ['falls silent after the headers', silentBody],
    ['sends a byte of its body at a time', slowBody],
  ] as const)('the timeout of a server that %s keeps the status', async (_what, start) => {
    const server = keep(await start());
    const attempt = fetchWith()(`${server.url}/`, { signal: abortAfterHeaders(server.url) });
    const failure = await attempt.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NetworkTimeoutError);
    expect(failure).toMatchObject({ head: { status: 200 } });
    await expect.poll(() => server.open).toBe(0);
  });

  test('the caller can abort a fetch', async () => {
    const server = keep(await listen());
    const attempt = fetchWith()(`${server.url}/`, { signal: AbortSignal.timeout(50) });
    await expect(attempt).rejects.toThrow(NetworkTimeoutError);
  });
});

describe('failures', () => {
  test('each kind of failure has its error class', async () => {
    const closed = await listen();
    await closed.close();
    await expect(fetchWith()(`${closed.url}/`)).rejects.toThrow(ConnectionFailedError);
    const reset = keep(await listen((socket) => socket.once('data', () => socket.resetAndDestroy())));
    await expect(fetchWith()(`${reset.url}/`)).rejects.toThrow(ConnectionFailedError);
    const lookup = () => Promise.reject(new Error('ENOTFOUND'));
    await expect(fetchWith({ lookup })('http://nowhere.example/')).rejects.toThrow(HostNotFoundError);
  });

  test('an error status is a response, not an error', async () => {
    const server = keep(
      await listenHttp((_request, response) => response.writeHead(503, { 'retry-after': '7' }).end('busy')),
    );
    const answer = await fetchWith()(`${server.url}/`);
    expect([answer.status, answer.headers.get('retry-after'), answer.body.toString()]).toEqual([503, '7', 'busy']);
  });
});

describe('TLS', () => {
  const pem = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8');
  const serve = async (cert: string) =>
    keep(
      await startListener(
        createTlsServer({ key: pem('server.key'), cert: pem(cert) }, (_request, response) => response.end('sealed')),
      ),
    );
  const trusting = () => fetchWith(LOOPBACK, { ca: pem('ca.pem') });

  test.each(['localhost', 'shop.localhost', '127.0.0.1'])('TLS with %s succeeds', async (host) => {
    const server = await serve('good.pem');
    expect((await trusting()(`https://${host}:${server.port}/`)).body.toString()).toBe('sealed');
  });

  test.each(['expired.pem', 'wrongHost.pem', 'selfSigned.pem'])(
    'a server with the certificate %s is rejected',
    async (cert) => {
      const server = await serve(cert);
      await expect(trusting()(`https://localhost:${server.port}/`)).rejects.toThrow(TlsError);
    },
  );

  test('TLS with a certificate of an unknown authority fails', async () => {
    const server = await serve('good.pem');
    await expect(fetchWith()(`https://localhost:${server.port}/`)).rejects.toThrow(TlsError);
  });

  test('TLS with a server that speaks plain HTTP fails', async () => {
    const server = keep(await listenHttp((_request, response) => response.end()));
    await expect(trusting()(`https://localhost:${server.port}/`)).rejects.toThrow(TlsError);
  });
});
