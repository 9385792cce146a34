/** The TypeScript client against answers that each test gives. */
import { describe, expect, test } from 'vitest';
import { ApiError, call, isRepeatable, type Service } from '../../../clients/typescript/src/call.ts';
import { SignatureError, verifyWebhook } from '../../../clients/typescript/src/webhook.ts';
import { signatureHeaders } from '../../../src/core/webhooks/webhook.ts';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.ts';
import { openApiDocument, operationsOf } from '../../support/operations.ts';

interface Sent {
  readonly url: string;
  readonly headers: Headers;
}

type Answer = () => Response;

/** A service that gives one answer for each try, and all that it received. */
function serviceOf(answers: readonly Answer[], options: { maxRetries?: number } = {}) {
  const sent: Sent[] = [];
  const service: Service = {
    ...{ baseUrl: 'https://shots.example/', organization: 'acme', apiKey: 'ts_live_key', retryDelayMs: 0, ...options },
    fetch: async (url, { headers }) => {
      sent.push({ url, headers: new Headers(headers) });
      const answer = answers[sent.length - 1];
      if (answer === undefined) throw new Error('The client sent more than the test expects.');
      return answer();
    },
  };
  return { service, sent };
}

const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer =>
  () =>
    Response.json(body, { status, headers });
const lost: Answer = () => {
  throw new TypeError('fetch failed');
};
const ADS = '/api/v1/orgs/acme/ads';
const KEYS = '/api/v1/orgs/acme/keys';

describe('a call', () => {
  test('a call sends the key and a file as it is', async () => {
    const { service, sent } = serviceOf([json(200, { id: '1' })]);
    expect(await call(ADS, { service, method: 'PUT', body: new Blob(['a']) })).toEqual({ id: '1' });
    expect(sent[0]?.url).toBe(`https://shots.example${ADS}`);
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer ts_live_key');
    expect(sent[0]?.headers.get('content-type')).toBe('application/octet-stream');
  });

  test('an answer without a body is undefined', async () => {
    const { service } = serviceOf([() => new Response(null, { status: 204 })]);
    expect(await call(ADS, { service, method: 'DELETE' })).toBeUndefined();
  });

  test('a failure has its status, code, request id and faults', async () => {
    const body = { status: 'failure', errors: { 'media.content': ['is missing.'] }, code: 'invalid', request_id: 'r1' };
    const { service } = serviceOf([json(422, body)]);
    const error: unknown = await call(ADS, { service }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 422, code: 'invalid', requestId: 'r1', faults: body.errors });
    expect(String(error)).toBe('ApiError: The service answered 422. media.content is missing.');
  });

  test('a failure of a proxy without JSON is an ApiError too', async () => {
    const { service } = serviceOf([() => new Response('<html>', { status: 403, headers: { 'x-request-id': 'r2' } })]);
    await expect(call(ADS, { service })).rejects.toMatchObject({ status: 403, code: undefined, requestId: 'r2' });
  });
});

describe('retries', () => {
  test('every try of a POST has the same Idempotency-Key', async () => {
    const answers = [lost, json(502, {}), json(429, {}, { 'retry-after': '0' }), json(201, { id: '1' })];
    const { service, sent } = serviceOf(answers);
    expect(await call(ADS, { service, method: 'POST', body: '{}' })).toEqual({ id: '1' });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(4);
  });

  test('the number of retries is bounded', async () => {
    const { service, sent } = serviceOf([lost, lost, lost], { maxRetries: 2 });
    await expect(call(ADS, { service })).rejects.toBeInstanceOf(TypeError);
    expect(sent).toHaveLength(3);
  });

  test('a POST that could act twice is not repeated after a lost connection', async () => {
    const { service, sent } = serviceOf([lost]);
    await expect(call(KEYS, { service, method: 'POST' })).rejects.toBeInstanceOf(TypeError);
    expect(sent).toHaveLength(1);
    const refused = serviceOf([json(503, {}), json(201, { id: '1' })]);
    expect(await call(KEYS, { service: refused.service, method: 'POST' })).toEqual({ id: '1' });
  });

  test('a longer Retry-After than the client accepts ends the call', async () => {
    const { service, sent } = serviceOf([json(429, {}, { 'retry-after': '3600' })]);
    await expect(call(ADS, { service })).rejects.toMatchObject({ status: 429 });
    expect(sent).toHaveLength(1);
  });

  test('an ended signal ends the retries', async () => {
    const { service } = serviceOf([lost]);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(call(ADS, { service, signal })).rejects.toThrow('stopped');
  });

  test('the clients repeat only those POSTs that the service does once', () => {
    const repeated = operationsOf(openApiDocument(DEFAULT_LIMITS).paths).filter(
      ({ method, path }) => method === 'POST' && isRepeatable('POST', path),
    );
    const unsafe = repeated.filter(
      ({ operation: { parameters, responses } }) =>
        !parameters?.some(({ name }) => name === 'Idempotency-Key') && responses['200'] === undefined,
    );
    expect(repeated.length).toBeGreaterThan(5);
    expect(unsafe.map(({ path }) => path)).toEqual([]);
  });
});

describe('verifying a webhook', () => {
  const secret = 'whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0';
  const secrets = [secret, 'whsec_b2xkLXNlY3JldC1vbGQtc2VjcmV0'];
  const body = JSON.stringify({ id: 'evt_1', topic: 'ad.uploaded', text: 'Grüße — 300×250' });
  const headers = (at = new Date(), signing = secrets) => ({
    ...signatureHeaders({ eventId: 'evt_1', at, payload: body, secrets: signing }),
  });

  test('a signed message is its event', async () => {
    expect(await verifyWebhook({ secret, headers: headers(), body })).toEqual(JSON.parse(body));
    const rotated = headers(new Date(), secrets.toReversed());
    const bytes = new TextEncoder().encode(body);
    expect(await verifyWebhook({ secret, headers: new Headers(rotated), body: bytes })).toEqual(JSON.parse(body));
  });

  test('other messages are rejected', async () => {
    const messages = [
      { secret, headers: headers(), body: body.replace('evt_1', 'evt_2') },
      { secret, headers: headers(new Date(), secrets.slice(1)), body },
      { secret, headers: headers(new Date(Date.now() - 10 * 60_000)), body },
      { secret, headers: {}, body },
      { secret, headers: { ...headers(), 'webhook-signature': 'v1,***' }, body },
    ];
    for (const message of messages) await expect(verifyWebhook(message)).rejects.toBeInstanceOf(SignatureError);
  });
});
