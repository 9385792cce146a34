import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { followFiles, readPair, type TlsFiles } from './tlsFiles.ts';

export interface HttpServer {
  readonly port: number;
  /** Accepts no more, lets running requests end for `graceMs`, then closes what is left (live pages among it). */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** What the port is for, in the message when it is taken. */
  readonly name: string;
  /** HTTPS instead of HTTP. */
  readonly tls?: TlsFiles | undefined;
}

const TIMEOUTS = { requestTimeout: 120_000, headersTimeout: 30_000, keepAliveTimeout: 65_000 };

export async function serve(listener: RequestListener, options: ListenOptions): Promise<HttpServer> {
  const { host, port, name, tls } = options;
  const server = tls === undefined ? createServer(TIMEOUTS, listener) : startTls(listener, tls);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port}, for ${name}, is taken: end what uses it, or choose another.`)
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
  const pair = readPair(tls);
  const server = createTlsServer({ ...TIMEOUTS, ...pair, minVersion: 'TLSv1.2' }, listener);
  const end = followFiles(server, tls, pair);
  return server.once('close', end);
}
