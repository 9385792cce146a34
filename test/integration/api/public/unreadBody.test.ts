import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeAfterUnreadBody } from '../../../../src/api/server/unreadBody.ts';
import { PROTOCOL_VERSION } from '../../../../src/contract/protocolVersion.ts';
import { type Listener, startListener } from '../../../support/listeners.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { rawExchange } from '../../../support/rawHttp.ts';
import { startTestInternalApi, type TestInternalApi } from '../../../support/testInternalApi.ts';

let api: TestApi;
let internal: TestInternalApi;
beforeAll(async () => {
  [api, internal] = await Promise.all([startPublicApi(), startTestInternalApi()]);
});
afterAll(() => Promise.all([api.close(), internal.close()]));

const MEBIBYTE = 1024 ** 2;
const ADS = '/api/v1/orgs/acme/ads';
const JOB = `/internal/${PROTOCOL_VERSION}/jobs/00000000-0000-4000-8000-000000000000/attempts`;
const head = (path: string, framing: string, key = 'nobody') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
const LARGE = `Content-Length: ${100 * MEBIBYTE}`;

const publicPort = () => Number(new URL(api.url).port);
const internalPort = () => Number(new URL(internal.internalUrl).port);

// The client then sends nothing. Only the service can end the exchange.
test.each([
  ['the public API', publicPort, head(ADS, LARGE), 401],
  ['the public API, for a chunked body', publicPort, head(ADS, 'Transfer-Encoding: chunked'), 401],
  ['an unknown path', publicPort, head('/nothing', LARGE), 404],
  ['the internal API', internalPort, head(JOB, LARGE), 401],
])('%s answers without the body and closes the connection', async (_name, port, request, status) => {
  const answer = await rawExchange(port(), request);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(/\r\nConnection: close\r\n/i);
});

test('a rejected small body does not cost the connection', async () => {
  const small = `${head(ADS, 'Content-Length: 2')}{}`;
  const answers = await rawExchange(publicPort(), small + head(ADS, LARGE));
  expect(answers.match(/HTTP\/1.1 401 /g)).toHaveLength(2);
});

test('a large body that was read does not cost the connection', async () => {
  const body = JSON.stringify({ ad: { name: 'x'.repeat(100_000) } });
  const whole = head(ADS, `Content-Length: ${body.length}`, api.organization.api_key) + body;
  const answers = await rawExchange(publicPort(), whole + head(ADS, LARGE));
  expect(answers).toMatch(/^HTTP\/1.1 422 /);
  expect(answers).toContain('HTTP/1.1 401 ');
});

test('another request after an unread body gets no answer', async () => {
  const body = '{}'.padEnd(100_000);
  const unread = head(ADS, `Content-Length: ${body.length}`) + body;
  const answers = await rawExchange(publicPort(), unread + head(ADS, 'Content-Length: 0'));
  expect(answers.match(/HTTP\/1.1 /g)).toHaveLength(1);
});

// The client sends nothing more, although it has announced more.
test.each([
  ['announces', `Content-Length: ${8 * MEBIBYTE + 1}`, ''],
  ['sends in chunks', 'Transfer-Encoding: chunked', `800001\r\n${' '.repeat(8 * MEBIBYTE + 1)}`],
])('a body of 8 MiB and a byte that a client %s is rejected before its end', async (_how, framing, body) => {
  const answer = await rawExchange(publicPort(), head(ADS, framing, api.organization.api_key) + body);
  expect(answer).toMatch(/^HTTP\/1.1 413 .*"code":"too_large"/s);
  expect(answer).toMatch(/\r\nConnection: close\r\n/i);
});

test('a client that continues to send is cut off long before the end of its body', async () => {
  let received = 0;
  const app = express();
  app.use(closeAfterUnreadBody, (_request, response) => void response.status(401).end('no'));
  const server: Server = createServer(app);
  const closed = new Promise<void>((resolve) => {
    server.on('connection', (socket) =>
      socket.on('close', () => {
        received = socket.bytesRead;
        resolve();
      }),
    );
  });
  const listener: Listener = await startListener(server);
  const client = connect({ host: '127.0.0.1', port: listener.port });
  // The server may reset the connection.
  client.on('error', () => client.destroy());
  client.resume().write(head('/', `Content-Length: ${1024 * MEBIBYTE}`));
  const piece = Buffer.alloc(MEBIBYTE);
  const send = () => {
    while (client.writable && client.write(piece));
  };
  client.on('drain', send);
  send();
  await closed;
  client.destroy();
  await listener.close();
  expect(received).toBeLessThan(512 * MEBIBYTE);
});
