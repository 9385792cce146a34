/** Requests that the parser of Node’s HTTP server refuses before any route sees them. */
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { holdFreePort } from '../../../../src/commands/dev/ports.ts';
import { type HttpServer, type ListenOptions, startHttpServer } from '../../../../src/commands/service/httpServer.ts';
import { eventually } from '../../../support/eventually.ts';
import { rawExchange } from '../../../support/rawHttp.ts';

let server: HttpServer;
const start = async (options: Partial<ListenOptions> = {}) => {
  server = await startHttpServer((request, response) => void request.resume().once('end', () => response.end('fine')), {
    ...{ host: '127.0.0.1', port: 0, name: 'the public API', ...options },
  });
};
afterEach(() => server.close(0));

test.each([
  [400, 'malformed', 'GET / HTTP/1.1\r\nHost : a\r\n\r\n'],
  [400, 'malformed', 'GET /a\nb HTTP/1.1\r\nHost: a\r\n\r\n'],
  [400, 'malformed', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n'],
  [400, 'malformed', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
  [413, 'too_large', `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\n`],
  [431, 'headers_too_large', `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
])('the parser answers %i with the code %s in JSON', async (status, code, sent) => {
  await start();
  const [head = '', body = ''] = (await rawExchange(server.port, sent)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nContent-Type: application/json`));
  const id = /X-Request-Id: (\S+)/.exec(head)?.[1];
  expect(JSON.parse(body)).toEqual({
    ...{ status: 'failure', code, request_id: id },
    errors: { request: [expect.any(String)] },
  });
});

test.each([17_000, 100_000, 4_000_000])(
  'a client that sends a URL of %i characters gets 431, and the connection is not reset before',
  async (characters) => {
    await start();
    const answer = await rawExchange(server.port, `GET /${'x'.repeat(characters)} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 431 .*"code":"headers_too_large"/s);
  },
);

test('headers that do not arrive in time get 408 in JSON', async () => {
  await start({ deadlines: { headersTimeout: 3_000, connectionsCheckingInterval: 100 } });
  const answer = await rawExchange(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n');
  expect(answer).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s);
});

test('a connection above the limit is closed at once, and one below it is served afterwards', async () => {
  await start({ maxConnections: 1 });
  const first = connect({ host: '127.0.0.1', port: server.port });
  await once(first, 'connect');
  expect(await rawExchange(server.port, '')).toBe('');
  first.destroy();
  await eventually(async () =>
    expect(await rawExchange(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'fine')).toContain('fine'),
  );
});

test('a held port is taken until its server starts on it, and free once that server has closed', async () => {
  const held = await holdFreePort();
  const { port } = held.address() as AddressInfo;
  const another = startHttpServer(() => undefined, { host: '127.0.0.1', port, name: 'another server' });
  await expect(another).rejects.toThrow(`Port ${port} for another server is in use.`);
  expect(await rawExchange(port, '').catch(() => '')).toBe('');
  await start({ port: held });
  expect(server.port).toBe(port);
  expect(await rawExchange(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'fine')).toContain('fine');
  await server.close(0);
  await start({ port });
});
