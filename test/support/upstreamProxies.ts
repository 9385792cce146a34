/** Small real proxies for locations: HTTP CONNECT and SOCKS5, both with a password. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { type Listener, startListener } from './listeners.ts';

export const PROXY_CREDENTIALS = { username: 'agency', password: 'p:ss-5ecret-wörd' };

export interface TestProxy extends Listener {
  readonly url: string;
  /** The targets of clients, as `host:port`. */
  readonly targets: readonly string[];
  readonly rejected: number;
}

export interface TestProxyOptions {
  /** Where a name leads to, as DNS at the proxy would answer. Others are connected as they are. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** The address at which the proxy listens; loopback by default. */
  readonly host?: string;
}

type Open = (host: string, port: number) => Promise<Socket>;

function opener({ addresses = {} }: TestProxyOptions, targets: string[]): Open {
  return async (host, port) => {
    targets.push(`${host}:${port}`);
    const socket = connect({ host: addresses[host] ?? host, port });
    socket.on('error', () => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
}

function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  one.on('error', () => other.destroy());
  other.on('close', () => one.destroy());
}

export async function startConnectProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const targets: string[] = [];
  let rejected = 0;
  const open = opener(options, targets);
  const { username, password } = PROXY_CREDENTIALS;
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const server = createHttpServer((_request, response) => response.writeHead(405).end());
  const serve = async (request: IncomingMessage, client: Socket) => {
    if (request.headers['proxy-authorization'] !== expected) {
      rejected += 1;
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n');
      return;
    }
    const [, host = '', port] = /^\[?([^\]]+)\]?:(\d+)$/.exec(request.url ?? '') ?? [];
    try {
      const target = await open(host, Number(port));
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      join(client, target);
    } catch {
      client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    }
  };
  server.on('connect', (request, client: Socket) => void serve(request, client));
  const listener = await startListener(server, options.host);
  return proxyOf(listener, 'http', targets, () => rejected);
}

export async function startSocksProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const targets: string[] = [];
  let rejected = 0;
  const open = opener(options, targets);
  const serve = async (client: Socket) => {
    const read = async (count: number): Promise<Buffer> => {
      const parts: Buffer[] = [];
      for (let left = count; left > 0; ) {
        const part: Buffer | null = client.read(Math.min(left, client.readableLength || left));
        if (part === null) await once(client, 'readable');
        else parts.push(part);
        left -= part?.byteLength ?? 0;
      }
      return Buffer.concat(parts);
    };
    const [, methods = 0] = await read(2);
    if (!(await read(methods)).includes(2)) {
      rejected += 1;
      return client.end(Buffer.from([5, 255]));
    }
    client.write(Buffer.from([5, 2]));
    const [, userLength = 0] = await read(2);
    const user = (await read(userLength)).toString();
    const [passLength = 0] = await read(1);
    const isRight =
      (await read(passLength)).toString() === PROXY_CREDENTIALS.password && user === PROXY_CREDENTIALS.username;
    client.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) {
      rejected += 1;
      return client.end();
    }
    const [, , , kind] = await read(4);
    const host =
      kind === 1
        ? [...(await read(4))].join('.')
        : (await read(kind === 3 ? ((await read(1))[0] ?? 0) : 16)).toString();
    const port = (await read(2)).readUInt16BE();
    try {
      const target = await open(host, port);
      client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      return join(client, target);
    } catch {
      return client.end(Buffer.from([5, 4, 0, 1, 0, 0, 0, 0, 0, 0]));
    }
  };
  const listener = await startListener(
    // Otherwise the end of a request would end its answer.
    createServer({ allowHalfOpen: true }, (client) => {
      client.on('error', () => client.destroy());
      serve(client).catch(() => client.destroy());
    }),
    options.host,
  );
  return proxyOf(listener, 'socks5', targets, () => rejected);
}

function proxyOf(listener: Listener, scheme: string, targets: readonly string[], rejected: () => number): TestProxy {
  const url = `${scheme}://${new URL(listener.url).host}`;
  return Object.defineProperties(
    { url, targets, port: listener.port, close: listener.close },
    {
      connections: { get: () => listener.connections },
      open: { get: () => listener.open },
      rejected: { get: rejected },
    },
  ) as TestProxy;
}
