import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { limitBytes } from './body.ts';
import { type EgressFailure, failureResponse, TooManyTunnelsError, toEgressFailure } from './errors.ts';
import type { Connector } from './guard.ts';
import { type AbsoluteTarget, type Authority, headerPairs, upgradeHeaders, withHost } from './proxyRequest.ts';

export interface TunnelOptions {
  guard: Connector;
  idleMs: number;
  maxBytes: number;
  maxTunnels: number;
  failed(failure: EgressFailure): void;
}

/** Passes bytes between the client and a checked address in both directions, without reading them. */
export class Tunnels {
  readonly #options: TunnelOptions;
  #open = 0;

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  /** Serves a CONNECT request. */
  async open(target: Authority, client: Socket, early: Buffer): Promise<void> {
    await this.#join(target, client, (upstream) => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (early.byteLength > 0) upstream.write(early);
    });
  }

  /** Serves a request with `Upgrade`: sends its head to the server and passes on all that follows. */
  async upgrade({ url, path }: AbsoluteTarget, request: IncomingMessage, client: Socket, early: Buffer): Promise<void> {
    const target = { host: url.hostname, port: url.port === '' ? 80 : Number(url.port) };
    const headers = headerPairs(withHost(upgradeHeaders(request.rawHeaders), url.host));
    const head = [`${request.method} ${path} HTTP/1.1`, ...headers.map((pair) => pair.join(': '))];
    await this.#join(target, client, (upstream) => {
      upstream.write(`${head.join('\r\n')}\r\n\r\n`);
      if (early.byteLength > 0) upstream.write(early);
    });
  }

  /** Answers a socket with the failure and closes it. */
  refuse(client: Socket, failure: EgressFailure): void {
    this.#options.failed(failure);
    client.on('error', () => client.destroy());
    if (client.writable) client.end(failureResponse(failure).raw);
    client.setTimeout(5_000, () => client.destroy());
  }

  async #join(target: Authority, client: Socket, greet: (upstream: Socket) => void): Promise<void> {
    client.on('error', () => client.destroy());
    try {
      const upstream = await this.#connect(target, client);
      if (client.destroyed) upstream.destroy();
      else {
        greet(upstream);
        this.#pass(client, upstream);
      }
    } catch (error) {
      this.refuse(client, toEgressFailure(error, target));
    }
  }

  async #connect({ host, port }: Authority, client: Socket): Promise<Socket> {
    if (this.#open >= this.#options.maxTunnels) {
      throw new TooManyTunnelsError(`The proxy has reached its limit of ${this.#open} connections.`);
    }
    const controller = new AbortController();
    const abort = () => controller.abort();
    client.once('close', abort);
    this.#open++;
    try {
      const upstream = await this.#options.guard.connect(host, port, { signal: controller.signal });
      upstream.once('close', () => this.#open--);
      return upstream;
    } catch (error) {
      this.#open--;
      throw error;
    } finally {
      client.off('close', abort);
    }
  }

  #pass(client: Socket, upstream: Socket): void {
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.setTimeout(this.#options.idleMs, end);
    // Most tunnels end with an error on one side. It is not reported, because both sides are then closed.
    pipeline(client, upstream, (error) => error && end());
    pipeline(upstream, limitBytes(this.#options.maxBytes), client, (error) => error && end());
    client.once('close', end);
    upstream.once('close', () => client.end());
  }
}
