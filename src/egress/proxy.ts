import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorMessage } from '../lib/errorMessage.ts';
import { sameAddress } from './addresses.ts';
import { guardedAgents } from './agent.ts';
import { type EgressFailure, EgressRefusedError, FailureLog, failureResponse, toEgressFailure } from './errors.ts';
import type { Connector } from './guard.ts';
import type { LocalAnswer, LocalOrigins } from './ports.ts';
import { forward } from './proxyForward.ts';
import {
  type AbsoluteTarget,
  type Authority,
  absoluteTarget,
  authority,
  isWebSocketUpgrade,
  requestFault,
} from './proxyRequest.ts';
import { Tunnels } from './proxyTunnel.ts';

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
  guard: Connector;
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
  readonly #broken = new BrokenClients();
  readonly #limits: { idleMs: number; maxBytes: number };
  readonly #agent;
  #port = 0;

  constructor({ guard, log, idleMs = 60_000, maxTunnels = 512, maxBytes = 512 * 1024 * 1024 }: EgressProxyOptions) {
    this.#log = log;
    this.#limits = { idleMs, maxBytes };
    const outward = this.#withoutSelf(guard);
    this.#agent = guardedAgents(outward).httpAgent;
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
      keepAliveTimeout: Math.min(15_000, idleMs),
      shouldUpgradeCallback: isWebSocketUpgrade,
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
    server.on('checkContinue', (request, response) => this.#continue(request, response));
    server.on('connect', (request, socket, head) => void this.#connect(request, asSocket(socket), head));
    server.on('upgrade', (request, socket, head) => void this.#upgrade(request, asSocket(socket), head));
    server.on('clientError', (_error, socket) => this.#broken.reject(asSocket(socket)));
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    response.on('error', () => response.destroy());
    this.#broken.note(request, response);
    const fault = requestFault(request);
    const target = absoluteTarget(request);
    if (fault !== undefined) this.#answerFailure(request, response, malformed(request, fault));
    else if (target === undefined) this.#answerFailure(request, response, notForwarded(request));
    else if (this.origins.has(target.url.hostname)) this.origins.answer(target.url, request, response);
    else this.#forward(target, request, response);
  }

  #continue(request: IncomingMessage, response: ServerResponse): void {
    const isExact = request.headers.expect?.toLowerCase() === '100-continue';
    if (isExact && requestFault(request) === undefined) response.writeContinue();
    if (isExact) this.#request(request, response);
    else response.writeHead(417, { connection: 'close' }).end();
  }

  #forward(target: AbsoluteTarget, request: IncomingMessage, response: ServerResponse): void {
    const { url } = target;
    const address = { host: url.hostname, port: url.port === '' ? 80 : Number(url.port) };
    forward(target, request, response, {
      agent: this.#agent,
      ...this.#limits,
      failed: (error) => this.#answerFailure(request, response, toEgressFailure(error, address)),
    });
  }

  async #connect(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const fault = requestFault(request);
    const target = authority(request.url ?? '');
    if (fault !== undefined) this.#tunnels.refuse(client, malformed(request, fault));
    else if (target === undefined) this.#tunnels.refuse(client, notForwarded(request));
    else if (this.origins.has(target.host)) this.#tunnels.refuse(client, localByHttpOnly(target));
    else await this.#tunnels.open(target, client, head);
  }

  async #upgrade(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const fault = requestFault(request);
    const target = absoluteTarget(request);
    if (fault !== undefined) this.#tunnels.refuse(client, malformed(request, fault));
    else if (target === undefined || this.origins.has(target.url.hostname))
      this.#tunnels.refuse(client, notForwarded(request));
    else await this.#tunnels.upgrade(target, request, client, head);
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
  #withoutSelf(guard: Connector): Connector {
    const refuse = (address: string, port: number) =>
      port === this.#port && ['127.0.0.1', '0.0.0.0', '::'].some((own) => sameAddress(own, address))
        ? 'this is the address of the proxy itself'
        : undefined;
    return {
      connect: (host, port, options) => guard.connect(host, port, { ...options, refuse }),
    };
  }
}

function notForwarded(request: IncomingMessage): EgressFailure {
  const error = new EgressRefusedError('The proxy forwards only http:// URLs and CONNECT host:port.');
  return toEgressFailure(error, { host: (request.url ?? '').slice(0, 255), port: 0 });
}

function malformed(request: IncomingMessage, reason: string): EgressFailure {
  return {
    host: (request.url ?? '').slice(0, 255),
    port: 0,
    kind: 'malformed',
    reason: `The request is malformed: ${reason}.`,
  };
}

function localByHttpOnly(target: Authority): EgressFailure {
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

const CLOSE_AFTER_MS = 5_000;

/** Answers connections of clients whose bytes Node cannot read as a request. */
class BrokenClients {
  readonly #latest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();

  /** Records the latest request of a connection. */
  note(request: IncomingMessage, response: ServerResponse): void {
    this.#latest.set(request.socket, { request, response });
  }

  /** Rejects the bytes. If they follow a complete request, that one gets its own answer first. */
  reject(socket: Socket): void {
    const { request, response } = this.#latest.get(socket) ?? {};
    const isWaiting = response !== undefined && !response.writableFinished;
    if (isWaiting && request?.complete) response.once('close', () => end(socket));
    else if (isWaiting && response.headersSent) socket.destroy();
    else end(socket, 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
  }
}

function end(socket: Socket, answer = ''): void {
  if (socket.writable) socket.end(answer);
  socket.setTimeout(CLOSE_AFTER_MS, () => socket.destroy());
}

type LocalHandler = (path: string) => LocalAnswer | undefined;

/** Origins that this process serves. They have no IP address; only the proxy can reach them. */
class LocalOriginTable implements LocalOrigins {
  readonly #handlers = new Map<string, LocalHandler>();

  serve(host: string, handler: LocalHandler): void {
    this.#handlers.set(host.toLowerCase(), handler);
  }

  remove(host: string): void {
    this.#handlers.delete(host.toLowerCase());
  }

  has(host: string): boolean {
    return this.#handlers.has(host.toLowerCase());
  }

  /** Answers a request to one of these hosts. */
  answer(target: URL, request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const found = this.#find(target);
    const body = Buffer.from(found.body);
    response.writeHead(found.status ?? 200, {
      'content-type': found.type,
      'content-length': body.byteLength,
      ...found.headers,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #find(target: URL): LocalAnswer {
    try {
      const answer = this.#handlers.get(target.hostname)?.(target.pathname + target.search);
      return answer ?? { status: 404, type: 'text/plain', body: 'Not found.\n' };
    } catch (error) {
      const reason = errorMessage(error);
      return { status: 500, type: 'text/plain', body: `The local origin failed: ${reason}\n` };
    }
  }
}
