/** Requests that parsers end at different places: the length, the coding, the chunks and the trailers. */
import { CHUNKS, type CorpusCase, SIZE, SMUGGLED, withHeaders } from './types.ts';

const LENGTH = SMUGGLED.length;

/** A body whose length a hostile Content-Length gives. */
const lengths: readonly CorpusCase[] = [
  withHeaders(
    'length, then chunked (CL.TE)',
    `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n`,
    `0\r\n\r\n${SMUGGLED}`,
  ),
  withHeaders('chunked, then length (TE.CL)', `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, CHUNKS),
  withHeaders('chunked and length 0', `Transfer-Encoding: chunked\r\nContent-Length: 0\r\n`, CHUNKS),
  withHeaders('the same length twice', `Content-Length: ${LENGTH}\r\nContent-Length: ${LENGTH}\r\n`, SMUGGLED),
  withHeaders('two lengths', `Content-Length: 0\r\nContent-Length: ${LENGTH}\r\n`, SMUGGLED),
  withHeaders('two lengths, the larger first', `Content-Length: ${LENGTH}\r\nContent-Length: 0\r\n`, SMUGGLED),
  withHeaders('a list of equal lengths', `Content-Length: ${LENGTH}, ${LENGTH}\r\n`, SMUGGLED),
  withHeaders('a list of lengths', `Content-Length: 0, ${LENGTH}\r\n`, SMUGGLED),
  withHeaders('a length with a plus', `Content-Length: +${LENGTH}\r\n`, SMUGGLED),
  withHeaders('a negative length', `Content-Length: -${LENGTH}\r\n`, SMUGGLED),
  withHeaders('a length in hexadecimal digits', `Content-Length: 0x${SIZE}\r\n`, SMUGGLED),
  withHeaders('a length with leading zeros', `Content-Length: 000${LENGTH}\r\n`, SMUGGLED),
  withHeaders('a length with an underscore', `Content-Length: ${LENGTH}_0\r\n`, SMUGGLED),
  withHeaders('a length with a space inside', `Content-Length: ${LENGTH} 0\r\n`, SMUGGLED),
  withHeaders('a length with a comma at its end', `Content-Length: ${LENGTH},\r\n`, SMUGGLED),
  withHeaders('a length after a vertical tab', `Content-Length: \v${LENGTH}\r\n`, SMUGGLED),
  withHeaders('a length with NUL', `Content-Length: ${LENGTH}\0\r\n`, SMUGGLED),
  withHeaders('an empty length', `Content-Length: \r\n`, SMUGGLED),
  withHeaders('a length above 64 bits', `Content-Length: 18446744073709551657\r\n`, SMUGGLED),
  withHeaders('a length with a decimal point', `Content-Length: ${LENGTH}.0\r\n`, SMUGGLED),
  withHeaders('a length on a GET', `Content-Length: ${LENGTH}\r\n`, SMUGGLED, 'GET'),
  withHeaders('a length on a HEAD', `Content-Length: ${LENGTH}\r\n`, SMUGGLED, 'HEAD'),
  withHeaders('a length on an OPTIONS', `Content-Length: ${LENGTH}\r\n`, SMUGGLED, 'OPTIONS'),
  withHeaders('a length on a TRACE', `Content-Length: ${LENGTH}\r\n`, SMUGGLED, 'TRACE'),
  withHeaders('a length on a DELETE', `Content-Length: ${LENGTH}\r\n`, SMUGGLED, 'DELETE'),
  withHeaders('a space before the colon of a length', `Content-Length : ${LENGTH}\r\n`, SMUGGLED),
  withHeaders('an underscore in the name of a length', `Content_Length: ${LENGTH}\r\nConnection: close\r\n`),
  withHeaders(
    'a length after 2,000 headers',
    `${'a:\r\n'.repeat(2_000)}Content-Length: ${LENGTH}\r\n`,
    SMUGGLED,
    'GET',
  ),
  withHeaders('chunked after 2,000 headers', `${'a:\r\n'.repeat(2_000)}Transfer-Encoding: chunked\r\n`, CHUNKS, 'GET'),
  withHeaders(
    'a length that Connection names',
    `Connection: content-length\r\nContent-Length: ${LENGTH}\r\n`,
    SMUGGLED,
    'GET',
  ),
  withHeaders(
    'a coding that Connection names',
    'Connection: transfer-encoding\r\nTransfer-Encoding: chunked\r\n',
    CHUNKS,
    'GET',
  ),
];

/** A body that is chunked for those who read the header in the same way as the attacker. */
const codings: readonly CorpusCase[] = [
  ...[
    ...['Transfer-Encoding: xchunked', 'Transfer-Encoding: chunked, identity', 'Transfer-Encoding: identity, chunked'],
    ...['Transfer-Encoding: gzip, chunked', 'Transfer-Encoding: chunked, gzip', 'Transfer-Encoding: chunked, chunked'],
    ...['Transfer-Encoding: CHUNKED', 'Transfer-Encoding: chunked;q=1', 'Transfer-Encoding: "chunked"'],
    ...["Transfer-Encoding: 'chunked'", 'Transfer-Encoding: chunked\0', 'Transfer-Encoding: \vchunked'],
    ...[
      'Transfer-Encoding: chunked,',
      'Transfer-Encoding: , chunked',
      'Transfer-Encoding: chunked\t',
      'Transfer-Encoding:\tchunked',
    ],
    ...[
      'Transfer-Encoding: identity',
      'Transfer-Encoding:',
      'Transfer-Encoding: chunked x',
      'Transfer-Encoding: x\x85chunked',
    ],
    ...[
      'Transfer-Encoding : chunked',
      'Transfer-Encoding\t: chunked',
      ' Transfer-Encoding: chunked',
      'Transfer-Encoding\0: chunked',
    ],
    ...[
      'Transfer-Encoding:\n chunked',
      'Transfer-Encoding:\r\n chunked',
      'Transfer-Encoding: chunked\r\n x',
      'Transfer-Encoding chunked',
    ],
    ...['X: y\nTransfer-Encoding: chunked', 'X: y\rTransfer-Encoding: chunked', 'X: y\0\r\nTransfer-Encoding: chunked'],
    ...['Transfer-Encoding: chunked\r\nTransfer-Encoding: x', 'Transfer-Encoding: x\r\nTransfer-Encoding: chunked'],
    ...[
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
    ],
    ...[
      'Transfer_Encoding: chunked',
      'Transfer-Encoding: chunked\r\nTransfer-encoding: cow',
      'Content-Encoding: chunked',
    ],
  ].flatMap((lines) => [
    withHeaders(`${JSON.stringify(lines)} and a length`, `Content-Length: ${CHUNKS.length}\r\n${lines}\r\n`, CHUNKS),
    withHeaders(JSON.stringify(lines), `${lines}\r\nConnection: close\r\n`, CHUNKS),
  ]),
  {
    name: 'chunked with HTTP/1.0',
    bytes: ({ open }) =>
      `POST http://${open}/a HTTP/1.0\r\nHost: ${open}\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}`,
  },
  {
    name: 'chunked and a length with HTTP/1.0',
    bytes: ({ open }) =>
      `POST http://${open}/a HTTP/1.0\r\nHost: ${open}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}`,
  },
];

const chunked = (name: string, body: string) =>
  withHeaders(name, 'Transfer-Encoding: chunked\r\nConnection: close\r\n', body);
const one = `${SIZE}\r\n${SMUGGLED}\r\n`;

const chunks: readonly CorpusCase[] = [
  chunked('a chunk extension', `${SIZE};a=b\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a quoted chunk extension', `${SIZE};a="b;c"\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a chunk extension with bare LF', `${SIZE};a\nb\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked(
    'a chunk extension that ends with bare LF (TERM.EXT)',
    `2;\nxx\r\n${SIZE}\r\n0\r\n\r\n${SMUGGLED}\r\n0\r\n\r\n`,
  ),
  chunked('a chunk extension with bare CR', `${SIZE};a\rb\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a chunk extension with NUL', `${SIZE};a\0b\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a chunk extension of 64 KiB', `${SIZE};${'a'.repeat(65_536)}\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a space after the size', `${SIZE} \r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a space before the size', ` ${SIZE}\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a tab before the extension', `${SIZE}\t;a\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a size with 0x', `0x${SIZE}\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a size with a plus', `+${SIZE}\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a negative size', `-${SIZE}\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a size with an underscore', `0_${SIZE}\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a size with leading zeros', `0000${SIZE}\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('a size above 64 bits', `100000000000000${SIZE}\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('an empty size', `\r\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('bare LF after the size', `${SIZE}\n${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('bare CR after the size', `${SIZE}\r${SMUGGLED}\r\n0\r\n\r\n`),
  chunked('bare LF after the data', `${SIZE}\r\n${SMUGGLED}\n0\r\n\r\n`),
  chunked('data without an end', `${SIZE}\r\n${SMUGGLED}0\r\n\r\n`),
  chunked('two other bytes instead of the end of the data', `${SIZE}\r\n${SMUGGLED}xx0\r\n\r\n`),
  chunked('more data than its size', `5\r\nhello, world\r\n0\r\n\r\n`),
  chunked('bare LF after the last size', `${one}0\n\n`),
  chunked('CR LF LF after the last size', `${one}0\r\n\n`),
  chunked('several zeros as the last size', `${one}0000\r\n\r\n`),
  chunked('a last chunk with an extension', `${one}0;a=b\r\n\r\n`),
  { ...chunked('no last chunk', one), halfClose: true },
  { ...chunked('no end after the last chunk', `${one}0\r\n`), halfClose: true },
  chunked('bytes after the last chunk', `${CHUNKS}${SMUGGLED}`),
];

const trailer = (name: string, text: string) => chunked(name, `${one}0\r\n${text}\r\n`);

const trailers: readonly CorpusCase[] = [
  trailer('a trailer', 'X-Checksum: 1\r\n'),
  trailer('a trailer Content-Length', 'Content-Length: 5\r\n'),
  trailer('a trailer Transfer-Encoding', 'Transfer-Encoding: chunked\r\n'),
  trailer('a trailer Host', 'Host: inner\r\n'),
  trailer('a trailer Connection', 'Connection: keep-alive\r\n'),
  trailer('a trailer that is a request', 'GET /smuggled HTTP/1.1\r\nHost: inner\r\n'),
  trailer('a trailer without a colon', 'x\r\n'),
  trailer('a trailer with bare LF', 'X: y\nZ: z\r\n'),
  trailer('a trailer with a space before its colon', 'X : y\r\n'),
  trailer('a folded trailer', 'X: y\r\n z\r\n'),
  trailer('trailers of 128 KiB', `X: ${'y'.repeat(1_000)}\r\n`.repeat(128)),
  withHeaders(
    'the header Trailer',
    'Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\nConnection: close\r\n',
    `${one}0\r\nContent-Length: 5\r\n\r\n`,
  ),
];

export const FRAMING = { lengths, codings, chunks, trailers };
