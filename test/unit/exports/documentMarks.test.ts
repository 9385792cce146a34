import { buffer } from 'node:stream/consumers';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { writePdf } from '../../../src/exports/pdf/writePdf.ts';
import type { DocumentOptions } from '../../../src/exports/pictureReader.ts';
import { writePptx } from '../../../src/exports/pptx/writePptx.ts';

const COMPOSITE = 'http://cv.iptc.org/newscodes/digitalsourcetype/composite';
const unused = () => Promise.reject(new Error('The document has no pictures.'));
const OPTIONS: DocumentOptions = {
  id: 'an-export',
  plan: {
    ...{
      title: 'Spring & <Summer>',
      author: 'Acme & Sons',
      subject: 'Previews',
      language: 'en',
      width: 720,
      height: 405,
    },
    pages: [{ section: 'Cover', elements: [] }],
  },
  reader: {
    original: unused,
    framed: unused,
    image: unused,
    hasPage: unused,
    file: unused,
    movingKey: () => undefined,
  },
  extension: 'jpeg',
  onPicture: unused,
};

function parsed(xml: string) {
  expect(XMLValidator.validate(xml)).toBe(true);
  return new XMLParser({ ignoreAttributes: false }).parse(xml);
}

test('a PDF says in its XMP that it is a composite and of which export, beside its title', async () => {
  const file = (await buffer(writePdf(OPTIONS))).toString();
  const xmp = parsed(/<x:xmpmeta.*<\/x:xmpmeta>/s.exec(file)?.[0] ?? '');
  const facts = Object.assign({}, ...xmp['x:xmpmeta']['rdf:RDF']['rdf:Description']);
  expect(facts).toMatchObject({
    'Iptc4xmpExt:DigitalSourceType': COMPOSITE,
    'dc:identifier': 'an-export',
    'dc:title': { 'rdf:Alt': { 'rdf:li': { '#text': 'Spring & <Summer>' } } },
    'dc:creator': { 'rdf:Seq': { 'rdf:li': 'Acme & Sons' } },
    'xmp:CreatorTool': 'Tearsheet',
  });
  expect(file).toContain('(Spring & <Summer>)');
});

test('a PPTX says in its custom properties that it is a composite and of which export', async () => {
  const zip = await fromBufferPromise(await buffer(await writePptx(OPTIONS)));
  const parts = new Map<string, string>();
  for await (const entry of zip.eachEntry())
    parts.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString());
  const read = (name: string) => parsed(parts.get(name) ?? '');
  expect(read('docProps/custom.xml').Properties.property).toMatchObject([
    { '@_name': 'DigitalSourceType', '@_pid': '2', 'vt:lpwstr': COMPOSITE },
    { '@_name': 'Identifier', '@_pid': '3', 'vt:lpwstr': 'an-export' },
  ]);
  expect(read('_rels/.rels').Relationships.Relationship).toContainEqual(
    expect.objectContaining({ '@_Target': 'docProps/custom.xml' }),
  );
  expect(read('[Content_Types].xml').Types.Override).toContainEqual(
    expect.objectContaining({ '@_PartName': '/docProps/custom.xml' }),
  );
});
