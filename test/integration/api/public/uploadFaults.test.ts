/** Uploads that are rejected, and names that are changed. */
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOpenApi } from '../../../../src/api/public/openApi.ts';
import { CREATIVE_MAX_BYTES } from '../../../../src/domain/ads.ts';
import { filePart, multipart } from '../../../support/multipart.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const png = await sharp({ create: { width: 30, height: 25, channels: 3, background: '#123' } })
  .png()
  .toBuffer();

describe('uploads that are at fault', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startPublicApi({ uploadLimits: { unused: 8, unusedBytes: 1_000_000 } });
  });
  afterAll(() => api?.close());

  const send = (body: Buffer, headers: Record<string, string> = {}, query = '') =>
    api.send({
      method: 'POST',
      path: `/api/v1/orgs/acme/uploads${query}`,
      headers: { authorization: `Bearer ${api.organization.api_key}`, ...headers },
      body,
    });

  it.each([
    ['an empty file', Buffer.alloc(0), {}, 422, 'file', /must not be empty/],
    ['a PDF', Buffer.from('%PDF-1.4\n%âãÏÓ\n1 0 obj'), {}, 415, 'file', /PDF\. Send its page as an image/],
    ['JSON', Buffer.from('{"a":1}'), { 'content-type': 'application/json' }, 415, 'file', /data in an unknown format/],
    ['an encoded body', png, { 'content-encoding': 'gzip' }, 415, 'body', /without Content-Encoding gzip/],
    ['a form without a file', multipart().body, multipart().headers, 422, 'file', /is required/],
    ['a form without a boundary', png, { 'content-type': 'multipart/form-data' }, 400, 'body', /Boundary not found/],
    [
      'another multipart type',
      png,
      { 'content-type': 'multipart/mixed; boundary=b' },
      400,
      'body',
      /could not be read/,
    ],
    ['a form that is cut', filePart('a.png', png), multipart().headers, 400, 'body', /could not be read/],
    [
      'a form with very many parts',
      multipart(...Array.from({ length: 5_000 }, () => '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n'))
        .body,
      multipart().headers,
      422,
      'body',
      /at most 22 parts/,
    ],
    [
      'an empty file of a form',
      multipart(filePart('a.png', Buffer.alloc(0))).body,
      multipart().headers,
      422,
      'file',
      /must not be empty/,
    ],
  ] as const)('%s is rejected and says what to do', async (_, body, headers, status, field, message) => {
    const reply = await send(body, { ...headers });
    expect(reply.json).toMatchObject({ status: 'failure', errors: { [field]: [expect.stringMatching(message)] } });
    expect(reply.status).toBe(status);
    expect(await api.count('uploads')).toBe(0);
  });

  it('a body that announces more than the limit is rejected before it is read', async () => {
    const headers = { 'content-length': String(CREATIVE_MAX_BYTES + 1), connection: 'close' };
    const reply = await send(png, headers);
    expect(reply.status).toBe(413);
  });

  it('each example of the OpenAPI document is accepted', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: the document is looked into at one place.
    const document: any = buildOpenApi();
    const operation = document.paths['/api/v1/orgs/{organization_slug}/uploads'].post;
    const { 'application/octet-stream': raw, 'multipart/form-data': form } = operation.requestBody.content;
    const [name] = operation.parameters.filter((parameter: { name: string }) => parameter.name === 'name');
    const file = filePart('banner.html', Buffer.from(form.example.file));
    const replies = [
      await send(Buffer.from(raw.example), {}, `?name=${name.example ?? name.schema.example}`),
      await send(multipart(file).body, multipart().headers),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies.map(({ json }) => json.format)).toEqual(['html', 'html']);
    await sql`delete from uploads`.execute(api.store.db);
  });

  it('an unknown upload is rejected with 422 in both requests', async () => {
    const media = { type: 'upload', content: '11111111-1111-4111-8111-111111111111' };
    const fault = [expect.stringMatching(/has expired: upload the file again/)];
    const ad = await api.post('ads', { campaign: { name: 'A' }, ad: { media } });
    expect(ad).toMatchObject({ status: 422, json: { errors: { 'media.content': fault } } });
    const screenshots = [{ site: { url: 'https://news.example' }, device: { name: 'desktop' } }];
    const set = await api.post('screenshot_requests', {
      campaign: { name: 'A' },
      screenshot_requests: [{ ad: { media }, screenshots }],
    });
    expect(set).toMatchObject({ status: 422, json: { errors: { 'screenshot_requests.0.ad.media.content': fault } } });
    const word = await api.post('ads', { campaign: { name: 'A' }, ad: { media: { type: 'upload', content: 'x' } } });
    expect(word).toMatchObject({
      status: 422,
      json: { errors: { 'media.content': [expect.stringMatching(/POST …\/uploads/)] } },
    });
    expect(await api.count('campaigns')).toBe(0);
  });

  it.each([
    ['path characters', '../../etc/passwd_300x250.png', 'passwd_300x250.png'],
    ['a Windows path', 'C:\\Ads\\banner 300x250.png', 'banner 300x250.png'],
    ['only dots', '..', 'upload'],
    ['control characters', 'a\u0000\r\nb\u202Egnp.exe', 'a\uFFFDbgnp.exe'],
    ['a huge name', `${'x'.repeat(5_000)}.png`, 'x'.repeat(255)],
    ['no name', '', 'upload'],
  ])('a name with %s is stored as a plain file name', async (_, name, stored) => {
    await sql`delete from uploads`.execute(api.store.db);
    const reply = await send(png, {}, `?name=${encodeURIComponent(name)}`);
    expect(reply.json.name).toBe(stored);
    expect(reply.status).toBe(201);
  });

  it('an organization that has too many unused uploads is rejected with 409', async () => {
    await sql`delete from uploads`.execute(api.store.db);
    const replies = [];
    for (let i = 0; i < 9; i += 1) replies.push(await send(png, {}, `?name=${i}.png`));
    expect(replies.map(({ status }) => status)).toEqual([...Array(8).fill(201), 409]);
    expect(replies.at(-1)?.json.errors.uploads[0]).toMatch(/8 uploads that no ad uses\. Use some in an ad/);
    await sql`update uploads set bytes = 1000000 where name = '0.png'`.execute(api.store.db);
    await sql`delete from uploads where name = '1.png'`.execute(api.store.db);
    expect((await send(png, {}, '?name=9.png')).json.errors.uploads[0]).toMatch(/bytes in total/);
  });
});
