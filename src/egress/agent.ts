import { Agent as HttpAgent } from 'node:http';
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
  const httpAgent = new HttpAgent({ keepAlive: false });
  httpAgent.createConnection = ({ host, port }, created) =>
    passConnection(guard.connect(host ?? '', Number(port ?? 80)), created);
  const httpsAgent = new HttpsAgent({ keepAlive: false });
  httpsAgent.createConnection = (options: RequestOptions, created) => {
    const host = options.host ?? '';
    const connected = guard.connect(host, Number(options.port ?? 443));
    return passConnection(
      connected.then((socket) => handshake(socket, { ...options, host })),
      created,
    );
  };
  return { httpAgent, httpsAgent };
}

function passConnection(connection: Promise<Socket>, created: ConnectionCallback | undefined): undefined {
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
