import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { createGuard, type GuardOptions } from '../../../src/egress/guard.ts';
import { type EgressProxy, type EgressProxyOptions, startEgressProxy } from '../../../src/egress/proxy.ts';
import { type Listener, listen, listenHttp, withoutEnd } from '../../support/listeners.ts';
import { rawExchange } from '../../support/rawHttp.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
function keep<T extends { close(): Promise<void> }>(thing: T): T {
  opened.push(thing);
  return thing;
}

async function proxyWith(
  guard: Partial<GuardOptions>,
  options: Partial<EgressProxyOptions> = {},
): Promise<EgressProxy> {
  return keep(await startEgressProxy({ guard: createGuard({ allow: [], ...guard }), ...options }));
}
const LOOPBACK = { allow: ['127.0.0.0/8'] };
const portOf = (proxy: EgressProxy) => Number(new URL(proxy.url).port);
const tunnelTo = (proxy: EgressProxy, target: string, after = '') =>
  rawExchange(portOf(proxy), `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n${after}`);
const getThrough = (proxy: EgressProxy, url: string, headers: Record<string, string> = {}) =>
  send(proxy, url, { headers });

function send(
  proxy: EgressProxy,
  url: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<{ status: number; headers: IncomingMessage['headers']; body: string }> {
  return new Promise((resolve, reject) => {
    const { host } = new URL(url);
    const call = httpRequest({
      port: portOf(proxy),
      host: '127.0.0.1',
      path: url,
      method,
      headers: { host, ...headers },
    });
    call.on('error', reject);
    call.on('response', (response) => {
      const { headers, statusCode: status = 0 } = response;
      text(response).then((answer) => resolve({ status, headers, body: answer }), reject);
    });
    call.end(body);
  });
}

describe('forbidden addresses', () => {
  let listener: Listener;

  // guard.test.ts has all spellings of such addresses.
  test.each(['0x7f.1', '[::ffff:7f00:1]'])(
    '%s is refused as a request, a tunnel and an upgrade, before any connection',
    async (host) => {
      listener = keep(await listen());
      const proxy = await proxyWith({});
      const target = `${host}:${listener.port}`;
      const answers = [
        await rawExchange(portOf(proxy), `GET http://${target}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
        await tunnelTo(proxy, target),
        await rawExchange(
          portOf(proxy),
          `GET ws://${target}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
        ),
      ];
      for (const answer of answers)
        expect(answer).toMatch(/^HTTP\/1.1 403 Forbidden\r\n[\s\S]*x-tearsheet-egress: refused\r\n/);
      expect(listener.connections).toBe(0);
      expect(proxy.refusals.length).toBeGreaterThan(0);
    },
  );

  test('a name that resolves to an address of this machine is refused before any connection', async () => {
    listener = keep(await listen());
    const lookup = async () => ['93.184.216.34', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    const proxy = await proxyWith({ lookup });
    const target = `rebound.example:${listener.port}`;
    expect((await getThrough(proxy, `http://${target}/`)).status).toBe(403);
    expect(await tunnelTo(proxy, target)).toContain('403 Forbidden');
    expect(listener.connections).toBe(0);
  });

  test('a user name does not hide the host', async () => {
    listener = keep(await listen());
    const proxy = await proxyWith({ lookup: async () => [{ address: '93.184.216.34', family: 4 }] });
    const answer = await rawExchange(
      portOf(proxy),
      `GET http://public.example@127.0.0.1:${listener.port}/ HTTP/1.1\r\nHost: public.example\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toContain('403 Forbidden');
    expect(await tunnelTo(proxy, `public.example@127.0.0.1:${listener.port}`)).toContain('400 Bad Request');
    expect(listener.connections).toBe(0);
  });

  test.each([22, 25, 6379, 10250])('port %i is refused', async (port) => {
    const proxy = await proxyWith({});
    expect(await tunnelTo(proxy, `93.184.216.34:${port}`)).toContain(`port ${port} is`);
    expect((await getThrough(proxy, `http://93.184.216.34:${port}/`)).status).toBe(403);
  });

  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]'])(
    'the address %s of the proxy itself is refused even if its range is allowed',
    async (host) => {
      const proxy = await proxyWith({ allow: ['0.0.0.0/0', '::/0'] });
      const own = `${host}:${portOf(proxy)}`;
      expect(await tunnelTo(proxy, own)).toContain('this is the address of the proxy itself');
      expect((await getThrough(proxy, `http://${own}/`)).status).toBe(403);
    },
  );

  test.each(['/', 'ftp://127.0.0.1/', 'gopher://127.0.0.1/', 'https://127.0.0.1/', 'file:///etc/passwd'])(
    'the request target %s is not forwarded',
    async (target) => {
      const proxy = await proxyWith(LOOPBACK);
      const answer = await rawExchange(portOf(proxy), `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).toContain('403 Forbidden');
    },
  );

  test('each refusal is listed once, up to a limit', async () => {
    const proxy = await proxyWith({});
    await getThrough(proxy, 'http://10.0.0.1/a');
    await getThrough(proxy, 'http://10.0.0.1/b');
    expect(proxy.refusals).toEqual([
      {
        host: '10.0.0.1',
        port: 80,
        kind: 'refused',
        reason: expect.stringContaining('not a public address (private)'),
      },
    ]);
    for (let port = 2000; port < 2300; port++) await getThrough(proxy, `http://10.0.0.1:${port}/`);
    expect(proxy.refusals).toHaveLength(256);
  });
});

describe('failed connections', () => {
  test('a name without an address is 502 not-found', async () => {
    const proxy = await proxyWith({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    const answer = await getThrough(proxy, 'http://nowhere.example/');
    expect([answer.status, answer.headers['x-tearsheet-egress']]).toEqual([502, 'not-found']);
    expect(await tunnelTo(proxy, 'nowhere.example:443')).toMatch(/502 Bad Gateway\r\nx-tearsheet-egress: not-found/);
    expect(proxy.failures.map(({ host, port, kind }) => `${kind} ${host}:${port}`)).toEqual([
      'not-found nowhere.example:80',
      'not-found nowhere.example:443',
    ]);
    expect(proxy.refusals).toEqual([]);
  });

  test('a port where nothing listens is 502 unreachable', async () => {
    const closed = await listen();
    await closed.close();
    const proxy = await proxyWith(LOOPBACK);
    const answer = await getThrough(proxy, `${closed.url}/`);
    expect([answer.status, answer.headers['x-tearsheet-egress']]).toEqual([502, 'unreachable']);
    expect(await tunnelTo(proxy, `127.0.0.1:${closed.port}`)).toContain('x-tearsheet-egress: unreachable');
  });

  test('a server that accepts and never answers is 504 timeout', async () => {
    const silent = keep(await listen());
    const proxy = await proxyWith(LOOPBACK, { idleMs: 50 });
    const answer = await getThrough(proxy, `${silent.url}/`);
    expect([answer.status, answer.headers['x-tearsheet-egress']]).toEqual([504, 'timeout']);
  });

  test('a server that resets or does not speak HTTP is 502 unreachable', async () => {
    const proxy = await proxyWith(LOOPBACK);
    for (const talk of ['reset', 'nonsense'] as const) {
      const server = keep(
        await listen((socket) => {
          socket.once('data', () => (talk === 'reset' ? socket.resetAndDestroy() : socket.end('nonsense\r\n\r\n')));
        }),
      );
      const answer = await send(proxy, `${server.url}/`, { method: 'POST', body: 'x'.repeat(1000) });
      expect([answer.status, answer.headers['x-tearsheet-egress']]).toEqual([502, 'unreachable']);
    }
  });

  test('a response above the limit is cut off', async () => {
    const endless = keep(await listenHttp(withoutEnd));
    const proxy = await proxyWith(LOOPBACK, { maxBytes: 100_000 });
    await expect(getThrough(proxy, `${endless.url}/`)).rejects.toThrow();
    const tunnelled = await tunnelTo(proxy, `127.0.0.1:${endless.port}`, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(tunnelled.length).toBeLessThan(110_000);
  });

  test('the number of tunnels is limited, and a closed tunnel allows a new one', async () => {
    const silent = keep(await listen());
    const proxy = await proxyWith(LOOPBACK, { maxTunnels: 1 });
    const request = `CONNECT 127.0.0.1:${silent.port} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const first = connect({ host: '127.0.0.1', port: portOf(proxy) });
    first.on('error', () => undefined).write(request);
    await expect.poll(() => silent.open).toBe(1);
    expect(await tunnelTo(proxy, `127.0.0.1:${silent.port}`)).toMatch(/503 [\s\S]*x-tearsheet-egress: busy/);
    first.destroy();
    // The proxy learns a moment later that the first one has ended.
    await expect
      .poll(() => rawExchange(portOf(proxy), request, '\r\n\r\n'))
      .toBe('HTTP/1.1 200 Connection Established\r\n\r\n');
    expect(silent.connections).toBe(2);
  });

  test('a tunnel without traffic is closed', async () => {
    const silent = keep(await listen());
    const proxy = await proxyWith(LOOPBACK, { idleMs: 300 });
    expect(await tunnelTo(proxy, `127.0.0.1:${silent.port}`)).toBe('HTTP/1.1 200 Connection Established\r\n\r\n');
    await expect.poll(() => silent.open).toBe(0);
  });

  test('a client that resets its tunnel leaves nothing open', async () => {
    const silent = keep(await listen());
    const proxy = await proxyWith(LOOPBACK);
    await rawExchange(
      portOf(proxy),
      `CONNECT 127.0.0.1:${silent.port} HTTP/1.1\r\nHost: x\r\n\r\n`,
      'Established\r\n\r\n',
    );
    await expect.poll(() => silent.open).toBe(0);
  });
});

describe('forwarded traffic', () => {
  test('bytes flow both ways through a tunnel', async () => {
    const echo = keep(await listen((socket) => socket.pipe(socket)));
    const proxy = await proxyWith(LOOPBACK);
    const bytes = `CONNECT localhost:${echo.port} HTTP/1.1\r\nHost: x\r\n\r\nhello`;
    expect(await rawExchange(portOf(proxy), bytes, 'hello')).toBe('HTTP/1.1 200 Connection Established\r\n\r\nhello');
  });

  test('method, path, body and end-to-end headers are forwarded, hop-by-hop headers are not', async () => {
    const seen: string[] = [];
    const server = keep(
      await listenHttp(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        seen.push(`${request.method} ${request.url} ${request.headers.host} ${body}`, ...request.rawHeaders);
        response.writeHead(201, [
          ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Own', 'yes', 'X-Hop', 'no', 'Connection', 'X-Hop'],
          ...['X-Tearsheet-Egress', 'not-found', 'Keep-Alive', 'timeout=99'],
        ]);
        response.end('made');
      }),
    );
    const proxy = await proxyWith(LOOPBACK);
    const headers = {
      'proxy-authorization': 'Basic x',
      te: 'trailers',
      'x-private': 'p',
      connection: 'x-private',
      'x-kept': 'k',
    };
    const answer = await send(proxy, `${server.url}/path?q=1`, { method: 'PUT', headers, body: 'data' });
    expect(seen[0]).toBe(`PUT /path?q=1 127.0.0.1:${server.port} data`);
    expect(seen.map((each) => each.toLowerCase())).toContain('x-kept');
    for (const gone of ['proxy-authorization', 'te', 'x-private'])
      expect(seen.map((each) => each.toLowerCase())).not.toContain(gone);
    expect([answer.status, answer.body, answer.headers['set-cookie'], answer.headers['x-own']]).toEqual([
      201,
      'made',
      ['a=1', 'b=2'],
      'yes',
    ]);
    for (const gone of ['x-hop', 'x-tearsheet-egress']) expect(answer.headers[gone]).toBeUndefined();
  });

  test.each(['/a/../b/./c', '/a/%2e%2e/b', '/%zz?q=%f', '//other/a', "/'a'<b>|{c}?d'<e>"])(
    'the path %s is forwarded as it is',
    async (path) => {
      const server = keep(await listenHttp((request, response) => response.end(`path ${request.url} end`)));
      const proxy = await proxyWith(LOOPBACK);
      const head = `GET ${server.url}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect(await rawExchange(portOf(proxy), head)).toContain(`path ${path} end`);
    },
  );

  test('the Host header is the host that the guard checked', async () => {
    const hosts: (string | undefined)[] = [];
    const server = keep(
      await listenHttp((request, response) => {
        hosts.push(request.headers.host);
        response.end();
      }),
    );
    await getThrough(await proxyWith(LOOPBACK), `http://site.localhost:${server.port}/`, { host: 'internal.example' });
    expect(hosts).toEqual([`site.localhost:${server.port}`]);
  });

  test.each([
    ['Transfer-Encoding: chunked\r\n', '1f\r\nGET /evil HTTP/1.1\r\nHost: y\r\n\r\n\r\n0\r\n\r\n'],
    ['Connection: content-length\r\nContent-Length: 31\r\n', 'GET /evil HTTP/1.1\r\nHost: y\r\n\r\n'],
  ])('the body of a GET with %j stays a body', async (framing, body) => {
    const paths: string[] = [];
    const server = keep(
      await listenHttp(async (request, response) => {
        paths.push(request.url ?? '');
        response.end(await text(request));
      }),
    );
    const proxy = await proxyWith(LOOPBACK);
    const head = `GET ${server.url}/a HTTP/1.1\r\nHost: x\r\n${framing}Connection: close\r\n\r\n`;
    expect(await rawExchange(portOf(proxy), head + body)).toContain('GET /evil');
    expect(paths).toEqual(['/a']);
  });

  test.each([
    ['HTTP/1.1 099 x', 502],
    ['HTTP/1.1 000 x', 502],
    ['HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: x', 502],
    ['HTTP/1.1 200 a\u0001b', 200],
  ])('a server that answers %j gets no further than an answer of %i', async (line, status) => {
    const server = keep(
      await listen((socket) => socket.once('data', () => socket.end(`${line}\r\nContent-Length: 0\r\n\r\n`))),
    );
    const proxy = await proxyWith(LOOPBACK);
    expect((await getThrough(proxy, `${server.url}/`)).status).toBe(status);
    expect((await getThrough(proxy, `${server.url}/`)).status).toBe(status);
  });

  test('a websocket upgrade reaches its server', async () => {
    const server = keep(
      await listen((socket) => {
        socket.once('data', (head) => {
          socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
          socket.write(head.toString().split('\r\n')[0] ?? '');
        });
      }),
    );
    const proxy = await proxyWith(LOOPBACK);
    const bytes = `GET ws://localhost:${server.port}/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    expect(await rawExchange(portOf(proxy), bytes, '/live HTTP/1.1')).toContain('GET /live HTTP/1.1');
  });
});

describe('local origins', () => {
  test('local origins are served without DNS until they are removed', async () => {
    const proxy = await proxyWith({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    proxy.origins.serve('creative-1.test', (path) =>
      path === '/index.html?a=1' ? { type: 'text/html', body: '<p>ad</p>', headers: { 'x-own': '1' } } : undefined,
    );
    const found = await getThrough(proxy, 'http://Creative-1.test/index.html?a=1');
    expect([found.status, found.headers['content-type'], found.headers['x-own'], found.body]).toEqual([
      200,
      'text/html',
      '1',
      '<p>ad</p>',
    ]);
    expect((await getThrough(proxy, 'http://creative-1.test/other')).status).toBe(404);
    proxy.origins.remove('creative-1.test');
    expect((await getThrough(proxy, 'http://creative-1.test/index.html?a=1')).status).toBe(502);
  });

  test('local origins get no tunnel, and a handler that throws causes 500', async () => {
    const proxy = await proxyWith({});
    proxy.origins.serve('creative-1.test', () => {
      throw new Error('no such entry');
    });
    expect(await tunnelTo(proxy, 'creative-1.test:443')).toContain('creative-1.test is served over plain http only.');
    const answer = await getThrough(proxy, 'http://creative-1.test/');
    expect([answer.status, answer.body]).toEqual([500, 'The local origin failed: no such entry\n']);
  });
});

test('closing ends every connection', async () => {
  const silent = keep(await listen());
  const proxy = await startEgressProxy({ guard: createGuard(LOOPBACK) });
  const tunnel = tunnelTo(proxy, `127.0.0.1:${silent.port}`);
  await expect.poll(() => silent.connections).toBe(1);
  await proxy.close();
  await tunnel;
  await expect.poll(() => silent.open).toBe(0);
});
