/** Thumbnails on a real PostgreSQL, with pictures in a folder and in a bucket of a real S3 server. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createThumbnails } from '../../../../src/api/thumbnails/thumbnails.ts';
import { openArtifacts } from '../../../../src/artifacts/open.ts';
import type { ArtifactStore } from '../../../../src/artifacts/store.ts';
import { findImage, insertImages } from '../../../../src/core/sets/images.ts';
import { filesOfPicture } from '../../../../src/domain/pictureKeys.ts';
import { THUMBNAIL_WIDTHS, thumbnailKey, WHOLE_WIDTHS } from '../../../../src/domain/thumbnails.ts';
import { FileReader } from '../../../../src/fileReader/fileReader.ts';
import { insertAd, insertOrganization, insertSet } from '../../../support/insertRows.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { required } from '../../../support/required.ts';
import { startS3Server } from '../../../support/s3Server.ts';
import { expectLoggedErrors } from '../../../support/testLog.ts';

const SMALL = { width: 256, isWhole: false };

async function inFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-thumbnails-'));
  const close = () => rm(folder, { recursive: true, force: true });
  return { artifacts: openArtifacts(pathToFileURL(folder).href), close };
}

async function inBucket() {
  const server = await startS3Server();
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const account = { endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } };
  const artifacts = openArtifacts(`s3://${await server.createBucket()}/tearsheet`, account);
  const close = async () => {
    artifacts.close();
    await server.close();
  };
  return { artifacts, close };
}

/** White, with a red box. */
const picture = (width: number, height: number, redTop = 0) =>
  sharp({ create: { width, height, channels: 3, background: '#fff' } })
    .composite([
      { input: { create: { width: 300, height: 250, channels: 3, background: '#f00' } }, left: 0, top: redTop },
    ])
    .png()
    .toBuffer();

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
] as const)('thumbnails in %s', (_, open) => {
  let artifacts: ArtifactStore;
  let closeStore: () => Promise<void>;
  let api: TestApi;
  beforeAll(async () => {
    const opened = await open();
    artifacts = opened.artifacts;
    closeStore = opened.close;
    api = await startPublicApi({ artifacts });
  }, 900_000);
  afterAll(async () => {
    await api?.close();
    await closeStore?.();
  });

  /** Stores a picture as a capture does. @returns its token and its key. */
  async function store(png: Buffer, size: { width: number; height: number }, folder = 'screenshots') {
    const key = `${folder}/${randomUUID()}/1-${'a'.repeat(64)}.png`;
    await artifacts.put(key, png, 'image/png');
    const organizationId = (await api.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()).id;
    const image = { organizationId, key, sha256: 'a'.repeat(64), bytes: png.length, ...size };
    const [token] = await insertImages(api.store.db, [image]);
    return { token: required(token), key };
  }
  const get = async (address: string, headers: Record<string, string> = {}) => {
    const response = await fetch(api.url + address, { headers });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  it('each width is a WebP of that width that browsers may cache without limit', async () => {
    const { token } = await store(await picture(1440, 900), { width: 1440, height: 900 });
    for (const width of THUMBNAIL_WIDTHS) {
      const { status, headers, bytes } = await get(`/i/${token}/${width}.webp`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('image/webp');
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width, height: Math.round(width * 0.625) });
      const again = await get(`/i/${token}/${width}.webp`, { 'if-none-match': headers.get('etag') ?? '' });
      expect(again.status).toBe(304);
    }
  });

  it('a thumbnail of the whole picture is never cut, and is removed with its picture', async () => {
    const { token, key } = await store(await picture(1440, 9_000), { width: 1440, height: 9_000 });
    for (const width of WHOLE_WIDTHS) {
      const { headers, bytes } = await get(`/i/${token}/whole-${width}.webp`);
      expect(headers.get('content-type')).toBe('image/webp');
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width, height: width * 6.25 });
    }
    expect(filesOfPicture(key)).toContain(thumbnailKey(key, { width: 1440, isWhole: true }));
  });

  it('a thumbnail is made once and stored beside its picture', async () => {
    const { token, key } = await store(await picture(1440, 900), { width: 1440, height: 900 });
    const first = await get(`/i/${token}/256.webp`);
    expect((await artifacts.get(thumbnailKey(key, SMALL))).bytes).toEqual(first.bytes);
    await artifacts.delete(key);
    expect((await get(`/i/${token}/256.webp`)).bytes).toEqual(first.bytes);
    const missing = await get(`/i/${token}/512.webp`);
    expect(missing.status).toBe(404);
    expect(missing.headers.get('cache-control')).toBe('no-store');
  });

  it('a thumbnail that is asked for many times at once is drawn once', async () => {
    const { token } = await store(await picture(1440, 900), { width: 1440, height: 900 });
    const files = new FileReader({ inAll: 2, ofEach: 2, waiting: 20, waitMs: 60_000 });
    const read = vi.spyOn(files, 'read');
    const thumbnails = createThumbnails(api.store.db, artifacts, files);
    const image = required(await findImage(api.store.db, token));
    const made = await Promise.all(Array.from({ length: 20 }, () => thumbnails.read(image, SMALL)));
    expect(new Set(made.map((bytes) => bytes.toString('base64'))).size).toBe(1);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('a small picture is not enlarged', async () => {
    const { token } = await store(await picture(300, 250), { width: 300, height: 250 });
    const { bytes } = await get(`/i/${token}/768.webp`);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 300, height: 250 });
  });

  it('the thumbnail of a whole page is bounded and shows the ad', async () => {
    const { token } = await store(await picture(400, 9_000, 7_000), { width: 400, height: 9_000 });
    const organization = await insertOrganization(api.store.db);
    const setId = await insertSet(api.store.db, organization, {
      pictures: [{ adId: await insertAd(api.store.db, organization) }],
    });
    const record = JSON.stringify({ ad_box: { x: 0, y: 7_000, width: 300, height: 250 } });
    await sql`update screenshots set image_token = ${token}, record = ${record}::jsonb where set_id = ${setId}`.execute(
      api.store.db,
    );
    const { bytes } = await get(`/i/${token}/256.webp`);
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([256, 576]);
    const pixel = [...data.subarray((288 * 256 + 80) * info.channels).subarray(0, 3)];
    expect(pixel[0]).toBeGreaterThan(240);
    expect(pixel[1]).toBeLessThan(20);
  });

  it('the thumbnail of a tall ad shows the whole ad', async () => {
    const { token } = await store(await picture(400, 2_400), { width: 400, height: 2_400 }, 'creatives');
    const { bytes } = await get(`/i/${token}/192.webp`);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 192, height: 1_152 });
  });

  it('a stored picture that is not a PNG is not decoded', async () => {
    expectLoggedErrors(/request failed/);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    const { token } = await store(svg, { width: 9, height: 9 });
    expect((await get(`/i/${token}/256.webp`)).status).toBe(500);
  });

  it.each([
    ['/i/unknown/256.webp', /does not exist or was deleted/],
    ['/i/unknown/321.webp', /use one of 192\.webp, 256\.webp, 512\.webp, 768\.webp/],
    ['/i/unknown/256.png', /use one of/],
    ['/i/..%2f/256.webp', /does not exist or was deleted/],
  ])('%s is answered with 404', async (address, message) => {
    const { status, bytes } = await get(address);
    expect(status).toBe(404);
    expect(bytes.toString()).toMatch(message);
  });
});
