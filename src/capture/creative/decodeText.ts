/** @returns the text of a file of a creative, in the encoding of its byte order mark; UTF-8 without one. */
export function decodeText(bytes: Buffer | undefined): string {
  if (bytes === undefined) return '';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes.toString('utf8');
}
