import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import {
  ConnectionFailedError,
  EgressRefusedError,
  LocationUnavailableError,
  NetworkTimeoutError,
} from '../../../src/egress/errors.ts';
import { createGuard, type GuardOptions } from '../../../src/egress/guard.ts';
import { Upstream, type UpstreamOptions } from '../../../src/egress/upstream.ts';
import { listen, listenHttp } from '../../support/listeners.ts';
import { PROXY_CREDENTIALS, startConnectProxy, startSocksProxy } from '../../support/upstreamProxies.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
function keep<T extends { close(): Promise<void> }>(thing: T): T {
  opened.push(thing);
  return thing;
}

const LOOPBACK: GuardOptions = { allow: ['127.0.0.0/8'] };
const TIMING = { tryMs: 400, allMs: 3_000, firstDelayMs: 10, openMs: 300 };

function upstream(url: string, guard: GuardOptions = LOOPBACK, more: Partial<UpstreamOptions> = {}) {
  const proxy = { url, credentials: PROXY_CREDENTIALS };
  return new Upstream({ location: 'de', proxy, guard: createGuard(guard), timing: TIMING, ...more });
}

async function get(through: Upstream, host: string, port: number): Promise<string> {
  const socket = await through.connect(host, port);
  // Not end: squid closes a tunnel that one side has ended.
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

/** Real proxies that a person started, with their credentials, for example http://agency:secret@127.0.0.1:3128. */
const REAL = (process.env['TEST_UPSTREAM_PROXIES'] ?? '').split(/\s+/).filter((url) => url !== '');

describe.runIf(REAL.length > 0)('real proxies', () => {
  test.each(REAL)('%s', async (given) => {
    const site = keep(await listenHttp((_request, response) => response.end('the site')));
    const { protocol, host, username, password } = new URL(given);
    const url = `${protocol}//${host}`;
    const proxy = (credentials?: { username: string; password: string }) =>
      upstream(url, LOOPBACK, { proxy: { url, credentials } });
    expect(await get(proxy({ username, password }), '127.0.0.1', site.port)).toContain('the site');
    const wrong = proxy({ username, password: 'wrong' }).connect('127.0.0.1', site.port);
    await expect(wrong).rejects.toThrow(/Location de: its proxy (rejected|asks for)/);
    const none = proxy().connect('127.0.0.1', site.port);
    await expect(none).rejects.toThrow(/Location de: its proxy (rejected|asks for)/);
    // A port on which nothing listens: the proxy works, so its breaker stays closed.
    const dead = await listen();
    await dead.close();
    const working = proxy({ username, password });
    for (let calls = 0; calls < 6; calls += 1)
      await expect(working.connect('127.0.0.1', dead.port)).rejects.toThrow(ConnectionFailedError);
    expect(working.isAvailable).toBe(true);
  });
});

describe.each([
  ['HTTP CONNECT', startConnectProxy],
  ['SOCKS5', startSocksProxy],
] as const)('%s', (_name, start) => {
  test('the proxy gets the name and the credentials, and the guard has resolved the name before', async () => {
    const site = keep(await listenHttp((request, response) => response.end(`for ${request.headers.host}`)));
    const proxy = keep(await start({ addresses: { 'news.example': '127.0.0.1' } }));
    const asked: string[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      return [{ address: '93.184.216.34', family: 4 }];
    };
    const outcomes: string[] = [];
    const through = upstream(proxy.url, { allow: [], lookup }, { observe: (outcome) => outcomes.push(outcome) });
    expect(await get(through, 'NEWS.example.', site.port)).toContain('for NEWS.example.');
    expect(asked).toEqual(['news.example']);
    expect(proxy.targets).toEqual([`news.example:${site.port}`]);
    expect(outcomes).toEqual(['connected']);
  });

  test('an address of this machine is refused before the proxy hears of it', async () => {
    const proxy = keep(await start());
    const outcomes: string[] = [];
    const through = upstream(proxy.url, { allow: [] }, { observe: (outcome) => outcomes.push(outcome) });
    await expect(through.connect('0x7f.1', 80)).rejects.toThrow(EgressRefusedError);
    expect(outcomes).toEqual(['refused']);
    expect(proxy.connections).toBe(0);
  });

  test('a name with one private address among public ones is refused before the proxy hears of it', async () => {
    const proxy = keep(await start());
    const lookup = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.8', family: 4 },
    ];
    await expect(upstream(proxy.url, { allow: [], lookup }).connect('rebind.example', 443)).rejects.toThrow(/refused/);
    expect(proxy.connections).toBe(0);
  });

  test('rejected credentials are not tried again, and no message shows them or the proxy', async () => {
    const proxy = keep(await start());
    const credentials = { username: 'someone', password: 'wr0ng-passw0rd' };
    const through = upstream(proxy.url, LOOPBACK, { proxy: { url: proxy.url, credentials } });
    const failure = await through.connect('127.0.0.1', 80).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LocationUnavailableError);
    expect(String(failure)).toMatch(/rejected/);
    expect(proxy.rejected).toBe(1);
    expect(String(failure)).not.toMatch(new RegExp(`${proxy.port}|someone|wr0ng`));
  });

  test('a host that the proxy cannot reach is no failure of the location', async () => {
    const proxy = keep(await start());
    const dead = await listen();
    await dead.close();
    const through = upstream(proxy.url);
    for (let calls = 0; calls < 6; calls += 1)
      await expect(through.connect('127.0.0.1', dead.port)).rejects.toThrow(ConnectionFailedError);
    expect(through.isAvailable).toBe(true);
    expect(proxy.targets).toHaveLength(6);
  });

  const scheme = start === startConnectProxy ? 'http' : 'socks5';
  test.each([
    ['speaks another protocol', (socket: { end(text: string): unknown }) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')],
    ['closes connections', (socket: { end(): unknown }) => socket.end()],
    ['resets connections', (socket: { resetAndDestroy(): unknown }) => socket.resetAndDestroy()],
    ['hangs', (socket: { resume(): unknown }) => socket.resume()],
    ['answers a part', (socket: { write(bytes: Buffer): unknown }) => socket.write(Buffer.from([5]))],
  ])('a proxy that %s is tried three times, then its location is unavailable', async (_what, talk) => {
    const broken = keep(
      await listen((socket) => {
        socket.resume();
        talk(socket);
      }),
    );
    const through = upstream(`${scheme}://127.0.0.1:${broken.port}`);
    const failure = await through.connect('127.0.0.1', 80).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LocationUnavailableError);
    expect(failure).toHaveProperty('message', expect.stringMatching(/^Location de: /));
    expect(broken.connections).toBe(3);
    expect(String(failure)).not.toContain(String(broken.port));
    await expect.poll(() => broken.open).toBe(0);
  });
});

test('after five failures in succession a location is paused; others work, and it works again afterwards', async () => {
  const site = keep(await listenHttp((_request, response) => response.end('the site')));
  let isDead = true;
  const working = keep(await startConnectProxy());
  const switched = keep(
    await listen((socket) => {
      if (isDead) socket.destroy();
      else socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    }),
  );
  const logged: string[] = [];
  const log = {
    info: (_fields: object, message: string) => logged.push(`info ${message}`),
    warn: (_fields: object, message: string) => logged.push(`warn ${message}`),
  };
  const dead = upstream(switched.url, LOOPBACK, { log });
  const other = upstream(working.url);
  for (let calls = 0; calls < 5; calls += 1) await expect(dead.connect('127.0.0.1', site.port)).rejects.toThrow();
  expect(dead.isAvailable).toBe(false);
  const before = switched.connections;
  await expect(dead.connect('127.0.0.1', site.port)).rejects.toThrow(/does not use it for up to 30 seconds/);
  expect(switched.connections).toBe(before);
  expect(await get(other, '127.0.0.1', site.port)).toContain('the site');
  isDead = false;
  await expect.poll(() => dead.isAvailable).toBe(true);
  (await dead.connect('127.0.0.1', site.port)).destroy();
  expect(logged).toEqual([
    'warn the proxy of a location failed; captures will retry',
    'info the proxy of a location failed repeatedly; its connections are paused',
    'warn a location recovered',
  ]);
});

test('a slow host does not count against a proxy that answers others', async () => {
  const slow = keep(
    await listen((socket) =>
      socket.once('data', (bytes) => bytes.includes('quick') && socket.write('HTTP/1.1 200 OK\r\n\r\n')),
    ),
  );
  const through = upstream(slow.url, { allow: [], lookup: async () => [{ address: '93.184.216.34', family: 4 }] });
  const waiting = through.connect('slow.example', 80).catch((error: unknown) => error);
  (await through.connect('quick.example', 80)).destroy();
  expect(await waiting).toBeInstanceOf(NetworkTimeoutError);
  expect(through.isAvailable).toBe(true);
});

test('hosts that drop packets do not pause a location: its proxy accepts connections and does not answer', async () => {
  const silent = keep(await listen((socket) => socket.resume()));
  const through = upstream(silent.url, { allow: [], lookup: async () => [{ address: '93.184.216.34', family: 4 }] });
  const all = Array.from({ length: 6 }, (_, at) => through.connect(`drops-${at}.example`, 80));
  for (const { status } of await Promise.allSettled(all)) expect(status).toBe('rejected');
  expect(through.isAvailable).toBe(true);
});
