import { describe, expect, it } from 'vitest';
import { unpack } from '../../../../src/capture/creative/zip.ts';
import { zipOf } from '../../../support/zips.ts';

/** Names that a well-behaved packer refuses to write, patched in afterwards at the same length. */
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
    ['not what a Mac adds', { 'ad.html': 'a', '__MACOSX/._ad.html': 'b' }, 'ad.html'],
  ])('is %s', async (_, files, index) => {
    const site = await unpack(await zipOf(files));
    expect(site.index).toBe(index);
    expect(site.files.get(index)?.toString()).toBe('a');
  });
});

describe('a zip is refused in words', () => {
  const bad = { status: 'generic_error' };

  it.each([
    ['without a page', { 'a.png': 'x' }, /no HTML page/],
    ['with several pages and no index', { 'a.html': 'x', 'b.html': 'x' }, /several HTML pages/],
    ['with two creatives', { 'a/index.html': 'x', 'b/index.html': 'x' }, /two pages/],
  ])('%s', async (_, files, words) => {
    await expect(unpack(await zipOf(files))).rejects.toMatchObject({ ...bad, message: expect.stringMatching(words) });
  });

  it.each([
    ['../evil.htm', /outside of its own folder/],
    ['/etc/passwd', /outside of its own folder/],
    ['..\\evil.htm', /outside of its own folder/],
  ])('with a file named %s', async (name, words) => {
    const zip = renamed(
      await zipOf({ 'index.html': 'x', ['z'.repeat(name.length)]: 'x' }),
      'z'.repeat(name.length),
      name,
    );
    await expect(unpack(zip)).rejects.toMatchObject({ ...bad, message: expect.stringMatching(words) });
  });

  it('that is a bomb', async () => {
    const zip = await zipOf({ 'index.html': 'x', 'bomb.bin': Buffer.alloc(32 * 1024 * 1024) });
    await expect(unpack(zip)).rejects.toMatchObject({ ...bad, message: expect.stringMatching(/bomb/) });
  });

  it('that is larger than its directory says', async () => {
    const zip = await zipOf({ 'index.html': 'x', 'b.bin': Buffer.alloc(300_000) });
    // The uncompressed size of the second entry, in the central directory and the local header.
    const lie = Buffer.alloc(4);
    lie.writeUInt32LE(10);
    const truth = Buffer.alloc(4);
    truth.writeUInt32LE(300_000);
    await expect(unpack(renamed(zip, truth.toString('latin1'), lie.toString('latin1')))).rejects.toMatchObject(bad);
  });

  it('that holds too many files', async () => {
    const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`${index}.txt`, '']));
    await expect(unpack(await zipOf(files))).rejects.toMatchObject({
      ...bad,
      message: expect.stringMatching(/1001 files/),
    });
  });

  it.each([20, 60, 100])('cut off after %d bytes', async (length) => {
    const zip = await zipOf({ 'index.html': 'x'.repeat(500) });
    await expect(unpack(zip.subarray(0, length))).rejects.toMatchObject({
      ...bad,
      message: expect.stringMatching(/damaged/),
    });
  });
});
