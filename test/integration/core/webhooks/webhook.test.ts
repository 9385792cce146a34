import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { createWebhookFetch, sendWebhook, type WebhookResult } from '../../../../src/core/webhooks/webhook.ts';
import { ConnectionFailedError } from '../../../../src/egress/errors.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { abortAfterHeaders } from '../../../support/abortAfterHeaders.ts';
import { type Answer, dripping, type Listener, listen, listenHttp, startListener } from '../../../support/listeners.ts';

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes ...').toString('base64')}`;
const NOW = new Date();
const opened: Listener[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
async function keep(starting: Promise<Listener>): Promise<Listener> {
  const listener = await starting;
  opened.push(listener);
  return listener;
}

const loopback = createGuard({ allow: ['127.0.0.0/8'] });
function send(url: string, timeoutMs?: number, signal?: AbortSignal): Promise<WebhookResult> {
  const fetch = createWebhookFetch(loopback, timeoutMs);
  const payload = '{"id":"evt_1"}';
  return sendWebhook({
    ...{ url, eventId: 'evt_1', payload, secrets: [SECRET], fetch, now: () => NOW },
    ...(signal && { signal }),
  });
}
async function sendTo(answer: Answer): Promise<WebhookResult> {
  const server = await keep(listenHttp(answer));
  return send(`${server.url}/hook`);
}

test('the event arrives signed and unchanged', async () => {
  const received: unknown[] = [];
  const result = await sendTo(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headersDistinct;
    const headers = { 'webhook-id': `${id}`, 'webhook-timestamp': `${at}`, 'webhook-signature': `${signature}` };
    received.push(
      request.method,
      request.url,
      request.headers['content-type'],
      new Webhook(SECRET).verify(body, headers),
    );
    response.writeHead(202).end('thanks');
  });
  expect(received).toEqual(['POST', '/hook', 'application/json', { id: 'evt_1' }]);
  expect(result).toEqual({
    outcome: 'delivered',
    statusCode: 202,
    responseSnippet: 'thanks',
  });
});

describe('the status decides the outcome', () => {
  test.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [400, 'retry'],
    [401, 'retry'],
    [404, 'retry'],
    [410, 'gone'],
    [429, 'retry'],
    [500, 'retry'],
    [503, 'retry'],
  ] as const)('the status %i of a receiver leads to the outcome %s', async (status, outcome) => {
    const result = await sendTo((_request, response) => response.writeHead(status).end());
    expect(result).toMatchObject({ outcome, statusCode: status });
    expect(result.error === undefined).toBe(outcome === 'delivered');
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%i) fails and is not followed', async (status) => {
    const target = await keep(listen());
    const result = await sendTo((_request, response) =>
      response.writeHead(status, { location: `${target.url}/` }).end(),
    );
    expect(result).toMatchObject({
      outcome: 'retry',
      statusCode: status,
      error: `The receiver answered ${status}. Tearsheet does not follow redirects.`,
    });
    expect(target.connections).toBe(0);
  });
});

describe('Retry-After', () => {
  test.each([
    ['30', 30_000],
    ['-30', undefined],
    ['soon', undefined],
  ])('Retry-After: %s is read as %j ms', async (value, retryAfterMs) => {
    const result = await sendTo((_request, response) => response.writeHead(429, { 'retry-after': value }).end());
    expect(result.retryAfterMs).toBe(retryAfterMs);
  });

  test('Retry-After has no effect on a delivered event', async () => {
    const result = await sendTo((_request, response) => response.writeHead(200, { 'retry-after': '30' }).end());
    expect(result.retryAfterMs).toBeUndefined();
  });
});

describe('a receiver', () => {
  test.each([
    ['never answers', () => listen()],
    ['sends a byte of its headers at a time', () => dripping('HTTP/1.1 200 OK\r\nx: ')],
  ] as const)('a receiver that %s causes a timeout and a retry', async (_what, start) => {
    const server = await keep(start());
    const result = await send(`${server.url}/`, 150);
    expect(result).toMatchObject({
      outcome: 'retry',
      error: expect.stringContaining('within 0.15 s'),
      responseSnippet: '',
    });
    expect(result.statusCode).toBeUndefined();
  });

  test.each([
    [200, 'delivered'],
    [500, 'retry'],
    [410, 'gone'],
  ] as const)('the status %i decides although the body never ends', async (status, outcome) => {
    const silent = await keep(listen((socket) => socket.resume().write(`HTTP/1.1 ${status} X\r\n\r\n`)));
    const slow = await keep(dripping(`HTTP/1.1 ${status} X\r\n\r\n`));
    // The deadline passes as soon as the status has arrived.
    const attempts = [silent, slow].map(({ url }) => send(`${url}/`, 120_000, abortAfterHeaders(url)));
    for (const result of await Promise.all(attempts)) expect(result).toMatchObject({ outcome, statusCode: status });
    for (const server of [silent, slow]) await expect.poll(() => server.open).toBe(0);
  });

  test('an event is delivered if the receiver answers 200 and resets', async () => {
    const head = { status: 200, headers: new Headers() };
    const fetch = () => Promise.reject(new ConnectionFailedError('it was reset', { head }));
    const result = await sendWebhook({
      url: 'http://x/',
      eventId: 'e',
      payload: '{}',
      secrets: [SECRET],
      fetch,
      now: () => NOW,
    });
    expect(result).toMatchObject({ outcome: 'delivered', statusCode: 200 });
  });

  test('a reset before the status is retried', async () => {
    const server = await keep(listen((socket) => socket.once('data', () => socket.resetAndDestroy())));
    expect(await send(`${server.url}/`)).toMatchObject({
      outcome: 'retry',
      error: expect.stringContaining('failed: '),
    });
  });

  test('endless responses and decompression bombs are read only up to the limit', async () => {
    const endless: Answer = (_request, response) => {
      const more = () => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    };
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 'x'));
    const bombing: Answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    for (const answer of [endless, bombing]) {
      expect(await sendTo(answer)).toMatchObject({ outcome: 'delivered', responseSnippet: 'x'.repeat(1024) });
    }
  });

  test('a response with a megabyte of headers is retried', async () => {
    const server = await keep(
      listen((socket) =>
        socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(1024 * 1024)}\r\n\r\n`)),
      ),
    );
    expect(await send(`${server.url}/`)).toMatchObject({ outcome: 'retry', error: expect.stringContaining('headers') });
  });

  test('the snippet of a response contains only printable text', async () => {
    const body = Buffer.concat([Buffer.from('a\u0000b\u001b[31mc'), Buffer.from('é'.repeat(600))]);
    const { responseSnippet } = await sendTo((_request, response) => response.end(body));
    expect(responseSnippet).toMatch(/^a b \[31mcé+$/);
    expect(Buffer.byteLength(responseSnippet)).toBeLessThanOrEqual(1024);
    const binary = await sendTo((_request, response) => response.end(Buffer.alloc(2000, 0xff)));
    expect(Buffer.byteLength(binary.responseSnippet)).toBeLessThanOrEqual(1024);
  });

  test('the snippet of a response that repeats the request does not have the headers of the endpoint', async () => {
    const server = await keep(
      listenHttp((request, response) => response.writeHead(500).end(JSON.stringify(request.headers))),
    );
    const attempt = { eventId: 'evt_1', payload: '{}', secrets: [SECRET], now: () => NOW };
    const headers = { Authorization: 'Bearer planted-token', 'X-Stage': 'live' };
    const fetch = createWebhookFetch(loopback);
    const { responseSnippet } = await sendWebhook({ ...attempt, url: `${server.url}/`, headers, fetch });
    expect(responseSnippet).toContain('"authorization":"[redacted]"');
    expect(responseSnippet).toContain('"x-stage":"live"');
  });

  test.each(['expired.pem', 'wrongHost.pem', 'selfSigned.pem'])(
    'a receiver with the certificate %s gets no event and is tried again',
    async (cert) => {
      const pem = (name: string) => readFileSync(new URL(`../../../fixtures/tls/${name}`, import.meta.url), 'utf8');
      let requests = 0;
      const tls = createTlsServer({ key: pem('server.key'), cert: pem(cert) }, (_request, response) => {
        requests += 1;
        response.end();
      });
      const server = await keep(startListener(tls));
      const result = await send(`https://localhost:${server.port}/`);
      expect(result).toMatchObject({ outcome: 'retry', error: expect.stringMatching(/certificate/i) });
      expect(requests).toBe(0);
    },
  );

  test.each(['http://127.0.0.1:1/', 'http://[::1]/', 'http://169.254.169.254/', 'file:///etc/passwd'])(
    'a webhook to the forbidden address %s fails with the reason',
    async (url) => {
      const fetch = createWebhookFetch(createGuard({ allow: [] }));
      const result = await sendWebhook({ url, eventId: 'e', payload: '{}', secrets: [SECRET], fetch, now: () => NOW });
      expect(result).toMatchObject({ outcome: 'refused', error: expect.stringMatching(/refused|not allowed/) });
    },
  );
});
