import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { type Sent, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const good = { campaign: { name: 'C' }, ad: { media: { type: 'url', content: 'https://a.example/' } } };
const MEBIBYTE = 1_048_576;

function send(body: Sent['body'], headers: Record<string, string> = { 'content-type': 'application/json' }) {
  const authorization = api.organization.api_key;
  const sent = { method: 'POST', path: '/api/v1/orgs/acme/ads', headers: { authorization, ...headers } };
  return api.send(body === undefined ? sent : { ...sent, body });
}

async function refusal(body: Sent['body'], headers?: Record<string, string>): Promise<[number, string[]]> {
  const reply = await send(body, headers);
  expect(reply.json.status).toBe('failure');
  return [reply.status, Object.keys(reply.json.errors)];
}

describe('a body', () => {
  test('a malformed body gets 400 with the position of the fault', async () => {
    const reply = await send('{"a":1,}');
    expect([reply.status, reply.json.errors.body[0]]).toEqual([400, expect.stringContaining('position 7')]);
  });

  test('a body with __proto__ changes no prototype', async () => {
    const body = `{"__proto__":{"campaign":{"name":"C"},"polluted":1},"campaign":{"__proto__":{"name":"C"}},"ad":{"constructor":1,"__proto__":{"media":1}}}`;
    expect(await refusal(body)).toEqual([422, ['campaign', 'media']]);
    expect('polluted' in {}).toBe(false);
  });

  test('a body of 8 MiB is read, and one more byte is too large', async () => {
    const around = JSON.stringify({ ...good, x: '' });
    const filled = (bytes: number) => around.replace('"x":""', `"x":"${'y'.repeat(bytes - around.length)}"`);
    expect((await send(filled(8 * MEBIBYTE))).status).toBe(201);
    const reply = await send(filled(8 * MEBIBYTE + 1));
    const text =
      'must be at most 8,388,608 bytes: send several requests, and larger creatives as uploads (POST …/uploads).';
    expect([reply.status, reply.json.errors]).toEqual([413, { body: [text] }]);
  });

  test('the limit counts the decompressed size of a body', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await send(gzipSync(JSON.stringify(good)), headers)).status).toBe(201);
    expect(await refusal(gzipSync(Buffer.alloc(8 * MEBIBYTE + 1, 0x20)), headers)).toEqual([413, ['body']]);
    expect(await refusal('not gzip', headers)).toEqual([400, ['body']]);
    expect(await refusal('x', { ...headers, 'content-encoding': 'lzma' })).toEqual([415, ['body']]);
  });

  test.each([
    ['as it is', undefined],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('a large body that is sent %s is read', async (encoding, pack) => {
    const text = JSON.stringify({ ...good, x: 'y'.repeat(100_000), subscribers: 5 });
    const headers = { 'content-type': 'application/json', ...(pack && { 'content-encoding': encoding }) };
    const reply = await send(pack === undefined ? text : pack(text), headers);
    expect([reply.status, reply.json.errors]).toEqual([422, { subscribers: ['must be an array, but is a number.'] }]);
  });

  test('a body that its client cuts off creates no ad', async () => {
    const before = await api.count('ads');
    const text = JSON.stringify(good);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => {
        const head = `POST /api/v1/orgs/acme/ads HTTP/1.1\r\nHost: x\r\nAuthorization: ${api.organization.api_key}\r\n`;
        socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${text.length + 9}\r\n\r\n${text}`, () =>
          socket.end(),
        );
      });
      socket.resume();
      // The API may reset the connection.
      socket.on('error', () => undefined);
      socket.once('close', () => resolve());
    });
    expect(await api.count('ads')).toBe(before);
  });
});

describe('the content type', () => {
  const text = JSON.stringify(good);
  test.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/vnd.api+json'])(
    'the content type %s is accepted',
    async (type) => {
      expect((await send(text, { 'content-type': type })).status).toBe(201);
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'json', ''])(
    'the content type "%s" is rejected',
    async (type) => {
      expect(await refusal(text, { 'content-type': type })).toEqual([415, ['body']]);
    },
  );

  test('the content type is required', async () => {
    expect(await refusal(text, {})).toEqual([415, ['body']]);
  });
});

/** The log lines of these requests. A line is written after its answer. */
const linesOf = (...ids: readonly string[]) =>
  eventually(() => {
    const lines = ids.map((id) => api.lines.filter((line) => 'request_id' in line && line.request_id === id));
    expect(lines.map(({ length }) => length)).toEqual(ids.map(() => 1));
    return lines.flat();
  });

describe('every answer', () => {
  test('the answer to an unknown path or method has the failure shape', async () => {
    const unknown = await api.send({ path: '/api/v2/nothing' });
    expect([unknown.status, unknown.json.status, Object.keys(unknown.json.errors)]).toEqual([404, 'failure', ['path']]);
    const wrong = await api.send({ method: 'DELETE', path: '/api/v1/orgs/acme/ads' });
    expect([wrong.status, wrong.headers.allow, wrong.json.status]).toEqual([
      405,
      'GET, HEAD, POST, OPTIONS',
      'failure',
    ]);
    const put = await api.send({ method: 'GET', path: '/api/v1/orgs/acme/screenshot_requests' });
    expect([put.status, put.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    const options = await api.send({ method: 'OPTIONS', path: '/api/v1/orgs/acme/ads' });
    expect([options.status, options.headers.allow, options.text]).toEqual([204, 'GET, HEAD, POST, OPTIONS', '']);
  });

  test('the answer to HEAD is that of GET without its body', async () => {
    const headers = { authorization: api.organization.api_key };
    const reply = await api.send({ method: 'HEAD', path: '/api/v1/orgs/acme/ads', headers });
    expect([reply.status, reply.text]).toEqual([200, '']);
  });

  test('every answer has the id of the request, and keeps a valid id of the client', async () => {
    const idFor = async (id: string) =>
      (await api.send({ path: '/x', headers: { 'x-request-id': id } })).headers['x-request-id'];
    expect(await idFor('trace-1:a.b_c')).toBe('trace-1:a.b_c');
    for (const id of ['', 'a b', 'x'.repeat(129), '<script>']) expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('every answer is logged with its ids, without key, query or token', async () => {
    const key = api.organization.api_key;
    await api.send({
      path: '/api/v1/orgs/acme/ads?lookup_key=SECRETQUERY',
      headers: { authorization: key, 'x-request-id': 'r1' },
    });
    await api.send({ path: '/i/SECRETTOKEN.png', headers: { 'x-request-id': 'r2' } });
    await api.send({ path: '/x', headers: { authorization: key, 'x-request-id': 'r3' } });
    await send('{broken', { 'content-type': 'application/json', 'x-request-id': 'r4' });
    const [line] = await linesOf('r1', 'r2', 'r3', 'r4');
    expect(line).toMatchObject({
      request_id: 'r1',
      method: 'GET',
      status: 200,
      route: '/api/v1/orgs/:slug/ads',
    });
    expect(line).toHaveProperty('organization_id');
    expect(JSON.stringify(api.lines)).not.toMatch(/SECRET/);
    expect(JSON.stringify(api.lines)).not.toContain(key.slice(17));
  });

  test('the log line of a request names the ad or set that it creates', async () => {
    const ad = await api.post('ads', good, { 'x-request-id': 'creates-ad' });
    const device = { name: 'desktop' };
    const entry = { ad: good.ad, screenshots: [{ site: { url: 'https://a.example/' }, device }] };
    const request = { campaign: { name: 'C' }, screenshot_requests: [entry] };
    const set = await api.post('screenshot_requests', request, { 'x-request-id': 'creates-set' });
    const [ofAd, ofSet] = await linesOf('creates-ad', 'creates-set');
    expect(ofAd).toMatchObject({ status: 201, ad_id: ad.json.id });
    expect(ofSet).toMatchObject({ status: 202, set_id: set.json.id });
  });
});
