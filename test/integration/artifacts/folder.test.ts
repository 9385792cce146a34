import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openArtifacts } from '../../../src/artifacts/open.ts';
import { ArtifactNotFoundError, type ArtifactStore } from '../../../src/artifacts/store.ts';

let folder: string;
let store: ArtifactStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tearsheet artifacts-'));
  store = openArtifacts(pathToFileURL(join(folder, 'data')).href);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const picture = Buffer.from('89504e470d0a1a0a', 'hex');

test('an artifact in a folder can be stored, read, replaced and deleted', async () => {
  await store.put('sets/1/a.png', picture, 'image/png');
  expect(await store.get('sets/1/a.png')).toEqual({ bytes: picture, contentType: 'image/png', size: 8 });
  expect(await readFile(join(folder, 'data/sets/1/a.png'))).toEqual(picture);
  await store.put('sets/1/a.png', Buffer.from('x'), 'image/png');
  expect(await store.get('sets/1/a.png')).toMatchObject({ contentType: 'image/png', size: 1 });
  await store.delete('sets/1/a.png');
  await store.delete('sets/1/a.png');
  await expect(store.get('sets/1/a.png')).rejects.toThrow(ArtifactNotFoundError);
});

test.each([
  ['a.png', 'image/png'],
  ['a.webp', 'image/webp'],
  ['a.gif', 'image/gif'],
  ['a.pdf', 'application/pdf'],
  ['a', 'application/octet-stream'],
])('the content type of %s follows from its name', async (key, contentType) => {
  await store.put(key, picture, contentType);
  expect(await store.get(key)).toMatchObject({ contentType });
  expect(await readdir(join(folder, 'data'))).toEqual([key]);
});

test('only stored keys exist in a folder', async () => {
  await store.put('sets/1/a.png', picture, 'image/png');
  expect(await store.sizeOf('sets/1/a.png')).toBe(picture.length);
  for (const key of ['sets/1/b.png', 'sets/1', 'sets/1/a.png/c']) {
    expect(await store.sizeOf(key)).toBeUndefined();
  }
});

test('a folder has no URLs for clients', async () => {
  const content = { contentType: 'image/png', sha256: '0'.repeat(64), bytes: 1 };
  expect(await store.uploadRequest('a.png', content)).toBeUndefined();
  expect(await store.downloadUrl('a.png', { expiresInSeconds: 1 })).toBeUndefined();
  expect(await store.clientOrigin()).toBeUndefined();
});

test('concurrent writers of one key leave one complete file', async () => {
  const versions = Array.from({ length: 20 }, (_, index) => Buffer.alloc(50_000, index));
  await Promise.all(versions.map((bytes) => store.put('sets/1/a.png', bytes, 'image/png')));
  const { bytes } = await store.get('sets/1/a.png');
  expect(versions.some((version) => version.equals(bytes))).toBe(true);
  expect(await readdir(join(folder, 'data/sets/1'))).toEqual(['a.png']);
});

test.each(['../outside', 'a/../../outside', '/etc/outside'])('the key %s is rejected', async (key) => {
  await expect(store.put(key, picture, 'image/png')).rejects.toThrow('is not an artifact key');
  await expect(store.get(key)).rejects.toThrow('is not an artifact key');
  await expect(store.delete(key)).rejects.toThrow('is not an artifact key');
  expect(await readdir(folder)).toEqual([]);
});
