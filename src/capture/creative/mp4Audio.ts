const HEADER_BYTES = 8;

/**
 * Hides the audio tracks of an MP4 by renaming their boxes to `free`. A video with sound plays in real time, even if muted.
 * @returns a copy; unchanged if the bytes are not an MP4.
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
      // Four bytes of version and flags and four reserved bytes precede the kind.
      if (handler.content.toString('latin1', 8, 12) === 'soun') return true;
    }
  }
  return false;
}

interface Mp4Box {
  /** The whole box. Both buffers share the memory of the copy. */
  readonly head: Buffer;
  readonly content: Buffer;
}

/** @returns the boxes of that name directly in `bytes`. Stops at a damaged length. */
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

/** A length of 0 means to the end of the file; 1 means that eight bytes with the length follow. */
function lengthOf(bytes: Buffer, at: number): { length: number; header: number } {
  const short = bytes.readUInt32BE(at);
  if (short === 0) return { length: bytes.length - at, header: HEADER_BYTES };
  if (short !== 1 || at + 16 > bytes.length) return { length: short, header: HEADER_BYTES };
  return { length: Number(bytes.readBigUInt64BE(at + HEADER_BYTES)), header: 16 };
}
