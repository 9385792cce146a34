/** A TCP relay: it spreads connections over the servers that accept them, as a Kubernetes Service does. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  close(): Promise<void>;
}

/** @param ports of the servers on this machine. */
export async function startRelay(ports: readonly number[], { port = 0 } = {}): Promise<Relay> {
  const clients = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    clients.add(client);
    client.on('error', () => client.destroy());
    client.on('close', () => clients.delete(client));
    turn += 1;
    join(
      client,
      ports.map((_, index) => ports[(turn + index) % ports.length] ?? 0),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of clients) client.destroy();
      }),
  };
}

/** Tries one server after the other. */
function join(client: Socket, [port, ...rest]: readonly number[]): void {
  if (port === undefined) {
    client.destroy();
    return;
  }
  const server = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  const next = () => join(client, rest);
  server.once('error', next);
  server.once('connect', () => {
    server.off('error', next);
    server.on('error', () => client.destroy());
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
    client.pipe(server);
    server.pipe(client);
    if (client.destroyed) server.destroy();
  });
}
