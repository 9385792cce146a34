/** A client of the public API that repeats a request until it gets an answer, and a receiver of its webhooks. */
import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { sleep } from '../../src/lib/sleep.ts';
import { type Listener, listenHttp } from '../support/listeners.ts';
import type { Ledger } from './ledger.ts';

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
}

/** The organization of a run. */
export const ORGANIZATION = 'chaos';
const TRY_MS = 15_000;
const PAUSE_MS = 400;

export class Client {
  readonly #url: string;
  readonly #apiKey: string;

  constructor(url: string, apiKey: string) {
    this.#url = `${url}/api/v1/orgs/${ORGANIZATION}`;
    this.#apiKey = apiKey;
  }

  /** Repeats the call until it is answered with a status that is not temporary. @throws the reason of `signal`. */
  async call(call: Call, signal?: AbortSignal): Promise<Answer> {
    for (;;) {
      signal?.throwIfAborted();
      const answer = await this.#send(call).catch(() => undefined);
      if (answer !== undefined && answer.status !== 429 && answer.status < 500) return answer;
      await sleep(PAUSE_MS, signal);
    }
  }

  async #send({ method, path, body, key }: Call): Promise<Answer> {
    const isFile = Buffer.isBuffer(body);
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        ...(body !== undefined && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(TRY_MS),
    });
    return { status: response.status, text: await response.text() };
  }
}

interface Envelope {
  readonly topic: string;
  readonly data: { readonly object: { readonly id: string } };
}

/** Writes each webhook with a valid signature into the ledger before it answers, and then calls `onEvent`. */
export function startReceiver(
  ledger: Ledger,
  secret: string,
  onEvent: (topic: string, object: string) => void,
): Promise<Listener> {
  return listenHttp(async (request, response) => {
    try {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const body = await text(request);
      const { topic, data } = new Webhook(secret).verify(body, headers) as Envelope;
      const digest = createHash('sha256').update(body).digest('hex');
      ledger.add({ kind: 'webhook', event: headers['webhook-id'] ?? '', topic, object: data.object.id, digest });
      response.writeHead(204).end();
      onEvent(topic, data.object.id);
    } catch (error) {
      // A sender that is killed breaks its request off.
      ledger.add({ kind: 'note', text: `a webhook was not accepted: ${String(error)}` });
      response.writeHead(401).end();
    }
  });
}
