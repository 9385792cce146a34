import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { answerParserFaults } from '../../api/server/parserFaults.ts';
import { readTlsFiles, reloadOnRenewal, type TlsFiles } from './tlsFiles.ts';

export interface HttpServer {
  readonly port: number;
  /** Stops accepting connections, gives running requests `graceMs` to end, then closes all others, for example live pages. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The name of the server, for the error message if the port is in use. */
  readonly name: string;
  /** The flag or environment variable that chooses the port. */
  readonly portSetting?: string | undefined;
  /** The server closes further connections at once; no limit unless given. */
  readonly maxConnections?: number;
  /** For tests: other deadlines, in milliseconds. */
  readonly deadlines?: Pick<ServerOptions, 'headersTimeout' | 'connectionsCheckingInterval'>;
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
  const { host, port, name, tls, maxConnections } = options;
  const serverOptions = { ...OPTIONS, ...options.deadlines };
  const setting = options.portSetting === undefined ? '' : ` with ${options.portSetting}`;
  const server = tls === undefined ? createServer(serverOptions, listener) : startTls(listener, tls);
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  answerParserFaults(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `Port ${port} for ${name} is in use. Stop the process that uses it, or choose another port${setting}.`,
            )
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
  const close = (graceMs: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      server.closeIdleConnections();
    });
  return { port: (server.address() as AddressInfo).port, close };
}

function startTls(listener: RequestListener, tls: TlsFiles): Server {
  const pair = readTlsFiles(tls);
  const server = createTlsServer({ ...OPTIONS, ...pair, minVersion: 'TLSv1.2' }, listener);
  const stopReloading = reloadOnRenewal(server, tls, pair);
  return server.once('close', stopReloading);
}
