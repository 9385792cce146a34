import { describe, expect, it } from 'vitest';
import { unpack } from '../../../../src/capture/creative/zip.ts';
import { zipOf } from '../../../support/zips.ts';

/** A zip with other file names of the same length, which a zip library refuses to write. */
function renamed(zip: Buffer, from: string, to: string): Buffer {
  const text = zip.toString('latin1').replaceAll(from, to);
  return Buffer.from(text, 'latin1');
}

describe('the page of a zip', () => {
  it.each([
    ['index.html at the root', { 'index.html': 'a', 'other.html': 'b' }, 'index.html'],
    ['index.html in a folder', { 'banner/index.html': 'a', 'banner/x.js': 'b' }, 'banner/index.html'],
    ['the nearest index.html', { 'index.html': 'a', 'sub/index.html': 'b' }, 'index.html'],
    ['the only HTML file', { 'ad/creative.htm': 'a', 'ad/x.js': 'b' }, 'ad/creative.htm'],
    ['the HTML file outside of __MACOSX', { 'ad.html': 'a', '__MACOSX/._ad.html': 'b' }, 'ad.html'],
  ])('the page of a zip is %s', async (_, files, index) => {
    const site = await unpack(await zipOf(files));
    expect(site.index).toBe(index);
    expect(site.files.get(index)?.toString()).toBe('a');
  });
});

it('bytes after the end of a zip are ignored', async () => {
  const zip = Buffer.concat([await zipOf({ 'index.html': 'a' }), Buffer.from('\r\n\r\n')]);
  expect((await unpack(zip)).index).toBe('index.html');
});

describe('a zip that is rejected', () => {
  const bad = { status: 'generic_error' };

  it.each([
    ['without a page', { 'a.png': 'x' }, /no HTML page/],
    ['with several pages and no index', { 'a.html': 'x', 'b.html': 'x' }, /two pages: a.html .*index.html/],
    ['with two creatives', { 'a/index.html': 'x', 'b/index.html': 'x' }, /two pages/],
  ])('a zip %s is rejected with a reason', async (_, files, words) => {
    await expect(unpack(await zipOf(files))).rejects.toMatchObject({ ...bad, message: expect.stringMatching(words) });
  });

  it.each([
    ['images', { 'a.png': 'x', 'b/c.jpg': 'x' }, /holds images \(a\.png, b\/c\.jpg\)\. Send one of them by itself/],
    ['other zips', { '300x250.zip': 'x' }, /holds other zips \(300x250\.zip\)\. Send one of them/],
    ['a design', { 'ad.fla': 'x', 'a.png': 'x' }, /design program \(ad\.fla\)\. Send the HTML5 export/],
  ])('a zip that holds only %s is rejected with what to send instead', async (_, files, reason) => {
    await expect(unpack(await zipOf(files))).rejects.toThrow(reason);
  });

  it.each([
    ['../evil.htm', /outside of its own folder/],
    ['/etc/passwd', /outside of its own folder/],
    ['..\\evil.htm', /outside of its own folder/],
  ])('a zip with a file named %s is rejected with a reason', async (name, words) => {
    const zip = renamed(
      await zipOf({ 'index.html': 'x', ['z'.repeat(name.length)]: 'x' }),
      'z'.repeat(name.length),
      name,
    );
    await expect(unpack(zip)).rejects.toMatchObject({ ...bad, message: expect.stringMatching(words) });
  });

  it('a zip with an uncommon compression is rejected with what to send instead', async () => {
    const zip = await zipOf({ 'index.html': 'x' });
    const BZIP2 = 12;
    zip.writeUInt16LE(BZIP2, zip.indexOf('PK\x01\x02', 0, 'latin1') + 10);
    await expect(unpack(zip)).rejects.toThrow(
      /unsupported compression method: 12\. Send a zip with the usual compression/,
    );
  });

  it('a zip bomb is rejected with a reason', async () => {
    const zip = await zipOf({ 'index.html': 'x', 'bomb.bin': Buffer.alloc(32 * 1024 * 1024) });
    await expect(unpack(zip)).rejects.toMatchObject({ ...bad, message: expect.stringMatching(/bomb/) });
  });

  it('a zip with more data than its directory declares is rejected', async () => {
    const zip = await zipOf({ 'index.html': 'x', 'b.bin': Buffer.alloc(300_000) });
    // The uncompressed size of the second entry, in the central directory and the local header.
    const declared = Buffer.alloc(4);
    declared.writeUInt32LE(10);
    const actual = Buffer.alloc(4);
    actual.writeUInt32LE(300_000);
    await expect(unpack(renamed(zip, actual.toString('latin1'), declared.toString('latin1')))).rejects.toMatchObject(
      bad,
    );
  });

  it('a zip with too many files is rejected with their number', async () => {
    const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`${index}.txt`, '']));
    await expect(unpack(await zipOf(files))).rejects.toMatchObject({
      ...bad,
      message: expect.stringMatching(/1001 files/),
    });
  });

  it.each([20, 60, 100])('a zip that is cut off after %d bytes is rejected as damaged', async (length) => {
    const zip = await zipOf({ 'index.html': 'x'.repeat(500) });
    await expect(unpack(zip.subarray(0, length))).rejects.toMatchObject({
      ...bad,
      message: expect.stringMatching(/damaged/),
    });
  });
});
