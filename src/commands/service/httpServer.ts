import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { answerParserFaults } from '../../api/server/parserFaults.ts';
import type { ConnectListener } from '../../egress/gateway.ts';

/** Files that another program renews, for example cert-manager through a mounted Secret. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Time between two checks for new files. */
  readonly intervalMs?: number;
  readonly log: {
    info(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
}

interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

const CHECK_INTERVAL_MS = 30_000;

export interface HttpServer {
  readonly port: number;
  /** Stops accepting connections, gives running requests `graceMs` to end, then closes all others, for example live pages. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. A server that the caller gives holds the port already. */
  readonly port: number | NetServer;
  /** The name of the server, for the error message if the port is in use. */
  readonly name: string;
  /** The flag or environment variable that chooses the port. */
  readonly portSetting?: string | undefined;
  /** The server closes further connections at once; no limit unless given. */
  readonly maxConnections?: number;
  /** For tests: other deadlines, in milliseconds. */
  readonly deadlines?: Pick<ServerOptions, 'headersTimeout' | 'connectionsCheckingInterval'>;
  /** Serves CONNECT requests; without it, the server closes their connections. */
  readonly tunnels?: ConnectListener | undefined;
  /** Serves HTTPS instead of HTTP. */
  readonly tls?: TlsFiles | undefined;
}

const OPTIONS = {
  requestTimeout: 120_000,
  headersTimeout: 10_000,
  // Node looks for connections that are over their deadlines only this often.
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  // The public API answers a request without one itself, with a body.
  requireHostHeader: false,
};

export async function startHttpServer(listener: RequestListener, options: ListenOptions): Promise<HttpServer> {
  const { host, port, name, tls, tunnels, maxConnections } = options;
  const serverOptions = { ...OPTIONS, ...options.deadlines };
  const setting = options.portSetting === undefined ? '' : ` with ${options.portSetting}`;
  const server = tls === undefined ? createServer(serverOptions, listener) : startTls(listener, tls);
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  answerParserFaults(server);
  // Node types these as streams, but a plain server passes its sockets.
  if (tunnels) server.on('connect', (request, socket, head) => tunnels.connect(request, socket as Socket, head));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `Port ${portNumber(port)} for ${name} is in use. Stop the process that uses it, or choose another port${setting}.`,
            )
          : error,
      );
    });
    if (typeof port === 'number') server.listen(port, host, resolve);
    else server.listen(port, resolve);
  });
  const close = (graceMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        server.closeAllConnections();
        tunnels?.close();
      }, graceMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      server.closeIdleConnections();
    });
  return { port: (server.address() as AddressInfo).port, close };
}

export const portNumber = (port: ListenOptions['port']) =>
  typeof port === 'number' ? port : (port.address() as AddressInfo).port;

function startTls(listener: RequestListener, tls: TlsFiles): Server {
  const pair = readTlsFiles(tls);
  const server = createTlsServer({ ...OPTIONS, ...pair, minVersion: 'TLSv1.2' }, listener);
  const stopReloading = reloadOnRenewal(server, tls, pair);
  return server.once('close', stopReloading);
}

/**
 * The check comes before the server gets the pair, because a server accepts a pair with an empty certificate and then fails every
 * handshake.
 * @throws Error that names the unreadable file, or says why the pair is not complete.
 */
function readTlsFiles({ certFile, keyFile }: Pick<TlsFiles, 'certFile' | 'keyFile'>): CertificatePair {
  const pair = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  if (!new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)))
    throw new Error(`The key in ${keyFile} does not belong to the certificate in ${certFile}.`);
  return pair;
}

/** Checks the files regularly. New connections use the new certificate; open ones stay. @returns a function that stops. */
function reloadOnRenewal(server: TlsServer, files: TlsFiles, first: CertificatePair): () => void {
  const { certFile, intervalMs = CHECK_INTERVAL_MS, log } = files;
  let current = first;
  const check = () => {
    try {
      const found = readTlsFiles(files);
      if (found.cert === current.cert && found.key === current.key) return;
      server.setSecureContext(found);
      current = found;
      log.info({ certFile }, 'loaded the renewed certificate');
    } catch (error) {
      // If only one of the two files has been written, the next check finds both.
      log.error({ certFile, err: error }, 'loading the renewed certificate failed, retrying');
    }
  };
  const timer = setInterval(check, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
