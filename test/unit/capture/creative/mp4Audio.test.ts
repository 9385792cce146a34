import { expect, it } from 'vitest';
import { withoutAudio } from '../../../../src/capture/creative/creativeServer.ts';

function box(name: string, ...parts: (Buffer | string)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, content]);
}

const track = (kind: string) =>
  box('trak', box('tkhd', 'x'), box('mdia', box('hdlr', '\0\0\0\0', '\0\0\0\0', kind, 'rest')));

it('the audio track is hidden and the video track stays', () => {
  const film = Buffer.concat([
    box('ftyp', 'isom'),
    box('mdat', 'trak soun'),
    box('moov', track('vide'), track('soun')),
  ]);
  const hidden = withoutAudio(film);
  expect(hidden).toHaveLength(film.length);
  expect(hidden.toString('latin1')).toBe(
    Buffer.concat([
      box('ftyp', 'isom'),
      box('mdat', 'trak soun'),
      box('moov', track('vide'), box('free', track('soun').subarray(8))),
    ]).toString('latin1'),
  );
});

it.each([
  ['no bytes', ''],
  ['text', 'hello, world'],
  ['a box with a wrong length', '\0\0\0\x04moov'],
  ['a length beyond the end', '\0\0\xff\xffmoovx'],
])('a file with %s is returned unchanged', (_, text) => {
  expect(withoutAudio(Buffer.from(text, 'latin1')).toString('latin1')).toBe(text);
});
