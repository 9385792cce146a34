import { createHmac } from 'node:crypto';
import {
  ConnectionFailedError,
  EgressRefusedError,
  NetworkTimeoutError,
  type ResponseHead,
  ResponseTooLargeError,
  TlsError,
} from '../../egress/errors.ts';
import { createGuardedFetch } from '../../egress/fetch.ts';
import type { Guard } from '../../egress/guard.ts';
import type { GuardedFetch } from '../../egress/ports.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { parseRetryAfter } from '../../lib/retryAfter.ts';
import { type Attributes, activeTraceparent, withSpan } from '../../observe/tracing.ts';
import type { SentDelivery } from './deliveryWorker.ts';
import type { AttemptOutcome } from './schedule.ts';

interface SignatureInput {
  /** The same in every attempt, so that a receiver can recognize a repetition. */
  eventId: string;
  at: Date;
  /** The exact body of the request. */
  payload: string;
  /** `whsec_<base64>`; two secrets while one replaces the other. */
  secrets: readonly string[];
}

export type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

const SECRET_PREFIX = 'whsec_';

const DEADLINE_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_SNIPPET_BYTES = 1024;

export interface WebhookAttempt {
  url: string;
  eventId: string;
  /** JSON, sent without changes. */
  payload: string;
  secrets: readonly string[];
  /** Headers that the organization gave its webhook endpoint. They replace none of ours. */
  headers?: Readonly<Record<string, string>>;
  /** The client of `createWebhookFetch`, which follows no redirects. */
  fetch: GuardedFetch;
  now: () => Date;
  /** Aborts the attempt when the service shuts down. */
  signal?: AbortSignal;
}

/** With the start of the response: at most 1 KB, printable. */
export type WebhookResult = SentDelivery & { readonly responseSnippet: string };

/** Creates the client for webhooks: guarded, with a deadline of 15 s, responses up to 64 KB, and without redirects. */
export function createWebhookFetch(guard: Guard, timeoutMs = DEADLINE_MS): GuardedFetch {
  return createGuardedFetch({ guard, timeoutMs, maxBytes: MAX_RESPONSE_BYTES, maxRedirects: 0 });
}

/** Makes one delivery attempt, signed. */
export function sendWebhook({ eventId, secrets, ...attempt }: WebhookAttempt): Promise<WebhookResult> {
  const { payload, now, headers = {} } = attempt;
  const signed = signatureHeaders({ eventId, at: now(), payload, secrets });
  return postJson({ ...attempt, headers: { ...headers, ...signed }, hidden: Object.values(headers) });
}

interface JsonPost extends Omit<WebhookAttempt, 'eventId' | 'secrets'> {
  readonly headers: Readonly<Record<string, string>>;
  /** Secrets that the stored start of the response must not contain. */
  readonly hidden: readonly string[];
}

/**
 * Posts JSON once. The status alone decides: after 2xx the receiver has it, even if the rest of its response fails. Errors
 * of the receiver are results, not exceptions.
 */
export async function postJson(attempt: JsonPost): Promise<WebhookResult> {
  const answer = await withSpan('POST', { kind: 'client', attributes: clientAttributes(attempt.url) }, async (span) => {
    const made = await post(attempt, activeTraceparent());
    if ('error' in made) span.fail(made.outcome);
    else span.set({ 'http.response.status_code': made.head.status });
    if ('head' in made && made.head.status >= 400) span.fail(String(made.head.status));
    return made;
  });
  if ('error' in answer) return { ...answer, responseSnippet: '' };
  const { status, headers } = answer.head;
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), attempt.now());
  const outcome = outcomeOf(status);
  return {
    outcome,
    statusCode: status,
    responseSnippet: snippet(without(answer.body, attempt.hidden)),
    ...(outcome !== 'delivered' && { error: describeStatus(status) }),
    ...(outcome === 'retry' && retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Without path and query, because those of webhooks often hold a secret. */
function clientAttributes(address: string): Attributes {
  const { hostname, port, protocol } = URL.parse(address) ?? {};
  const scheme = protocol?.slice(0, -1);
  return {
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': Number(port || (scheme === 'https' ? 443 : 80)),
    'url.scheme': scheme,
  };
}

type WebhookResponse = { head: ResponseHead; body: Buffer } | { outcome: 'retry' | 'refused'; error: string };

async function post(
  { url, payload, fetch, signal, ...attempt }: JsonPost,
  traceparent: string | undefined,
): Promise<WebhookResponse> {
  const headers = {
    ...attempt.headers,
    'content-type': 'application/json',
    'user-agent': 'Tearsheet-Webhooks/1',
    ...(traceparent !== undefined && { traceparent }),
  };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: payload,
      maxBytes: MAX_RESPONSE_BYTES,
      ...(signal && { signal }),
    });
    return { head: response, body: response.body };
  } catch (error) {
    return responseOfError(error);
  }
}

function responseOfError(error: unknown): WebhookResponse {
  if (error instanceof ResponseTooLargeError && error.head) return { head: error.head, body: error.partial };
  const mayHaveHead =
    error instanceof NetworkTimeoutError || error instanceof ConnectionFailedError || error instanceof TlsError;
  if (mayHaveHead && error.head) return { head: error.head, body: Buffer.alloc(0) };
  if (error instanceof EgressRefusedError)
    return { outcome: 'refused', error: `${errorMessage(error)} Tearsheet does not retry by itself.` };
  return { outcome: 'retry', error: errorMessage(error) };
}

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'delivered';
  return status === 410 ? 'gone' : 'retry';
}

function describeStatus(status: number): string {
  if (status === 410) return 'The receiver answered 410 Gone, so Tearsheet does not retry.';
  if (status >= 300 && status < 400) return `The receiver answered ${status}. Tearsheet does not follow redirects.`;
  return `The receiver answered ${status}.`;
}

const SHORTEST_SECRET = 8;

/** A receiver may send back what it got, with the headers of its endpoint or its address, which often hold a token. */
function without(body: Buffer, hidden: readonly string[]): Buffer {
  const secrets = hidden.filter((value) => value.length >= SHORTEST_SECRET);
  if (secrets.length === 0) return body;
  return Buffer.from(
    secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), body.toString('latin1')),
    'latin1',
  );
}

/** @returns the start of a body as text, without control characters and incomplete characters. */
function snippet(body: Buffer): string {
  const text = new TextDecoder().decode(body.subarray(0, MAX_SNIPPET_BYTES), { stream: true });
  const printable = Buffer.from(text.replace(/[^\P{Cc}\n\t]/gu, ' '));
  return new TextDecoder().decode(printable.subarray(0, MAX_SNIPPET_BYTES), { stream: true });
}

/** @returns the headers of the Standard Webhooks specification. @throws Error if there is no valid secret. */
export function signatureHeaders({ eventId, at, payload, secrets }: SignatureInput): SignatureHeaders {
  if (secrets.length === 0) throw new Error('A webhook cannot be signed without a secret.');
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = `${eventId}.${timestamp}.${payload}`;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${hmac(content, secret)}`).join(' '),
  };
}

function hmac(content: string, secret: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  if (!secret.startsWith(SECRET_PREFIX) || key.byteLength === 0) {
    throw new Error(`A webhook secret must consist of ${SECRET_PREFIX} and base64.`);
  }
  return createHmac('sha256', key).update(content).digest('base64');
}
