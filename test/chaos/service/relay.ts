/**
 * A TCP relay between a client and its servers. It spreads connections over the servers that accept them, as a Kubernetes
 * Service does, and it can freeze: connections stay open, but no byte passes.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** No byte passes any more, and new connections get no answer. */
  freeze(): void;
  /** Ends the connections that were frozen, as a firewall does that has forgotten them. New ones pass. */
  thaw(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** @param host the address of this machine on which the relay listens. */
export async function startRelay(ports: readonly number[], { port = 0, host = '127.0.0.1' } = {}): Promise<Relay> {
  const relay = new TcpRelay(ports);
  await relay.listen(port, host);
  return relay;
}

class TcpRelay implements Relay {
  readonly #ports: readonly number[];
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  readonly #pairs = new Set<Pair>();
  #frozen = false;
  #turn = 0;
  port = 0;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => this.#accept(client));
  }

  listen(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        this.port = typeof address === 'object' && address !== null ? address.port : 0;
        resolve();
      });
    });
  }

  freeze(): void {
    this.#frozen = true;
    for (const { client, server } of this.#pairs) {
      client.unpipe(server).pause();
      server.unpipe(client).pause();
    }
  }

  thaw(): void {
    if (!this.#frozen) return;
    this.#frozen = false;
    for (const client of this.#clients) client.destroy();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const client of this.#clients) client.destroy();
    });
  }

  #accept(client: Socket): void {
    this.#clients.add(client);
    client.on('error', () => client.destroy());
    client.on('close', () => this.#clients.delete(client));
    if (this.#frozen) return;
    this.#turn += 1;
    const turn = this.#turn;
    const order = this.#ports.map((_, index) => this.#ports[(turn + index) % this.#ports.length] ?? 0);
    this.#connect(client, order);
  }

  /** Tries one server after the other. */
  #connect(client: Socket, [port, ...rest]: readonly number[]): void {
    if (port === undefined) {
      client.destroy();
      return;
    }
    const server = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    const next = () => this.#connect(client, rest);
    server.once('error', next);
    server.once('connect', () => {
      server.off('error', next);
      this.#join({ client, server });
    });
  }

  #join(pair: Pair): void {
    const { client, server } = pair;
    this.#pairs.add(pair);
    server.on('error', () => client.destroy());
    client.on('close', () => {
      server.destroy();
      this.#pairs.delete(pair);
    });
    server.on('close', () => client.destroy());
    if (client.destroyed) {
      server.destroy();
      return;
    }
    if (this.#frozen) return;
    client.pipe(server);
    server.pipe(client);
  }
}
