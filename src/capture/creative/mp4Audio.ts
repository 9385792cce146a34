const HEADER_BYTES = 8;

/**
 * Hides the audio tracks of an mp4 by renaming their boxes to `free`: a video with sound follows real time, even muted.
 * @returns a copy; bytes that are no mp4 come back as they are.
 */
export function withoutAudio(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (const movie of boxes(copy, 'moov')) {
    for (const track of boxes(movie.content, 'trak')) if (isAudio(track.content)) track.head.write('free', 4, 'latin1');
  }
  return copy;
}

function isAudio(track: Buffer): boolean {
  for (const media of boxes(track, 'mdia')) {
    for (const handler of boxes(media.content, 'hdlr')) {
      // Version and flags, then a reserved word, then the kind.
      if (handler.content.toString('latin1', 8, 12) === 'soun') return true;
    }
  }
  return false;
}

interface Mp4Box {
  /** The box from its length on: views of the same memory. */
  readonly head: Buffer;
  readonly content: Buffer;
}

/** @returns the boxes of that name that lie directly in `bytes`; a damaged length ends the walk. */
function boxes(bytes: Buffer, name: string): Mp4Box[] {
  const found: Mp4Box[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const { length, header } = lengthOf(bytes, at);
    if (length < header || at + length > bytes.length) break;
    if (bytes.toString('latin1', at + 4, at + 8) === name)
      found.push({ head: bytes.subarray(at, at + length), content: bytes.subarray(at + header, at + length) });
    at += length;
  }
  return found;
}

/** 0: to the end of the file; 1: the length follows in eight bytes. */
function lengthOf(bytes: Buffer, at: number): { length: number; header: number } {
  const short = bytes.readUInt32BE(at);
  if (short === 0) return { length: bytes.length - at, header: HEADER_BYTES };
  if (short !== 1 || at + 16 > bytes.length) return { length: short, header: HEADER_BYTES };
  return { length: Number(bytes.readBigUInt64BE(at + HEADER_BYTES)), header: 16 };
}
