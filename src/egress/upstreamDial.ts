/** The two protocols of upstream proxies: HTTP CONNECT (RFC 9110, 9.3.6) and SOCKS5 (RFC 1928, RFC 1929). */
import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { isIP, connect as openSocket, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import ipaddr from 'ipaddr.js';
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

const SOCKS_VERSION = 5;
const NO_AUTHENTICATION = 0;
const PASSWORD = 2;
const REPLIES: Readonly<Record<number, string>> = {
  2: 'refused the connection',
  3: 'could not reach the network',
  4: 'could not reach the host',
  5: 'was refused by the host',
  6: 'could not reach the host in time',
};

async function connectBySocks(socket: Socket, { host, port }: DialTarget, credentials?: Credentials): Promise<Socket> {
  const methods = credentials ? [NO_AUTHENTICATION, PASSWORD] : [NO_AUTHENTICATION];
  socket.write(Buffer.from([SOCKS_VERSION, methods.length, ...methods]));
  const [version, method] = await readBytes(socket, 2);
  if (version !== SOCKS_VERSION) throw new LocationUnavailableError('its proxy does not speak SOCKS5');
  if (method === PASSWORD && credentials) await logIn(socket, credentials);
  else if (method !== NO_AUTHENTICATION) throw new CredentialsRejectedError('its proxy asks for other credentials');
  const portBytes = [port >> 8, port & 255];
  socket.write(Buffer.from([SOCKS_VERSION, 1, 0, ...addressBytes(host), ...portBytes]));
  const [answered, reply = 1, , kind = 0] = await readBytes(socket, 4);
  if (answered !== SOCKS_VERSION) throw new LocationUnavailableError('its proxy does not speak SOCKS5');
  const known = REPLIES[reply];
  if (known !== undefined) throw new ConnectionFailedError(`The proxy of the location ${known}.`);
  if (reply !== 0) throw new LocationUnavailableError(`its proxy answered with the failure ${reply}`);
  const length = kind === 3 ? (await readBytes(socket, 1))[0] : { 1: 4, 4: 16 }[kind];
  if (length === undefined) throw new LocationUnavailableError('its proxy does not speak SOCKS5');
  await readBytes(socket, length + 2);
  return socket;
}

async function logIn(socket: Socket, { username, password }: Credentials): Promise<void> {
  const [user, pass] = [Buffer.from(username), Buffer.from(password)];
  socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([pass.length]), pass]));
  const [, status] = await readBytes(socket, 2);
  if (status !== 0) throw new CredentialsRejectedError('its proxy rejected the credentials');
}

/** The kind of address and its bytes. */
function addressBytes(host: string): readonly number[] {
  if (isIP(host) === 0) return [3, Buffer.byteLength(host), ...Buffer.from(host)];
  return [isIP(host) === 4 ? 1 : 4, ...ipaddr.parse(host).toByteArray()];
}

/** Leaves what follows in the socket. */
async function readBytes(socket: Socket, count: number): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  while (bytes.byteLength < count) {
    const chunk: Buffer | null = socket.read();
    if (chunk !== null) bytes = Buffer.concat([bytes, chunk]);
    else if (socket.readableEnded || socket.destroyed) throw new Error('it closed the connection');
    // With bytes left in the socket, this event would come at once.
    else await once(socket, 'readable');
  }
  if (bytes.byteLength > count) socket.unshift(bytes.subarray(count));
  return bytes.subarray(0, count);
}
