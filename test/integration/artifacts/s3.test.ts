import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openArtifacts } from '../../../src/artifacts/open.ts';
import { ArtifactNotFoundError, type ArtifactStore } from '../../../src/artifacts/store.ts';
import { watchStore } from '../../../src/artifacts/storeCheck.ts';
import { startLockedBucket } from '../../support/lockedBucket.ts';
import { required } from '../../support/required.ts';
import { type S3Server, startS3Server } from '../../support/s3Server.ts';

let server: S3Server;
let store: ArtifactStore;
beforeAll(async () => {
  server = await startS3Server();
  store = openArtifacts(`s3://${await server.createBucket()}/some/prefix/`, account());
}, 900_000);
afterAll(async () => {
  store?.close();
  await server?.close();
});

function account() {
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  return { endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } };
}

const picture = Buffer.from('89504e470d0a1a0a', 'hex');

test('an artifact in a bucket can be stored, read, replaced and deleted', async () => {
  await store.put('sets/1/a.png', picture, 'image/png');
  expect(await store.get('sets/1/a.png')).toEqual({ bytes: picture, contentType: 'image/png', size: 8 });
  await store.put('sets/1/a.png', Buffer.from('{}'), 'application/json');
  expect((await store.get('sets/1/a.png')).contentType).toBe('application/json');
  expect(await store.sizeOf('sets/1/a.png')).toBe(2);
  await store.delete('sets/1/a.png');
  await store.delete('sets/1/a.png');
  expect(await store.sizeOf('sets/1/a.png')).toBeUndefined();
  await expect(store.get('sets/1/a.png')).rejects.toThrow(ArtifactNotFoundError);
});

test('a signed upload accepts only its own bytes and content type', async ({ skip }) => {
  skip(!server.judgesSignatures, 'this server judges no signatures');
  const sha256 = createHash('sha256').update(picture).digest('hex');
  const content = { contentType: 'image/png', sha256, bytes: picture.length };
  const { url, headers } = required(await store.uploadRequest('sets/2/b.png', content));
  const put = async (bytes: Buffer, more: Record<string, string> = {}) =>
    (await fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers: { ...headers, ...more } })).status;
  const other = Buffer.from(picture).reverse();
  expect(await put(other)).toBe(400);
  expect(await put(other, { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' })).toBe(403);
  expect(await put(other, { 'x-amz-content-sha256': createHash('sha256').update(other).digest('hex') })).toBe(403);
  expect(await put(Buffer.concat([picture, picture]))).toBe(403);
  expect(await put(picture, { 'content-type': 'text/html' })).toBe(403);
  expect(await store.sizeOf('sets/2/b.png')).toBeUndefined();
  expect(await put(picture)).toBe(200);
  expect(await put(picture)).toBe(200);
  expect(await store.get('sets/2/b.png')).toEqual({ bytes: picture, contentType: 'image/png', size: 8 });
});

test('a bucket with Object Lock stores artifacts, streams and the uploads of captures', async () => {
  const bucket = await startLockedBucket();
  const locked = openArtifacts('s3://locked', { ...account(), endpoint: bucket.url });
  try {
    await locked.put('a.png', picture, 'image/png');
    const large = Buffer.alloc(6 * 1024 * 1024, 1);
    await locked.putStream('b.zip', Readable.from([large, picture]), 'application/zip');
    const sum = (algorithm: string, encoding: 'hex' | 'base64') =>
      createHash(algorithm).update(picture).digest(encoding);
    const content = { contentType: 'image/png', sha256: sum('sha256', 'hex'), md5: sum('md5', 'base64'), bytes: 8 };
    const { url, headers } = required(await locked.uploadRequest('c.png', content));
    expect((await fetch(url, { method: 'PUT', body: new Uint8Array(picture), headers })).status).toBe(200);
    expect(headers['authorization']).toContain('content-md5');
    const paths = bucket.stored.map((address) => address.replace(/\?.*/, ''));
    expect(paths).toEqual(['/locked/a.png', '/locked/b.zip', '/locked/b.zip', '/locked/c.png']);
  } finally {
    locked.close();
    await bucket.close();
  }
});

test('a real server compares the MD5 of an upload', async ({ skip }) => {
  skip(!server.judgesSignatures, 'this server compares no checksums');
  const sha256 = createHash('sha256').update(picture).digest('hex');
  const put = async (md5: string) => {
    const content = { contentType: 'image/png', sha256, md5, bytes: picture.length };
    const { url, headers } = required(await store.uploadRequest('sets/2/md5.png', content));
    return (await fetch(url, { method: 'PUT', body: new Uint8Array(picture), headers })).status;
  };
  expect(await put(createHash('md5').update('other').digest('base64'))).toBe(400);
  expect(await put(createHash('md5').update(picture).digest('base64'))).toBe(200);
});

test('a download URL returns the bytes under the requested file name', async ({ skip }) => {
  skip(!server.judgesSignatures, 'this server judges no signatures');
  await store.put('sets/2/b.png', picture, 'image/png');
  const download = await store.downloadUrl('sets/2/b.png', { expiresInSeconds: 60, fileName: 'my picture.png' });
  const answer = await fetch(download ?? '');
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(picture);
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="my_picture.png"');
});

test('a changed or expired download URL is rejected', async ({ skip }) => {
  skip(!server.judgesSignatures, 'this server judges no signatures');
  await store.put('sets/3/c.png', picture, 'image/png');
  const url = (await store.downloadUrl('sets/3/c.png', { expiresInSeconds: 1 })) ?? '';
  expect((await fetch(url.replace('c.png', 'd.png'))).status).toBe(403);
  await expect.poll(async () => (await fetch(url)).status, { timeout: 60_000 }).toBe(403);
});

test('download URLs for clients use the public endpoint', async () => {
  const reached = (publicEndpoint?: string, forcePathStyle = true) =>
    openArtifacts('s3://pictures/some', {
      endpoint: server.endpoint,
      ...(publicEndpoint !== undefined && { publicEndpoint }),
      region: server.region,
      forcePathStyle,
      credentials: server,
    });
  const [own, outside, virtual] = [reached(), reached('https://s3.example'), reached('https://s3.example', false)];
  const address = async (forClient: boolean) =>
    new URL((await outside.downloadUrl('a.png', { expiresInSeconds: 9, forClient })) ?? '').origin;
  expect(await address(true)).toBe('https://s3.example');
  expect(await address(false)).toBe(new URL(server.endpoint).origin);
  expect(await own.clientOrigin()).toBe(new URL(server.endpoint).origin);
  expect(await outside.clientOrigin()).toBe('https://s3.example');
  expect(await virtual.clientOrigin()).toBe('https://pictures.s3.example');
  for (const store of [own, outside, virtual]) store.close();
});

test('the check of a bucket that does not exist says so', async () => {
  const missing = openArtifacts('s3://no-such-bucket/tearsheet', account());
  await expect(watchStore(missing).check()).rejects.toThrow(/does not accept files: NoSuchBucket/);
  missing.close();
  await watchStore(store).check();
});
