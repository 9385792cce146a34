import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { sameAddress } from './addresses.ts';
import { guardedAgents } from './agent.ts';
import { EgressRefusedError } from './errors.ts';
import { type EgressFailure, FailureLog, failureResponse, toEgressFailure } from './failures.ts';
import type { Guard } from './guard.ts';
import { LocalOriginTable } from './localOrigins.ts';
import type { LocalOrigins } from './ports.ts';
import { forward } from './proxyForward.ts';
import { Tunnels, type TunnelTarget } from './proxyTunnel.ts';

export interface EgressProxy {
  /** `http://127.0.0.1:<port>`, the proxy address for a browser. */
  readonly url: string;
  readonly origins: LocalOrigins;
  /** The latest 256 connections that the guard refused, oldest first. Each host and port is listed once. */
  readonly refusals: readonly EgressFailure[];
  /** All connections that failed or were refused. For an https page, a browser itself reports only "tunnel failed". */
  readonly failures: readonly EgressFailure[];
  close(): Promise<void>;
}

export interface EgressProxyOptions {
  guard: Guard;
  log?: { info(fields: object, message: string): void };
  /** A connection without traffic for this time is closed. */
  idleMs?: number;
  maxTunnels?: number;
  /** The limit of one response, or of one tunnel towards the client. */
  maxBytes?: number;
}

const MAX_LOGGED_FAILURES = 256;

/** Starts the forward proxy on loopback. It is a capture's only way out, and makes only connections that the guard allows. */
export async function startEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const proxy = new ForwardProxy(options);
  await proxy.listen();
  return proxy;
}

class ForwardProxy implements EgressProxy {
  readonly origins = new LocalOriginTable();
  readonly #log: EgressProxyOptions['log'];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #failures = new FailureLog(MAX_LOGGED_FAILURES);
  readonly #refusals = new FailureLog(MAX_LOGGED_FAILURES);
  readonly #tunnels: Tunnels;
  readonly #limits: { idleMs: number; maxBytes: number };
  readonly #agent;
  #port = 0;

  constructor({ guard, log, idleMs = 60_000, maxTunnels = 512, maxBytes = 512 * 1024 * 1024 }: EgressProxyOptions) {
    this.#log = log;
    this.#limits = { idleMs, maxBytes };
    const outward = this.#withoutSelf(guard);
    this.#agent = guardedAgents(outward, { keepAlive: false }).httpAgent;
    this.#tunnels = new Tunnels({
      guard: outward,
      maxTunnels,
      ...this.#limits,
      failed: (failure) => this.#note(failure),
    });
    this.#server = createServer({
      headersTimeout: 15_000,
      requestTimeout: 120_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 15_000,
    });
    this.#listenTo(this.#server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get refusals(): readonly EgressFailure[] {
    return this.#refusals.all;
  }

  get failures(): readonly EgressFailure[] {
    return this.#failures.all;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', () => {
        this.#port = addressOf(this.#server).port;
        resolve();
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
      this.#agent.destroy();
    });
  }

  #listenTo(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => this.#request(request, response));
    server.on('connect', (request, socket, head) => void this.#connect(request, asSocket(socket), head));
    server.on('upgrade', (request, socket, head) => void this.#upgrade(request, asSocket(socket), head));
    server.on('clientError', (_error, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    });
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => response.destroy());
    const target = absoluteUrl(request);
    if (target === undefined) this.#answerFailure(request, response, notForwarded(request));
    else if (this.origins.has(target.hostname)) this.origins.answer(target, request, response);
    else this.#forward(target, request, response);
  }

  #forward(target: URL, request: IncomingMessage, response: ServerResponse): void {
    const address = { host: target.hostname, port: target.port === '' ? 80 : Number(target.port) };
    forward(target, request, response, {
      agent: this.#agent,
      ...this.#limits,
      failed: (error) => this.#answerFailure(request, response, toEgressFailure(error, address)),
    });
  }

  async #connect(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const target = authority(request.url ?? '');
    if (target === undefined || this.origins.has(target.host)) {
      client.on('error', () => client.destroy());
      this.#tunnels.refuse(client, target ? localByHttpOnly(target) : notForwarded(request));
    } else await this.#tunnels.open(target, client, head);
  }

  async #upgrade(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const target = absoluteUrl(request);
    if (target === undefined || this.origins.has(target.hostname)) {
      client.on('error', () => client.destroy());
      this.#tunnels.refuse(client, notForwarded(request));
    } else await this.#tunnels.upgrade(target, request, client, head);
  }

  #answerFailure(request: IncomingMessage, response: ServerResponse, failure: EgressFailure): void {
    this.#note(failure);
    request.resume();
    const { status, headers, body } = failureResponse(failure);
    response.writeHead(status, headers).end(body);
  }

  #note(failure: EgressFailure): void {
    if (failure.kind === 'refused') this.#refusals.add(failure);
    if (this.#failures.add(failure)) this.#log?.info({ ...failure }, 'an outgoing connection failed');
  }

  /** Prevents an endless loop: if EGRESS_ALLOW contains loopback, a request could make the proxy connect to itself. */
  #withoutSelf(guard: Guard): Guard {
    const refuse = (address: string, port: number) =>
      port === this.#port && ['127.0.0.1', '0.0.0.0', '::'].some((own) => sameAddress(own, address))
        ? 'this is the address of the proxy itself'
        : undefined;
    return {
      resolve: (host, port) => guard.resolve(host, port),
      connect: (host, port, options) => guard.connect(host, port, { ...options, refuse }),
    };
  }
}

function absoluteUrl(request: IncomingMessage): URL | undefined {
  const url = request.url ?? '';
  if (!/^(http|ws):\/\//i.test(url) || !URL.canParse(url)) return undefined;
  return new URL(url);
}

function authority(text: string): TunnelTarget | undefined {
  const match = /^(\[[^\]]+\]|[^:@/?#\s]+):(\d{1,5})$/.exec(text);
  return match ? { host: match[1]?.toLowerCase() ?? '', port: Number(match[2]) } : undefined;
}

function notForwarded(request: IncomingMessage): EgressFailure {
  const error = new EgressRefusedError('The proxy forwards only http:// URLs and CONNECT host:port.');
  return toEgressFailure(error, { host: (request.url ?? '').slice(0, 255), port: 0 });
}

function localByHttpOnly(target: TunnelTarget): EgressFailure {
  return toEgressFailure(new EgressRefusedError(`${target.host} is served over plain http only.`), target);
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('unreachable: the proxy listens without a port');
  return address;
}

/** Node types these as streams, but a plain server passes its sockets. */
function asSocket(stream: Duplex): Socket {
  return stream as Socket;
}
