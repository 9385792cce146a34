import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { detectContent } from '../../../src/lib/detectContent.ts';

const picture = () => sharp({ create: { width: 4, height: 4, channels: 3, background: '#f00' } });

describe('the kind of a creative', () => {
  it.each([
    ['png', picture().png(), 'image/png'],
    ['jpeg', picture().jpeg(), 'image/jpeg'],
    ['gif', picture().gif(), 'image/gif'],
    ['webp', picture().webp(), 'image/webp'],
    ['avif', picture().avif(), 'image/avif'],
  ])('a %s image is detected from its bytes despite the content type', async (_, image, type) => {
    expect(await detectContent(await image.toBuffer(), 'text/html')).toEqual({ kind: 'raster', type });
  });

  it.each([
    ['<?xml version="1.0"?>\n<!-- by a tool -->\n<svg xmlns="x"></svg>', 'svg'],
    ['<!DOCTYPE svg PUBLIC "-//W3C" "x" [ <!ENTITY a "b"> ]><svg/>', 'svg'],
    ['\uFEFF  <VAST version="4.2"></VAST>', 'vast'],
    ['<?xml version="1.0"?><vast:VAST xmlns:vast="x"/>', 'vast'],
    ['<!doctype html><p>x', 'html'],
    ['<a href="x"><img src="y"></a>', 'html'],
    ['<!-- an ad --><div>x</div>', 'html'],
    ['document.write("<img>")', 'script'],
    ['(function(){})()', 'script'],
    ['// an ad tag\nvar x = 1', 'script'],
  ])('the text %j is detected as %s', async (text, kind) => {
    expect(await detectContent(Buffer.from(text))).toMatchObject({ kind });
  });

  it('the content type decides for a script that has no other sign', async () => {
    expect(await detectContent(Buffer.from('x.y()'), 'application/javascript; charset=utf-8')).toEqual({
      kind: 'script',
    });
  });

  it.each([
    ['an empty file', Buffer.alloc(0), /empty/],
    ['an executable', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0'), /not supported/],
    ['JSON', Buffer.from('{"a":1}'), /data in an unknown format\. Send/],
    ['XML of another kind', Buffer.from('<?xml version="1.0"?><rss></rss>'), /not an image, video/],
  ])('%s is rejected as a creative with a reason', async (_, bytes, words) => {
    await expect(detectContent(bytes)).rejects.toThrow(words);
  });
});

describe('content that is not a creative', () => {
  it.each([
    ['XML that is not VAST', '<?xml version="1.0"?><rss version="2.0"/>', /root element <rss>.*Send a VAST/],
    ['a Flash file', 'FWS\u0005....', /Flash file.*Send an HTML5 zip/],
    ['a playlist', '#EXTM3U\n#EXT-X-VERSION:3', /video stream.*Send the video as an MP4/],
    ['a PDF', '%PDF-1.4\n%âãÏÓ\n1 0 obj', /PDF.*Send its page as an image/],
    ['a RAR archive', `Rar!\x1a\x07\x01\0${'\0'.repeat(50)}`, /RAR archive\. Send its files as a zip/],
    ['a design', `8BPS\0\x01${'\0'.repeat(50)}`, /design program.*Send an HTML5 zip/],
    ['text', '{"a":1}', /unknown format\. Send an image/],
    [
      'a bitmap',
      `BM${'\0'.repeat(60)}`,
      /^The creative is an image in the format BMP, which is not supported\. Send an image \(PNG/,
    ],
    ['a TIFF', `II*\0${'\0'.repeat(60)}`, /an image in the format TIFF, which is not supported/],
    ['an AVI', `RIFF\0\0\0\0AVI ${'\0'.repeat(60)}`, /a video in the format \w+, which no browser plays/],
    ['audio', 'RIFF\0\0\0\0WAVEfmt ', /audio.*Send an image or a video/],
  ])('%s is rejected with what to send instead', async (_, content, message) => {
    await expect(detectContent(Buffer.from(content, 'latin1'))).rejects.toThrow(message);
  });

  it('the declared content type does not stand for the type of unknown bytes', async () => {
    await expect(detectContent(Buffer.from('\0\0\0'), 'image/png; q=1')).rejects.toThrow(
      'The creative is data in an unknown format, although the server declares the content type image/png. Send an image',
    );
  });
});
