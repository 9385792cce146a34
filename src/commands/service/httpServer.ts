import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
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
  /** Serves HTTPS instead of HTTP. */
  readonly tls?: TlsFiles | undefined;
}

const TIMEOUTS = { requestTimeout: 120_000, headersTimeout: 30_000, keepAliveTimeout: 65_000 };

export async function startHttpServer(listener: RequestListener, options: ListenOptions): Promise<HttpServer> {
  const { host, port, name, tls } = options;
  const server = tls === undefined ? createServer(TIMEOUTS, listener) : startTls(listener, tls);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} for ${name} is in use. Stop the process that uses it, or choose another port.`)
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
  const server = createTlsServer({ ...TIMEOUTS, ...pair, minVersion: 'TLSv1.2' }, listener);
  const stopReloading = reloadOnRenewal(server, tls, pair);
  return server.once('close', stopReloading);
}
