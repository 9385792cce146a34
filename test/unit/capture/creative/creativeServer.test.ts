import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { CreativeServer } from '../../../../src/capture/creative/creativeServer.ts';
import type { LocalAnswer } from '../../../../src/egress/ports.ts';

/** @returns the answer of a zip's origin for its only file. */
function answerFor(name: string, bytes: Buffer): LocalAnswer | undefined {
  let handler: ((path: string) => LocalAnswer | undefined) | undefined;
  const server = new CreativeServer({ serve: (_, given) => (handler = given), remove: () => undefined });
  server.openSite({ files: new Map([[name, bytes]]), aliases: new Map(), index: 'index.html' });
  return handler?.(`/${name}`);
}

const gzip = gzipSync('content');
const brotli = brotliCompressSync('content');
const plain = Buffer.from('content');

it.each([
  ['a.svgz', gzip, 'image/svg+xml', 'gzip'],
  ['not-packed.svgz', plain, 'image/svg+xml', undefined],
  ['Build/game.wasm.gz', gzip, 'application/wasm', 'gzip'],
  ['Build/game.framework.js.br', brotli, 'text/javascript', 'br'],
  ['Build/game.data.gz', gzip, 'application/octet-stream', 'gzip'],
  ['Build/game.data.unityweb', gzip, 'application/vnd.unity', undefined],
  ['not-packed.js.gz', plain, 'application/gzip', undefined],
  // Its script unpacks it.
  ['levels.json.gz', gzip, 'application/gzip', undefined],
  ['app.webmanifest', plain, 'application/manifest+json', undefined],
  ['page.xhtml', plain, 'application/xhtml+xml', undefined],
  ['a.avif', plain, 'image/avif', undefined],
])(
  'the file %s of a zip has the content type and the encoding that ad servers declare',
  (name, bytes, type, encoding) => {
    expect(answerFor(name, bytes)).toEqual({
      type,
      body: bytes,
      ...(encoding !== undefined && { headers: { 'content-encoding': encoding } }),
    });
  },
);
