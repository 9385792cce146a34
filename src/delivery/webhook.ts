import {
  ConnectionFailedError,
  NetworkTimeoutError,
  type ResponseHead,
  ResponseTooLargeError,
  TlsError,
} from '../egress/errors.ts';
import { createGuardedFetch } from '../egress/fetch.ts';
import type { Guard } from '../egress/guard.ts';
import type { GuardedFetch } from '../egress/ports.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import { parseRetryAfter, type TryOutcome } from './schedule.ts';
import { signatureHeaders } from './signature.ts';

const DEADLINE_MS = 15_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_SNIPPET_BYTES = 1024;

export interface WebhookTry {
  url: string;
  eventId: string;
  /** JSON, sent as it is. */
  payload: string;
  secrets: readonly string[];
  /** Of `createWebhookFetch`: one that follows no redirect. */
  fetch: GuardedFetch;
  now: () => Date;
  /** Ends the try early: the service is shutting down. */
  signal?: AbortSignal;
}

export interface WebhookResult {
  outcome: TryOutcome;
  statusCode?: number;
  /** Why it was not delivered, for the customer. */
  error?: string;
  durationMs: number;
  retryAfterMs?: number;
  /** The beginning of the answer, at most 1 KB, printable. */
  responseSnippet: string;
}

/** The client for webhooks: guarded, one deadline of 15 s, at most 64 KB of an answer, redirects never followed. */
export function createWebhookFetch(guard: Guard, timeoutMs = DEADLINE_MS): GuardedFetch {
  return createGuardedFetch({ guard, timeoutMs, maxBytes: MAX_RESPONSE_BYTES, maxRedirects: 0 });
}

/**
 * Makes one try. The status decides as soon as it is there: a receiver that said 2xx has the event, whatever becomes of
 * the rest of its answer. Never throws for what a receiver does.
 */
export async function sendWebhook(attempt: WebhookTry): Promise<WebhookResult> {
  const started = performance.now();
  const answer = await post(attempt);
  const durationMs = Math.round(performance.now() - started);
  if ('error' in answer) return { outcome: 'retry', error: answer.error, durationMs, responseSnippet: '' };
  const { status, headers } = answer.head;
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), attempt.now());
  const outcome = outcomeOf(status);
  return {
    outcome,
    statusCode: status,
    durationMs,
    responseSnippet: snippet(answer.body),
    ...(outcome !== 'delivered' && { error: explain(status) }),
    ...(outcome === 'retry' && retryAfterMs !== undefined && { retryAfterMs }),
  };
}

type Answer = { head: ResponseHead; body: Buffer } | { error: string };

async function post({ url, eventId, payload, secrets, fetch, now, signal }: WebhookTry): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Tearsheet-Webhooks/1',
    ...signatureHeaders({ eventId, at: now(), payload, secrets }),
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
    return brokenAnswer(error);
  }
}

function brokenAnswer(error: unknown): Answer {
  if (error instanceof ResponseTooLargeError && error.head) return { head: error.head, body: error.partial };
  const mayHaveHead =
    error instanceof NetworkTimeoutError || error instanceof ConnectionFailedError || error instanceof TlsError;
  if (mayHaveHead && error.head) return { head: error.head, body: Buffer.alloc(0) };
  return { error: errorMessage(error) };
}

function outcomeOf(status: number): TryOutcome {
  if (status >= 200 && status < 300) return 'delivered';
  return status === 410 ? 'gone' : 'retry';
}

function explain(status: number): string {
  if (status === 410) return 'The receiver answered 410 Gone and is not asked again.';
  if (status >= 300 && status < 400) return `The receiver answered ${status}; redirects are not followed.`;
  return `The receiver answered ${status}.`;
}

/** What can be shown and stored: no control characters, nothing cut within a character. */
function snippet(body: Buffer): string {
  const text = new TextDecoder().decode(body.subarray(0, MAX_SNIPPET_BYTES), { stream: true });
  const printable = Buffer.from(text.replace(/[^\P{Cc}\n\t]/gu, ' '));
  return new TextDecoder().decode(printable.subarray(0, MAX_SNIPPET_BYTES), { stream: true });
}
