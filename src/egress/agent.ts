import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as startTls, type TLSSocket } from 'node:tls';
import { secondsText } from '../lib/secondsText.ts';
import { describeTlsError, NetworkTimeoutError, TlsError } from './errors.ts';
import type { Connector } from './guard.ts';

type ConnectionCallback = (error: Error | null, stream: Duplex) => void;

/** The guard has its own deadline for the connection. */
const HANDSHAKE_MS = 10_000;

/**
 * Creates agents that connect through the guard, for `node:http`, `node:https` and libraries on them, like the AWS SDK. Each request has
 * a connection of its own.
 */
export function guardedAgents(guard: Connector): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  return { httpAgent: new GuardedHttpAgent(guard), httpsAgent: new GuardedHttpsAgent(guard) };
}

class GuardedHttpAgent extends HttpAgent {
  readonly #guard: Connector;

  constructor(guard: Connector) {
    super({ keepAlive: false });
    this.#guard = guard;
  }

  override createConnection(options: ClientRequestArgs, created?: ConnectionCallback): undefined {
    passConnection(this.#guard.connect(options.host ?? '', Number(options.port ?? 80)), created);
  }
}

class GuardedHttpsAgent extends HttpsAgent {
  readonly #guard: Connector;

  constructor(guard: Connector) {
    super({ keepAlive: false });
    this.#guard = guard;
  }

  override createConnection(options: RequestOptions, created?: ConnectionCallback): undefined {
    const host = options.host ?? '';
    const secured = this.#guard
      .connect(host, Number(options.port ?? 443))
      .then((socket) => handshake(socket, { ...options, host }));
    passConnection(secured, created);
  }
}

function passConnection(connection: Promise<Socket>, created: ConnectionCallback | undefined): void {
  // Node's types require a stream with an error, but its agents read only the error.
  connection.then(
    (socket) => created?.(null, socket),
    (error: Error) => created?.(error, Object.create(null)),
  );
}

function handshake(socket: Socket, { host, ...options }: RequestOptions & { host: string }): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = startTls({ ...tlsOptions(options), socket, host });
    const fail = (error: Error) => {
      clearTimeout(timer);
      secure.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () =>
        fail(new NetworkTimeoutError(`The TLS handshake with ${host} took longer than ${secondsText(HANDSHAKE_MS)}.`)),
      HANDSHAKE_MS,
    );
    secure.on('error', (cause) =>
      fail(new TlsError(`TLS with ${host} failed: ${describeTlsError(cause)}.`, { cause })),
    );
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      resolve(secure);
    });
  });
}

function tlsOptions({ servername, ca, rejectUnauthorized }: RequestOptions) {
  return {
    ...(servername !== undefined && servername !== '' && { servername }),
    ...(ca !== undefined && { ca }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
}
