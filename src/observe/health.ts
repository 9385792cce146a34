/** The HTTP server for kubelet and Prometheus: /livez, /readyz and /metrics. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { withDeadline } from '../lib/deadline.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import type { Metrics } from './metrics.ts';

export interface HealthOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** The checks of /readyz by name. A failed check rejects with the reason. Each check has two seconds. */
  readonly checks: Readonly<Record<string, () => Promise<unknown>>>;
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
}

export interface Health {
  /** Without a trailing slash. */
  readonly url: string;
  /** Makes /readyz answer 503 with this reason from now on, without running the checks. */
  setUnready(reason?: string): void;
  close(): Promise<void>;
}

interface HealthResponse {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

const CHECK_DEADLINE_MS = 2_000;

/** @throws Error when the port is taken. */
export async function startHealth({ host, port, checks, metrics }: HealthOptions): Promise<Health> {
  let unready: string | undefined;
  const answer = async (path: string): Promise<HealthResponse> => {
    if (path === '/livez') return { status: 200, body: 'ok\n' };
    if (path === '/readyz') return unready === undefined ? ready(checks) : { status: 503, body: `${unready}\n` };
    if (path === '/metrics') return { status: 200, type: metrics.contentType, body: await metrics.render() };
    return { status: 404, body: 'Not found. This server has /livez, /readyz and /metrics.\n' };
  };
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => void serve(request, response, answer));
  await listen(server, port, host);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${bound}`,
    setUnready: (reason = 'shutting down') => {
      unready = reason;
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (path: string) => Promise<HealthResponse>,
): Promise<void> {
  const { status, type, body } = await answer((request.url ?? '/').split('?')[0] ?? '/').catch((error: unknown) => ({
    status: 500,
    type: undefined,
    body: `${describeError(error)}\n`,
  }));
  response.writeHead(status, { 'content-type': type ?? 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Writes one line for each check: `database: ok`, or the reason of its failure. */
async function ready(checks: HealthOptions['checks']): Promise<HealthResponse> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const fault = await failureOf(check);
      return { fault, line: `${name}: ${fault ?? 'ok'}\n` };
    }),
  );
  const failed = results.some(({ fault }) => fault !== undefined);
  return { status: failed ? 503 : 200, body: results.map(({ line }) => line).join('') || 'ok\n' };
}

async function failureOf(check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await withDeadline(CHECK_DEADLINE_MS, check());
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}

function describeError(error: unknown): string {
  // If connections to several addresses fail, only the inner errors have messages.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeError).join('; ');
  return errorMessage(error);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
