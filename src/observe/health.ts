/** The HTTP server for kubelet and Prometheus: /livez, /readyz and /metrics. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { withDeadline } from '../lib/deadline.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import { repeat } from '../lib/repeat.ts';
import type { Metrics } from './metrics.ts';

export interface HealthOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Checks of the parts that the process depends on, by name. A failed check rejects with the reason. */
  readonly checks: Readonly<Record<string, () => Promise<unknown>>>;
  /** Called after each check; the error is undefined if it succeeded. */
  readonly checked?: (name: string, error: unknown) => void;
  readonly everyMs?: number;
  /** The time for each check. */
  readonly checkMs?: number;
  readonly metrics: Pick<Metrics, 'render' | 'contentType' | 'collectHealth'>;
}

export interface Health {
  /** Without a trailing slash. */
  readonly url: string;
  /** Makes /readyz answer 503 with this reason from now on. */
  setUnready(reason?: string): void;
  close(): Promise<void>;
}

/** The process must be started again, for example because another database answers. It is no longer ready. */
export class RestartRequiredError extends Error {}

interface HealthResponse {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

type CheckOptions = Pick<HealthOptions, 'checks' | 'checked' | 'checkMs'>;

interface CheckState {
  /** Undefined if the last check succeeded. */
  readonly error: unknown;
  readonly hasSucceeded: boolean;
}

const CHECK_EVERY_MS = 5_000;
const CHECK_MS = 10_000;

/**
 * Serves the health of this process. It is ready once each check has succeeded, and stays ready. A part that fails later
 * affects only the work that needs it. If all processes became unready, no other work would be possible either.
 * The promise resolves after the first checks. @throws Error when the port is taken.
 */
export async function startHealth(options: HealthOptions): Promise<Health> {
  const { host, port, metrics, everyMs = CHECK_EVERY_MS } = options;
  const checks = new Checks(options);
  let unready: string | undefined;
  const isReady = () => unready === undefined && checks.isReady;
  metrics.collectHealth(() => ({ isReady: isReady(), dependencies: checks.results() }));
  const answer = async (path: string): Promise<HealthResponse> => {
    if (path === '/livez') return { status: 200, body: 'ok\n' };
    if (path === '/readyz') return { status: isReady() ? 200 : 503, body: unready ?? checks.text() };
    if (path === '/metrics') return { status: 200, type: metrics.contentType, body: await metrics.render() };
    return { status: 404, body: 'Not found. This server has /livez, /readyz and /metrics.\n' };
  };
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => void serve(request, response, answer));
  await listen(server, port, host);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const first = Promise.withResolvers<void>();
  const repetition = repeat(() => checks.run().then(first.resolve), everyMs);
  await first.promise;
  return {
    url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${bound}`,
    setUnready: (reason = 'shutting down') => {
      unready = `${reason}\n`;
      void repetition.stop();
    },
    close: () => {
      // A check of something that hangs must not delay the end of the process.
      void repetition.stop();
      return new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      });
    },
  };
}

class Checks {
  readonly #options: CheckOptions;
  readonly #states = new Map<string, CheckState>();

  constructor(options: CheckOptions) {
    this.#options = options;
    for (const name of Object.keys(options.checks))
      this.#states.set(name, { error: 'not checked yet', hasSucceeded: false });
  }

  get isReady(): boolean {
    return [...this.#states.values()].every(
      ({ error, hasSucceeded }) => hasSucceeded && !(error instanceof RestartRequiredError),
    );
  }

  /** One line for each check: `database: ok`, or the reason of its failure. */
  text(): string {
    const lines = [...this.#states].map(
      ([name, { error }]) => `${name}: ${error === undefined ? 'ok' : errorMessage(error)}\n`,
    );
    return lines.join('') || 'ok\n';
  }

  results(): readonly { readonly name: string; readonly isAvailable: boolean }[] {
    return [...this.#states].map(([name, { error }]) => ({ name, isAvailable: error === undefined }));
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { checks, checked, checkMs = CHECK_MS } = this.#options;
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        const error = await failureOf(check, checkMs);
        const hasSucceeded = error === undefined || this.#states.get(name)?.hasSucceeded === true;
        this.#states.set(name, { error, hasSucceeded });
        checked?.(name, error);
      }),
    );
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (path: string) => Promise<HealthResponse>,
): Promise<void> {
  const { status, type, body } = await answer((request.url ?? '/').split('?')[0] ?? '/').catch((error: unknown) => ({
    status: 500,
    type: undefined,
    body: `${errorMessage(error)}\n`,
  }));
  response.writeHead(status, { 'content-type': type ?? 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** @returns undefined if the check succeeded. */
async function failureOf(check: () => Promise<unknown>, ms: number): Promise<unknown> {
  try {
    await withDeadline(ms, check());
    return undefined;
  } catch (error) {
    return error ?? 'failed without a reason';
  }
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
