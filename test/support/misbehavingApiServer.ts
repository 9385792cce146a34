/**
 * An API server that misbehaves on demand. A real one forgets a version, stops a watch silently, answers 429 or repeats an event
 * only at moments that a test cannot choose. This one stores any object, and each test says what goes wrong. It does not replace
 * tests with a real API server.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

type Reply = (asked: Asked, response: ServerResponse) => void | Promise<void>;

/** A watch that a client has open. */
export interface OpenWatch {
  readonly asked: Asked;
  send(type: string, object: object): void;
  /** As a server that ends it in good order. */
  end(): void;
  /** Simulates a network failure, optionally in the middle of a line. */
  cut(half?: string): void;
}

export interface MisbehavingApiServer {
  /** Path of a kubeconfig for this server. */
  readonly kubeconfig: string;
  readonly url: string;
  readonly asked: readonly Asked[];
  /** How many connections were ever made. */
  readonly connections: number;
  /** All watches ever opened, the latest last. */
  readonly watches: readonly OpenWatch[];
  /** Answers `GET /path` so from now on; a watch of it is `WATCH /path`. */
  on(what: string, reply: Reply): void;
  /** The next ones are answered so, one each; what comes after them as before. */
  next(what: string, ...replies: Reply[]): void;
  /** Writes the kubeconfig again. */
  configure(user: object, cluster?: object): Promise<void>;
  close(): Promise<void>;
}

export const json =
  (code: number, body: object, headers: Record<string, string> = {}): Reply =>
  (_asked, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** As a real one words what it refuses. */
export const refuse = (
  code: number,
  reason: string,
  more: { details?: object; headers?: Record<string, string> } = {},
) =>
  json(
    code,
    { kind: 'Status', status: 'Failure', code, reason, message: `${reason} it is`, details: more.details },
    more.headers,
  );

/** Takes the request, and never answers. */
export const silence: Reply = () => undefined;

export const hangUp: Reply = (_asked, response) => {
  response.destroy();
};

export async function misbehavingApiServer(): Promise<MisbehavingApiServer> {
  const replies = new Map<string, Reply>();
  const queued = new Map<string, Reply[]>();
  const asked: Asked[] = [];
  const watches: OpenWatch[] = [];
  let connections = 0;

  const openWatch: Reply = (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    watches.push({
      asked: request,
      send: (type, object) => void response.write(`${JSON.stringify({ type, object })}\n`),
      end: () => void response.end(),
      cut: (half) =>
        half === undefined ? void response.destroy() : void response.write(half, () => response.destroy()),
    });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://server');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const isWatch = url.searchParams.get('watch') === 'true';
    const method = isWatch ? 'WATCH' : (request.method ?? '');
    const it: Asked = {
      ...{ method, path: url.pathname, query: url.searchParams, headers: request.headers },
      body: text === '' ? undefined : JSON.parse(text),
    };
    asked.push(it);
    const what = `${method} ${url.pathname}`;
    const reply = queued.get(what)?.shift() ?? replies.get(what) ?? (isWatch ? openWatch : refuse(404, 'NotFound'));
    await reply(it, response);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-api-server-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const configure = async (user: object, cluster: object = {}) => {
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'test' },
      clusters: [{ name: 'test', cluster: { server: url, 'insecure-skip-tls-verify': true, ...cluster } }],
      users: [{ name: 'test', user }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    };
    await writeFile(kubeconfig, JSON.stringify(config));
  };
  await configure({ token: 'first' });
  return {
    ...{ kubeconfig, url, asked, watches, configure },
    get connections() {
      return connections;
    },
    on: (what, reply) => void replies.set(what, reply),
    next: (what, ...more) => void queued.set(what, [...(queued.get(what) ?? []), ...more]),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
