import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

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
}

export async function serve(listener: RequestListener, { host, port, name }: ListenOptions): Promise<HttpServer> {
  const server = createServer({ requestTimeout: 120_000, headersTimeout: 30_000, keepAliveTimeout: 65_000 }, listener);
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
