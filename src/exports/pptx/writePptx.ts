/**
 * Writes a presentation as a stream. pptxgenjs keeps all pictures in memory, as base64 and in the ZIP. So it gets one small
 * stand-in for each picture. Its ZIP is then copied, and each stand-in is replaced by the picture, one at a time.
 */
import type { Readable } from 'node:stream';
import { fromBufferPromise } from 'yauzl';
import type { DocumentOptions } from '../document/documentOptions.ts';
import type { LogoElement, PictureElement } from '../document/elements.ts';
import { createZipStream } from '../zip/zipStream.ts';
import { buildDeck } from './deck.ts';

export async function writePptx({ plan, reader, extension, onPicture }: DocumentOptions): Promise<Readable> {
  const deck = await buildDeck(plan, extension);
  const bytesOf = async (element: PictureElement | LogoElement): Promise<Buffer> => {
    if (element.kind === 'logo') return reader.logo(element.key);
    const bytes = await reader.forDocument(element.picture, element.box);
    await onPicture();
    return bytes;
  };
  const zip = createZipStream();
  for (const { name, bytes } of await readEntries(deck.file)) {
    const element = deck.standIns.get(bytes.toString('latin1'));
    if (element === undefined) zip.add(name, bytes);
    else zip.addPicture(name, () => bytesOf(element));
  }
  return zip.end();
}

interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The entries of the presentation with its stand-ins: a few KB for each slide. */
async function readEntries(file: Buffer): Promise<Entry[]> {
  const zip = await fromBufferPromise(file);
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
    entries.push({ name: entry.fileName, bytes: Buffer.concat(chunks) });
  }
  return entries;
}
