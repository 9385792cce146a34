/** Bodies of multipart/form-data, byte by byte as a test wants them. */

export function multipart(...parts: (string | Buffer)[]): { body: Buffer; headers: Record<string, string> } {
  const body = Buffer.concat([...parts, '--b--\r\n'].map((part) => Buffer.from(part)));
  return { body, headers: { 'content-type': 'multipart/form-data; boundary=b' } };
}

export function filePart(name: string, bytes: Buffer): Buffer {
  const head = `--b\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n')]);
}
