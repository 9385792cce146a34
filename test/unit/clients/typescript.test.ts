/** The TypeScript client against answers that each test gives. */
import { describe, expect, test } from 'vitest';
import {
  ApiError,
  ConnectionError,
  DeadlineError,
  SignatureError,
  Tearsheet,
  verifyWebhook,
} from '../../../clients/typescript/src/index.ts';
import { signatureHeaders } from '../../../src/delivery/signature.ts';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

type Answer = (sent: Sent) => Response;

/** A client that gets one answer for each try, and all that it sent. */
function clientOf(answers: readonly Answer[], options: { maxRetries?: number } = {}) {
  const sent: Sent[] = [];
  const client = new Tearsheet({
    ...{ baseUrl: 'https://shots.example/', organization: 'acme', apiKey: 'ts_live_key', retryDelayMs: 0, ...options },
    fetch: (url, { method = '', headers, body }) => {
      sent.push({ method, url, headers: new Headers(headers), body });
      const answer = answers[sent.length - 1];
      if (answer === undefined) return Promise.reject(new Error('The client sent more than the test expects.'));
      return Promise.resolve().then(() => answer(sent.at(-1) as Sent));
    },
  });
  return { client, sent };
}

const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer =>
  () =>
    Response.json(body, { status, headers });
const lost: Answer = () => {
  throw new TypeError('fetch failed');
};
const AD = {
  campaign: { name: 'Spring' },
  ad: { media: { type: 'url' as const, content: 'https://cdn.example/a.png' } },
};
const PATH = 'https://shots.example/api/v1/orgs/acme';

describe('a call', () => {
  test('a call sends the key, the path parameters and the query', async () => {
    const { client, sent } = clientOf([
      json(200, { id: '1' }),
      json(200, { data: [], page: 1, per_page: 5, total: 0 }),
    ]);
    expect(await client.getAd('a/b')).toEqual({ id: '1' });
    await client.listAds({ per_page: 5, status: 'uploaded', metadata: { 'line item': 'a&b' } });
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${PATH}/ads/a%2Fb`,
      `GET ${PATH}/ads?per_page=5&status=uploaded&metadata%5Bline+item%5D=a%26b`,
    ]);
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer ts_live_key');
  });

  test('an answer without a body is undefined', async () => {
    const { client } = clientOf([() => new Response(null, { status: 204 })]);
    expect(await client.deleteUpload('1')).toBeUndefined();
  });

  test('a file is sent as it is', async () => {
    const { client, sent } = clientOf([json(201, { id: '1' })]);
    const file = new Uint8Array([1, 2, 3]);
    await client.createUpload(file, { name: 'banner.png' });
    expect(sent[0]).toMatchObject({ url: `${PATH}/uploads?name=banner.png`, body: file });
    expect(sent[0]?.headers.get('content-type')).toBe('application/octet-stream');
  });

  test('a failure has its status, code, request id and faults', async () => {
    const body = { status: 'failure', errors: { 'media.content': ['is missing.'] }, code: 'invalid', request_id: 'r1' };
    const { client } = clientOf([json(422, body)]);
    const error: unknown = await client.createAd(AD).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 422, code: 'invalid', requestId: 'r1', faults: body.errors });
    expect(String(error)).toBe('ApiError: The service answered 422. media.content is missing.');
  });

  test('a failure of a proxy without JSON is an ApiError too', async () => {
    const { client } = clientOf([() => new Response('<html>', { status: 403, headers: { 'x-request-id': 'r2' } })]);
    await expect(client.getAd('1')).rejects.toMatchObject({ status: 403, code: undefined, requestId: 'r2' });
  });
});

describe('retries', () => {
  test('every try of a POST has the same Idempotency-Key', async () => {
    const { client, sent } = clientOf([
      lost,
      json(502, {}),
      json(429, {}, { 'retry-after': '0' }),
      json(201, { id: '1' }),
    ]);
    expect(await client.createAd(AD)).toEqual({ id: '1' });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(4);
  });

  test('the number of retries is bounded', async () => {
    const { client, sent } = clientOf([lost, lost, lost], { maxRetries: 2 });
    await expect(client.getAd('1')).rejects.toBeInstanceOf(ConnectionError);
    expect(sent).toHaveLength(3);
  });

  test('a POST that could act twice is not repeated after a lost connection', async () => {
    const key = { name: 'Tool', scopes: ['read' as const] };
    const { client, sent } = clientOf([lost]);
    await expect(client.createKey(key)).rejects.toBeInstanceOf(ConnectionError);
    expect(sent).toHaveLength(1);
    const refused = clientOf([json(503, {}), json(201, { id: '1' })]);
    expect(await refused.client.createKey(key)).toEqual({ id: '1' });
  });

  test('a longer Retry-After than the client accepts ends the call', async () => {
    const { client, sent } = clientOf([json(429, {}, { 'retry-after': '3600' })]);
    await expect(client.getAd('1')).rejects.toMatchObject({ status: 429 });
    expect(sent).toHaveLength(1);
  });

  test('an ended signal ends the retries', async () => {
    const { client } = clientOf([lost]);
    await expect(client.getAd('1', { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped');
  });
});

test('a list is read page by page, and an object that moved to the next page comes once', async () => {
  const page = (number: number, ids: string[]) =>
    json(200, { data: ids.map((id) => ({ id })), page: number, per_page: 2, total: 5 });
  const { client, sent } = clientOf([page(1, ['e', 'd']), page(2, ['d', 'c']), page(3, ['b'])]);
  const ids: string[] = [];
  for await (const { id } of client.iterateAds({ per_page: 2, q: 'spring' })) ids.push(id);
  expect(ids).toEqual(['e', 'd', 'c', 'b']);
  expect(sent.map(({ url }) => new URL(url).searchParams.get('page'))).toEqual(['1', '2', '3']);
  expect(sent[2]?.url).toContain('q=spring');
});

describe('waiting for a set', () => {
  const status = (name: string) => json(200, { id: '1', status: name });

  test('the wait ends when all pictures are taken or failed', async () => {
    const { client, sent } = clientOf([status('draft'), status('capturing'), status('in_review')]);
    expect(await client.waitForScreenshotSet('1', { intervalMs: 0 })).toMatchObject({ status: 'in_review' });
    expect(sent).toHaveLength(3);
  });

  test('the wait ends with an error at its deadline', async () => {
    const { client } = clientOf([status('capturing')]);
    const wait = client.waitForScreenshotSet('1', { deadlineMs: 1_000, intervalMs: 60_000 });
    await expect(wait).rejects.toThrow(new DeadlineError('Set 1 is still capturing after 1 s. Its capture continues.'));
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
