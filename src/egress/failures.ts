import { STATUS_CODES } from 'node:http';
import { errorMessage } from '../lib/errorMessage.ts';
import { EgressRefusedError, HostNotFoundError, NetworkTimeoutError } from './errors.ts';

/** `busy` means that the proxy has reached its limit of tunnels, `malformed` that a request breaks rules of HTTP. */
export type FailureKind = 'refused' | 'malformed' | 'not-found' | 'timeout' | 'unreachable' | 'busy';

/** A connection that failed or that the proxy refused. */
export interface EgressFailure {
  host: string;
  port: number;
  kind: FailureKind;
  reason: string;
}

/** The header with the kind of failure. Only responses of the proxy itself have it. */
export const FAILURE_HEADER = 'x-tearsheet-egress';

export class TooManyTunnelsError extends Error {
  override readonly name = 'TooManyTunnelsError';
}

const STATUS_OF: Readonly<Record<FailureKind, number>> = {
  refused: 403,
  malformed: 400,
  'not-found': 502,
  unreachable: 502,
  busy: 503,
  timeout: 504,
};

export function toEgressFailure(error: unknown, target: { host: string; port: number }): EgressFailure {
  return { ...target, kind: kindOf(error), reason: errorMessage(error) };
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof EgressRefusedError) return 'refused';
  if (error instanceof HostNotFoundError) return 'not-found';
  if (error instanceof NetworkTimeoutError) return 'timeout';
  if (error instanceof TooManyTunnelsError) return 'busy';
  return 'unreachable';
}

/** Makes the HTTP response for a failure: status, headers and body for `writeHead`, and `raw` for a plain socket. */
export function failureResponse({ kind, reason }: EgressFailure) {
  const status = STATUS_OF[kind];
  const body = `${reason}\n`;
  const headers = {
    [FAILURE_HEADER]: kind,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return { status, headers, body, raw: `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}` };
}

/** Keeps the latest failures, oldest first. Repeated failures of the same host and port are kept once. */
export class FailureLog {
  readonly #entries = new Map<string, EgressFailure>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get all(): readonly EgressFailure[] {
    return [...this.#entries.values()];
  }

  /** @returns whether the failure is new. */
  add(failure: EgressFailure): boolean {
    const key = `${failure.kind} ${failure.host}:${failure.port}`;
    if (this.#entries.has(key)) return false;
    if (this.#entries.size >= this.#limit) this.#entries.delete(this.#entries.keys().next().value ?? '');
    this.#entries.set(key, failure);
    return true;
  }
}
