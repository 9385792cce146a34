/** A client of the public API that repeats a request until it gets an answer, as the documentation tells clients to. */
import { randomUUID } from 'node:crypto';
import { sleep } from '../../../src/lib/sleep.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the organization, for example `/ads`. */
  readonly path: string;
  readonly body?: object | Buffer;
  /** The Idempotency-Key. */
  readonly key?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** How often the request was sent. */
  readonly sent: number;
}

export interface ClientOptions {
  readonly url: string;
  readonly apiKey: string;
  /** No further repetition after this. */
  readonly signal: AbortSignal;
}

/** The organization of a run. */
export const ORGANIZATION = 'chaos';

const TRY_MS = 15_000;
const PAUSE_MS = 400;

export const newKey = (seed: number, number: number) => `chaos-${seed}-${number}-${randomUUID()}`;

/** @throws the reason of the signal, if there was no answer until then. */
export async function callUntilAnswered(call: Call, { url, apiKey, signal }: ClientOptions): Promise<Answer> {
  for (let sent = 1; ; sent++) {
    signal.throwIfAborted();
    const answer = await sendOnce(call, { url, apiKey }).catch(() => undefined);
    if (answer !== undefined && !isTemporary(answer.status)) return { ...answer, sent };
    await sleep(PAUSE_MS, signal);
  }
}

const isTemporary = (status: number) => status === 429 || status >= 500;

/** @throws Error if there is no complete answer in time. */
export async function sendOnce(
  { method, path, body, key }: Call,
  { url, apiKey }: Pick<ClientOptions, 'url' | 'apiKey'>,
): Promise<Omit<Answer, 'sent'>> {
  const isFile = Buffer.isBuffer(body);
  const response = await fetch(`${url}/api/v1/orgs/${ORGANIZATION}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
    signal: AbortSignal.timeout(TRY_MS),
  });
  return { status: response.status, text: await response.text() };
}
