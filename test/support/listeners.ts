import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server on loopback that counts the connections it is given: what reached the socket, not what a log says. */
export interface Listener {
  port: number;

  url: string;
  /** All that were ever made. */
  readonly connections: number;
  /** Those that are open now. */
  readonly open: number;
  close(): Promise<void>;
}

/** A bare listener; `talk` is given each connection. */
export function listen(talk: (socket: Socket) => void = (socket) => socket.resume()): Promise<Listener> {
  return started(createServer(talk));
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export function listenHttp(answer: Answer, host?: string): Promise<Listener> {
  return started(
    createHttpServer((request, response) => void answer(request, response)),
    host,
  );
}

/** Answers with a body that does not end. */
export const withoutEnd: Answer = (_request, response) => {
  const more = () => {
    while (response.write('x'.repeat(10_000)));
  };
  response.on('drain', more);
  more();
};

/** Writes `head`, then a byte at a time for ever. */
export function dripping(head: string): Promise<Listener> {
  return listen((socket) => {
    socket.resume().write(head);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  });
}

/** Any server of Node, on a free port of loopback. */
export async function started(server: Server, host = '127.0.0.1'): Promise<Listener> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host}:${port}`,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
