import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server on loopback that counts the connections that reach its socket. */
export interface Listener {
  port: number;

  url: string;
  /** All connections so far. */
  readonly connections: number;
  /** The connections that are open now. */
  readonly open: number;
  close(): Promise<void>;
}

/** A TCP server; `talk` handles each connection. */
export function listen(talk: (socket: Socket) => void = (socket) => socket.resume()): Promise<Listener> {
  return startListener(createServer(talk));
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export function listenHttp(answer: Answer, host?: string): Promise<Listener> {
  return startListener(
    createHttpServer((request, response) => void answer(request, response)),
    host,
  );
}

/** Responds with an endless body. */
export const withoutEnd: Answer = (_request, response) => {
  const more = () => {
    while (response.write('x'.repeat(10_000)));
  };
  response.on('drain', more);
  more();
};

/** Writes `head`, then one byte at a time without end. */
export function dripping(head: string): Promise<Listener> {
  return listen((socket) => {
    socket.resume().write(head);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  });
}

/** Starts any Node server on a free port. */
export async function startListener(server: Server, host = '127.0.0.1'): Promise<Listener> {
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
