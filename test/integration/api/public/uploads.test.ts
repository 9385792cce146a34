/** Uploads on a real PostgreSQL, with artifacts in a folder and in a bucket of a real S3 server. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArtifacts } from '../../../../src/artifacts/open.ts';
import type { ArtifactStore } from '../../../../src/artifacts/store.ts';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { OLD_ROWS } from '../../../../src/core/removal/oldRows.ts';
import { sweepFiles } from '../../../../src/core/removal/removedFiles.ts';
import { CREATIVE_MAX_BYTES } from '../../../../src/domain/ads.ts';
import { uploadKey } from '../../../../src/domain/uploads.ts';
import { eventually } from '../../../support/eventually.ts';
import { filePart, multipart } from '../../../support/multipart.ts';
import { type Reply, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { startS3Server } from '../../../support/s3Server.ts';

interface Place {
  readonly artifacts: ArtifactStore;
  /** Keys of all files, complete or not. */
  keys(): Promise<string[]>;
  close(): Promise<void>;
}

async function inFolder(): Promise<Place> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-uploads-'));
  return {
    artifacts: openArtifacts(pathToFileURL(folder).href),
    keys: async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function inBucket(): Promise<Place> {
  const server = await startS3Server();
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const bucket = await server.createBucket();
  const account = { endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } };
  const client = new S3Client(account);
  const artifacts = openArtifacts(`s3://${bucket}/tearsheet`, account);
  return {
    artifacts,
    keys: async () => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
      return [...Contents, ...Uploads].map(({ Key = '' }) => Key);
    },
    close: async () => {
      client.destroy();
      artifacts.close();
      await server.close();
    },
  };
}

const png = await sharp({ create: { width: 30, height: 25, channels: 3, background: '#123' } })
  .png()
  .toBuffer();
const pngSha256 = createHash('sha256').update(png).digest('hex');
const MHTML = Buffer.from('From: <Saved>\r\nContent-Type: multipart/related;\r\n boundary="b"\r\n\r\n--b--');
/** Larger than a part of a multipart upload. */
const large = Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(12 * 1024 * 1024)]);

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
] as const)('uploads to %s', (_, open) => {
  let place: Place;
  let api: TestApi;
  beforeAll(async () => {
    place = await open();
    api = await startPublicApi({
      artifacts: place.artifacts,
      uploadLimits: { unused: 40, unusedBytes: 1_000_000_000 },
    });
  }, 900_000);
  afterAll(async () => {
    await api?.close();
    await place?.close();
  });

  const removeExpired = async () => {
    await OLD_ROWS.upload(api.store.db, 100);
    await sweepFiles({ db: api.store.db, artifacts: place.artifacts });
  };
  const send = (query: string, body: Buffer, headers: Record<string, string> = {}): Promise<Reply> =>
    api.send({
      method: 'POST',
      path: `/api/v1/orgs/acme/uploads${query}`,
      headers: { authorization: `Bearer ${api.organization.api_key}`, ...headers },
      body,
    });
  const nothingIsLeft = async (before: { keys: string[]; rows: number }) => {
    await removeExpired();
    expect(await place.keys()).toEqual(before.keys);
    expect(await api.count('uploads')).toBe(before.rows);
  };
  const now = async () => {
    await removeExpired();
    return { keys: await place.keys(), rows: await api.count('uploads') };
  };

  it('a raw body is stored with its format, size and SHA-256', async () => {
    const reply = await send('?name=banner_30x25.png', png, { 'content-type': 'application/x-www-form-urlencoded' });
    expect(reply.json).toEqual({
      type: 'upload',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'banner_30x25.png',
      format: 'image',
      content_type: 'image/png',
      bytes: png.length,
      sha256: pngSha256,
      created_at: expect.stringMatching(/\+00:00$/),
      expires_at: expect.stringMatching(/\+00:00$/),
    });
    expect(reply.status).toBe(201);
    const days = (Date.parse(reply.json.expires_at) - Date.parse(reply.json.created_at)) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    expect((await place.artifacts.get(uploadKey(reply.json.id))).bytes).toEqual(png);
    expect((await api.get(`uploads/${reply.json.id}`)).json).toEqual(reply.json);
    expect((await api.get('uploads')).json).toMatchObject({ data: [reply.json], total: 1 });
  });

  it('the same bytes under the same name are stored once', async () => {
    const first = await send('?name=twice.png', png);
    const before = await now();
    const again = await send('?name=twice.png', png);
    expect(again.status).toBe(200);
    expect(again.json.id).toBe(first.json.id);
    await nothingIsLeft(before);
    const renamed = await send('?name=other.png', png);
    expect(renamed.status).toBe(201);
    expect(renamed.json.id).not.toBe(first.json.id);
  });

  it('the file of a multipart body is stored under its name', async () => {
    const { body, headers } = multipart(
      '--b\r\ncontent-disposition: form-data; name="note"\r\n\r\nnot a file\r\n',
      filePart('Größe 300x250.zip', Buffer.from('PK\x03\x04 and so on')),
    );
    const reply = await send('', body, headers);
    expect(reply.json).toMatchObject({
      name: 'Größe 300x250.zip',
      format: 'html5_zip',
      content_type: 'application/zip',
      bytes: 14,
    });
    expect((await place.artifacts.get(uploadKey(reply.json.id))).bytes.toString()).toBe('PK\x03\x04 and so on');
  });

  it.each([
    ['raw', (bytes: Buffer) => ({ body: bytes, headers: {} })],
    ['multipart', (bytes: Buffer) => multipart(filePart('a.zip', bytes))],
  ])('a large %s body is stored complete', async (_kind, wrap) => {
    const { body, headers } = wrap(large);
    const { json, status } = await send('?name=large.zip', body, headers);
    expect(status, JSON.stringify(json)).toBe(201);
    const stored = await place.artifacts.get(uploadKey(json.id));
    expect(stored.bytes.equals(large)).toBe(true);
    expect(json.sha256).toBe(createHash('sha256').update(large).digest('hex'));
  });

  it('a chunked body over the limit is rejected with 413 and leaves nothing', async () => {
    const before = await now();
    const reply = await sendChunks(CREATIVE_MAX_BYTES + 1);
    expect(reply).toMatchObject({ status: 413, body: expect.stringMatching(/at most 67,108,864 bytes/) });
    await nothingIsLeft(before);
  });

  it('a body that breaks off leaves nothing', async () => {
    const before = await now();
    for (const headers of [{}, multipart().headers]) {
      const start = Object.keys(headers).length === 0 ? large : filePart('a.zip', large);
      const breakOff = beginRequest(headers, start);
      await eventually(async () => expect(await now()).not.toEqual(before));
      await breakOff();
      await eventually(() => nothingIsLeft(before));
    }
    expect(api.lines.filter((line) => 'code' in line && line.code === 'internal')).toEqual([]);
  });

  it('a multipart body with two files is rejected and leaves nothing', async () => {
    const before = await now();
    for (const second of [png, large]) {
      const { body, headers } = multipart(filePart('a.png', png), filePart('b.png', second));
      const reply = await send('', body, headers);
      expect(reply).toMatchObject({
        status: 422,
        json: { errors: { file: [expect.stringMatching(/exactly one file/)] } },
      });
    }
    await nothingIsLeft(before);
  });

  it('an upload that an ad uses stays, and others are removed when they expire', async () => {
    const used = (await send('?name=used.png', png)).json.id;
    const unused = (await send('?name=unused.png', png)).json.id;
    const ad = await api.post('ads', {
      campaign: { name: 'Spring' },
      ad: { media: { type: 'upload', content: used } },
    });
    expect(ad.json).toMatchObject({ kind: 'upload', name: 'used.png' });
    expect((await api.get(`uploads/${used}`)).json.expires_at).toBeNull();
    await sql`update uploads set expires_at = now() where expires_at is not null`.execute(api.store.db);
    expect((await api.get(`uploads/${unused}`)).status).toBe(404);
    await removeExpired();
    expect(await place.keys()).toEqual([expect.stringMatching(new RegExp(`${used}$`))]);
    expect(await api.count('uploads')).toBe(1);
    expect((await send('?name=used.png', png)).json).toMatchObject({ id: used, expires_at: null });
  });

  it('a file that is the page of a picture stays until its set is removed, and an ad keeps it too', async () => {
    const files = [await send('?name=page.png', png), await send('?name=page.mhtml', MHTML)];
    expect(files.map(({ json }) => [json.format, json.content_type])).toEqual([
      ['image', 'image/png'],
      ['mhtml', 'multipart/related'],
    ]);
    const [image, saved] = files.map(({ json }) => json.id);
    const wanted = (page: unknown, options?: object) => ({
      ...{ site: { url: 'news.example', page }, device: { name: 'desktop' }, options },
    });
    const request = (...screenshots: object[]) =>
      api.post('screenshot_requests', {
        campaign: { name: 'Pages' },
        screenshot_requests: [{ ad: { media: { type: 'upload', content: image } }, screenshots }],
      });
    const area = { slot: { area: { x: 10, y: 20 } } };
    const set = await request(wanted({ upload_id: image }, area), wanted({ upload_id: saved }));
    expect(set.status, JSON.stringify(set.json)).toBe(202);
    const { rows } = await sql<{ options: object }>`select options, page_upload_id from screenshots
      where set_id = ${set.json.id} order by seq`.execute(api.store.db);
    expect(rows).toMatchObject([
      { options: { given_page: image, slot: { area: { x: 10, y: 20 } } }, page_upload_id: image },
      { options: { given_page: saved }, page_upload_id: saved },
    ]);
    const expiries = async () =>
      (await Promise.all([image, saved].map((id) => api.get(`uploads/${id}`)))).map(({ json }) => json.expires_at);
    expect(await expiries()).toEqual([null, null]);
    await sql`delete from screenshot_sets where id = ${set.json.id}`.execute(api.store.db);
    // The ad has the image still.
    expect(await expiries()).toEqual([null, undefined]);
    await sql`delete from ads where upload_id = ${image}`.execute(api.store.db);
    expect(await expiries()).toEqual([undefined, undefined]);
  });

  it('the faults of a file as a page say what to send', async () => {
    const id = async (name: string, bytes: Buffer | string) =>
      (await send(`?name=${name}`, Buffer.from(bytes))).json.id as string;
    const [image, saved, tag] = [
      await id('fault.png', png),
      await id('fault.mhtml', MHTML),
      await id('tag.js', 'document.write("")'),
    ];
    const pages = [image, saved, tag, '11111111-1111-4111-8111-111111111111', 'no id'];
    const screenshots = pages.map((upload_id) => ({
      site: { url: 'news.example', page: { upload_id } },
      device: { name: 'desktop' },
    }));
    const ask = (ad: object, some: object[]) =>
      api.post('screenshot_requests', {
        campaign: { name: 'Pages' },
        screenshot_requests: [{ ad, screenshots: some }],
      });
    const at = (index: number) => `screenshot_requests.0.screenshots.${index}`;
    const { json } = await ask({ media: { type: 'upload', content: saved } }, screenshots);
    expect(json.errors).toEqual({
      [`${at(0)}.options.slot`]: [expect.stringMatching(/must have an area.*options.slot.area/)],
      [`${at(2)}.site.page.upload_id`]: [expect.stringMatching(/must be the id of a screenshot.*text.javascript/)],
      [`${at(3)}.site.page.upload_id`]: [expect.stringMatching(/is not the id of an upload/)],
      [`${at(4)}.site.page.upload_id`]: [expect.stringMatching(/must be the id of an upload/)],
      'screenshot_requests.0.ad.media.content': [
        expect.stringMatching(/saved page \(MHTML\), which is not a creative/),
      ],
    });
    const scheduled = await api.post('schedules', {
      ...{ name: 'Daily', rule: { cron: '30 8 * * 1-5' }, time_zone: 'UTC' },
      request: {
        campaign: { name: 'Pages' },
        screenshot_requests: [
          { ad: { media: { type: 'url', content: 'https://a.example/' } }, screenshots: [screenshots[1]] },
        ],
      },
    });
    expect(JSON.stringify(scheduled.json)).toMatch(/must have no files as pages/);
  });

  it('the rest of an upload whose process ended is removed', async () => {
    const before = await now();
    const id = '11111111-1111-4111-8111-111111111111';
    const end = await leaveHalfOf(place.artifacts, uploadKey(id));
    const half = await place.keys();
    expect(half).toHaveLength(before.keys.length + 1);
    await sql`insert into uploads (id, organization_id, name, expires_at)
      select ${id}::uuid, id, 'half', now() from organizations`.execute(api.store.db);
    await removeExpired();
    await nothingIsLeft(before);
    await end();
  });

  it('an unused upload can be deleted, a used one and that of another organization cannot', async () => {
    const { id } = (await send('?name=delete.png', png)).json;
    const remove = (upload: string, key = api.organization.api_key, slug = 'acme') =>
      api.send({
        method: 'DELETE',
        path: `/api/v1/orgs/${slug}/uploads/${upload}`,
        headers: { authorization: `Bearer ${key}` },
      });
    const other = await createOrganization(api.store.db, { slug: `other-${Date.now()}` });
    const slug =
      (
        await sql<{ slug: string }>`select slug from organizations order by created_at desc limit 1`.execute(
          api.store.db,
        )
      ).rows[0]?.slug ?? '';
    expect((await remove(id, other.api_key, slug)).status).toBe(404);
    expect((await remove(id)).status).toBe(204);
    expect((await remove(id)).status).toBe(204);
    await removeExpired();
    await expect(place.artifacts.get(uploadKey(id))).rejects.toThrow(/no object/);
    const used = (await send('?name=kept.png', png)).json.id;
    await api.post('ads', { campaign: { name: 'Spring' }, ad: { media: { type: 'upload', content: used } } });
    expect(await remove(used)).toMatchObject({
      status: 409,
      json: { errors: { id: [expect.stringMatching(/an ad uses/)] } },
    });
    expect((await place.artifacts.get(uploadKey(used))).bytes).toEqual(png);
  });

  /** Sends HTML without a length, and reads the answer, which may arrive before the end. */
  function sendChunks(bytes: number): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const outgoing = openRequest({}, (status, body) => resolve({ status, body }));
      outgoing.on('error', reject);
      const chunk = Buffer.alloc(1024 * 1024, '<p>');
      let sent = 0;
      const write = () => {
        while (sent < bytes) {
          sent += chunk.length;
          if (!outgoing.write(chunk)) return void outgoing.once('drain', write);
        }
        outgoing.end();
      };
      write();
    });
  }

  /** Sends a body without its last bytes. @returns a function that ends the connection. */
  function beginRequest(headers: Record<string, string>, start: Buffer): () => Promise<void> {
    const announced = { ...headers, 'content-length': String(start.length + 1_000) };
    const outgoing = openRequest(announced, () => undefined);
    const closed = new Promise<void>((resolve) => outgoing.on('error', () => undefined).on('close', () => resolve()));
    outgoing.write(start);
    return async () => {
      outgoing.destroy();
      await closed;
    };
  }

  function openRequest(headers: Record<string, string>, answered: (status: number, body: string) => void) {
    return request(
      `${api.url}/api/v1/orgs/acme/uploads`,
      { method: 'POST', headers: { authorization: `Bearer ${api.organization.api_key}`, ...headers } },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString();
        });
        response.on('end', () => answered(response.statusCode ?? 0, body));
      },
    );
  }
});

/** Begins to store a stream and does not end it, as a process that was killed. @returns a function that frees its resources. */
async function leaveHalfOf(artifacts: ArtifactStore, key: string): Promise<() => Promise<void>> {
  let taken = 0;
  const never = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<Buffer> {
    for (; taken < 12; taken += 1) yield Buffer.alloc(1024 * 1024);
    taken += 1;
    await never.promise;
  }
  const stored = artifacts.putStream(key, endless(), 'application/octet-stream');
  await eventually(() => expect(taken).toBe(13));
  return async () => {
    never.reject(new Error('the end'));
    await expect(stored).rejects.toThrow();
  };
}
