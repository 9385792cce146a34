/** The two protocols of upstream proxies: HTTP CONNECT (RFC 9110, 9.3.6) and SOCKS5 (RFC 1928, RFC 1929). */
import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { isIP, connect as openSocket, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as openTls } from 'node:tls';
import { SocksClient } from 'socks';
import { errorMessage } from '../lib/errorMessage.ts';
import { ConnectionFailedError, LocationUnavailableError } from './errors.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A proxy of the operator. */
export interface UpstreamProxy {
  /** `http://host:port`, `https://host:port` or `socks5://host:port`. */
  readonly url: string;
  readonly credentials?: Credentials | undefined;
}

/** The host is a name or an address in canonical form. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
}

/** The proxy rejected the credentials, so another try would be rejected too. */
export class CredentialsRejectedError extends LocationUnavailableError {}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

/**
 * Connects to the target through the proxy. @param onConnected called when the proxy has accepted the connection. No message contains the address of the proxy or the credentials.
 * @throws ConnectionFailedError if the proxy works and says that the target cannot be reached, otherwise
 *   LocationUnavailableError, and the reason of `signal`.
 */
export async function dialThrough(
  proxy: UpstreamProxy,
  target: DialTarget,
  { signal, onConnected }: { readonly signal: AbortSignal; readonly onConnected?: () => void },
): Promise<Socket> {
  const { protocol, hostname, port } = new URL(proxy.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const address = { host, port: port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port) };
  signal.throwIfAborted();
  const isTls = protocol === 'https:';
  const socket = isTls ? openTls({ ...address, ...(isIP(host) === 0 && { servername: host }) }) : openSocket(address);
  const abort = () => socket.destroy(new Error('no answer in time'));
  signal.addEventListener('abort', abort, { once: true });
  // A reset before the caller adds its own listener must not end the process.
  socket.on('error', () => socket.destroy());
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect');
    onConnected?.();
    const connect = protocol === 'socks5:' ? connectBySocks : connectByHttp;
    return (await connect(socket, target, proxy.credentials)).setNoDelay(true);
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    if (error instanceof ConnectionFailedError || error instanceof LocationUnavailableError) throw error;
    throw new LocationUnavailableError(`its proxy failed: ${reasonOf(error)}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Messages of Node contain the address of the proxy, so only codes are shown. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code.startsWith('HPE_') ? 'it does not speak HTTP' : error.code;
  return errorMessage(error);
}

function connectByHttp(socket: Socket, { host, port }: DialTarget, credentials?: Credentials): Promise<Socket> {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const basic = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  return new Promise((resolve, reject) => {
    const request = openRequest({
      method: 'CONNECT',
      path,
      headers: { host: path, ...(basic !== undefined && { 'proxy-authorization': `Basic ${basic}` }) },
      createConnection: () => socket,
    });
    request.once('error', reject);
    request.once('connect', ({ statusCode = 0 }, tunnel: Socket, head) => {
      if (statusCode < 200 || statusCode > 299) return reject(errorOfStatus(statusCode));
      if (head.byteLength > 0) tunnel.unshift(head);
      resolve(tunnel);
    });
    request.end();
  });
}

/** Proxies answer 502, 503 and 504 if the target cannot be reached, and 403 if a rule of theirs forbids it. */
function errorOfStatus(status: number): Error {
  if (status === 407) return new CredentialsRejectedError('its proxy rejected the credentials (407)');
  if (status === 403) return new ConnectionFailedError('The proxy of the location refused the connection (403).');
  if (status >= 502 && status <= 504)
    return new ConnectionFailedError(`The proxy of the location could not reach the host (${status}).`);
  return new LocationUnavailableError(`its proxy answered ${status}`);
}

const REPLIES: Readonly<Record<number, string>> = {
  2: 'refused the connection',
  3: 'could not reach the network',
  4: 'could not reach the host',
  5: 'was refused by the host',
  6: 'could not reach the host in time',
};

async function connectBySocks(socket: Socket, destination: DialTarget, credentials?: Credentials): Promise<Socket> {
  let answer: number[] = [];
  // The library reads everything that arrives, so it is fed byte by byte: data that the host sends at once stays in the socket.
  const handshake = new Duplex({
    read: () => undefined,
    write: (message, _encoding, done) => {
      answer = [];
      socket.write(message);
      done();
    },
  });
  const feed = () => {
    while (handshake.listenerCount('data') > 0) {
      const byte: Buffer | null = socket.read(1);
      if (byte === null) return;
      answer.push(...byte);
      handshake.emit('data', byte);
    }
  };
  const close = () => handshake.destroy();
  socket.on('readable', feed).once('close', close);
  const login = credentials && { userId: credentials.username, password: credentials.password };
  // The library needs an address of the proxy only to connect to it.
  const proxy = { type: 5 as const, host: '', port: 0, ...login };
  const options = { command: 'connect' as const, proxy, destination, existing_socket: handshake };
  try {
    const { remoteHost } = await SocksClient.createConnection(options);
    // The library accepts an answer with an unknown address type.
    if (remoteHost === undefined) throw new Error('no address');
    return socket;
  } catch (error) {
    // The library's error holds the credentials, so it must not become the cause.
    throw socket.errored ?? errorOfSocks(errorMessage(error), answer);
  } finally {
    socket.off('readable', feed).off('close', close);
  }
}

/** @param message of the library's error. @param answer the bytes from the proxy since our last message. */
function errorOfSocks(message: string, [version, reply = 0]: readonly number[]): Error {
  if (message === 'Socket closed') return new Error('it closed the connection');
  if (message.endsWith('Authentication failed'))
    return new CredentialsRejectedError('its proxy rejected the credentials');
  if (message.includes('authentication type'))
    return new CredentialsRejectedError('its proxy asks for other credentials');
  const known = REPLIES[reply];
  if (version !== 5 || reply === 0) return new LocationUnavailableError('its proxy does not speak SOCKS5');
  if (known !== undefined) return new ConnectionFailedError(`The proxy of the location ${known}.`);
  return new LocationUnavailableError(`its proxy answered with the failure ${reply}`);
}
