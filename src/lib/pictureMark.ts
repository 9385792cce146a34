/** The mark inside a picture file: metadata that say what the picture is. Tools that show or check pictures read it. */
import { crc32 } from 'node:zlib';

/** The IPTC's term for a picture that is put together from several sources. */
export const COMPOSITE = 'http://cv.iptc.org/newscodes/digitalsourcetype/composite';

/**
 * @param id of the screenshot, which is also that of its provenance record.
 * @returns an XMP packet.
 */
export function pictureMark(id: string): string {
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${markDescription(id)}<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="Tearsheet"/></rdf:RDF></x:xmpmeta><?xpacket end="r"?>`;
}

/** @returns the part of an XMP packet that says what the file with this id is. */
export function markDescription(id: string): string {
  return `<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"><Iptc4xmpExt:DigitalSourceType>${COMPOSITE}</Iptc4xmpExt:DigitalSourceType><dc:identifier>${escaped(id)}</dc:identifier><dc:type><rdf:Bag><rdf:li>placement_preview</rdf:li></rdf:Bag></dc:type></rdf:Description>`;
}

/** @returns the text for the content of an XML element. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The signature and the first chunk of a PNG, IHDR, which must stay first. */
const HEAD_BYTES = 33;

/** @returns the PNG with an XMP packet. Its pixels stay the same bytes. @throws Error if the bytes are not a PNG. */
export function withMark(png: Buffer, packet: string): Buffer {
  if (png.toString('latin1', 12, 16) !== 'IHDR') throw new Error('These bytes are not a PNG.');
  // The keyword, two bytes for "not compressed", an empty language and an empty translated keyword.
  const body = Buffer.from(`iTXtXML:com.adobe.xmp\0\0\0\0\0${packet}`);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([png.subarray(0, HEAD_BYTES), length, body, check, png.subarray(HEAD_BYTES)]);
}
