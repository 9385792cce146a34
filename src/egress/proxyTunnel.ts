import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { byteCap } from './byteCap.ts';
import { type EgressFailure, failureAnswer, failureOf, TooManyTunnelsError } from './failures.ts';
import type { Guard } from './guard.ts';
import { pairs, upgradeHeaders, withHost } from './proxyHeaders.ts';

export interface TunnelOptions {
  guard: Guard;
  idleMs: number;
  maxBytes: number;
  maxTunnels: number;
  failed(failure: EgressFailure): void;
}

export interface TunnelTarget {
  host: string;
  port: number;
}

/** Bytes passed both ways between the client and a judged address, with no look inside. */
export class Tunnels {
  readonly #options: TunnelOptions;
  #open = 0;

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  /** CONNECT. */
  async open(target: TunnelTarget, client: Socket, early: Buffer): Promise<void> {
    await this.#join(target, client, (upstream) => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (early.byteLength > 0) upstream.write(early);
    });
  }

  /** A request with `Upgrade`: its head is repeated to the server, all that follows is passed on. */
  async upgrade(url: URL, request: IncomingMessage, client: Socket, early: Buffer): Promise<void> {
    const target = { host: url.hostname, port: url.port === '' ? 80 : Number(url.port) };
    const headers = pairs(withHost(upgradeHeaders(request.rawHeaders), url.host));
    const head = [`${request.method} ${url.pathname}${url.search} HTTP/1.1`, ...headers.map((pair) => pair.join(': '))];
    await this.#join(target, client, (upstream) => {
      upstream.write(`${head.join('\r\n')}\r\n\r\n`);
      if (early.byteLength > 0) upstream.write(early);
    });
  }

  /** Answers a socket with what went wrong, and ends it. */
  refuse(client: Socket, failure: EgressFailure): void {
    this.#options.failed(failure);
    if (client.writable) client.end(failureAnswer(failure).raw);
    client.setTimeout(5_000, () => client.destroy());
  }

  async #join(target: TunnelTarget, client: Socket, greet: (upstream: Socket) => void): Promise<void> {
    client.on('error', () => client.destroy());
    try {
      const upstream = await this.#connect(target, client);
      if (client.destroyed) upstream.destroy();
      else {
        greet(upstream);
        this.#pass(client, upstream);
      }
    } catch (error) {
      this.refuse(client, failureOf(error, target));
    }
  }

  async #connect({ host, port }: TunnelTarget, client: Socket): Promise<Socket> {
    if (this.#open >= this.#options.maxTunnels) {
      throw new TooManyTunnelsError(`The proxy already holds ${this.#open} connections.`);
    }
    const gone = new AbortController();
    const leave = () => gone.abort();
    client.once('close', leave);
    this.#open++;
    try {
      const upstream = await this.#options.guard.connect(host, port, { signal: gone.signal });
      upstream.once('close', () => this.#open--);
      return upstream;
    } catch (error) {
      this.#open--;
      throw error;
    } finally {
      client.off('close', leave);
    }
  }

  #pass(client: Socket, upstream: Socket): void {
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.setTimeout(this.#options.idleMs, end);
    // An error on either side is how most tunnels end: both sides close, and there is nobody to tell.
    pipeline(client, upstream, (error) => error && end());
    pipeline(upstream, byteCap(this.#options.maxBytes), client, (error) => error && end());
    client.once('close', end);
    upstream.once('close', () => client.end());
  }
}
