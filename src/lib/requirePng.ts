const PNG_START = '89504e470d0a1a0a';

/** For stored pictures: a capture sent the bytes, so no other decoder may see them. @throws Error */
export function requirePng(bytes: Buffer): Buffer {
  if (bytes.subarray(0, 8).toString('hex') !== PNG_START) throw new Error('The stored picture is not a PNG file.');
  return bytes;
}
