import { XMLParser } from 'fast-xml-parser';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { pictureMark, withMark } from '../../../src/lib/pictureMark.ts';

test('a marked PNG says that it is a composite and of which screenshot, and keeps its pixels', async () => {
  const png = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#a1b2c3' } })
    .png()
    .toBuffer();
  const marked = withMark(png, pictureMark('<1> & 2.png'));
  const { xmp } = await sharp(marked, { failOn: 'warning' }).metadata();
  const [mark] = new XMLParser().parse(xmp?.toString() ?? '')['x:xmpmeta']['rdf:RDF']['rdf:Description'];
  expect(mark).toMatchObject({
    'Iptc4xmpExt:DigitalSourceType': 'http://cv.iptc.org/newscodes/digitalsourcetype/composite',
    'dc:identifier': '<1> & 2.png',
  });
  expect(await sharp(marked).raw().toBuffer()).toEqual(await sharp(png).raw().toBuffer());
});

test('bytes that are not a PNG are rejected', () => {
  expect(() => withMark(Buffer.from('GIF89a'), '')).toThrow('not a PNG');
});
