/** The lines of a stream of bytes. */
import { StringDecoder } from 'node:string_decoder';

/** etcd takes 1.5 MB an object; what is longer is no line of a watch. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** @param came is called for whatever comes, a part of a line too. */
export async function* readLines(body: AsyncIterable<Uint8Array>, came: () => void): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of body) {
    came();
    const lines = (rest + decoder.write(Buffer.from(chunk))).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_CHARACTERS) throw new Error(`a line of more than ${MAX_CHARACTERS} characters`);
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}
