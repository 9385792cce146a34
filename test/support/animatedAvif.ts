import sharp from 'sharp';

/** Writes an animated AVIF with one still picture for each color, a second each, because sharp cannot write one. */
export async function animatedAvif(colours: readonly string[], { width, height }: { width: number; height: number }) {
  const stills = await Promise.all(
    colours.map((background) =>
      sharp({ create: { width, height, channels: 3, background } })
        .avif({ lossless: true })
        .toBuffer(),
    ),
  );
  const samples = stills.map((still) => boxIn(still, 'mdat').subarray(8));
  const configuration = boxIn(stills[0] ?? Buffer.alloc(0), 'av1C');
  const head = box('ftyp', text('avis'), u32(0), text('avismsf1iso8'));
  const moov = (offset: number) => movie({ width, height, samples, configuration, offset });
  const start = head.length + moov(0).length + 8;
  return Buffer.concat([head, moov(start), box('mdat', ...samples)]);
}

interface Movie {
  readonly width: number;
  readonly height: number;
  readonly samples: readonly Buffer[];
  readonly configuration: Buffer;
  /** The offset of the first sample in the file. */
  readonly offset: number;
}

const SECOND = 1_000;
const MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

function movie({ width, height, samples, configuration, offset }: Movie): Buffer {
  const duration = samples.length * SECOND;
  const entry = box(
    'av01',
    Buffer.concat([Buffer.alloc(6), u16(1), Buffer.alloc(16), u16(width), u16(height), u32(0x480000, 0x480000, 0)]),
    Buffer.concat([u16(1), Buffer.alloc(32), u16(24), u16(0xffff)]),
    configuration,
  );
  const table = box(
    'stbl',
    box('stsd', u32(0, 1), entry),
    box('stts', u32(0, 1, samples.length, SECOND)),
    box('stsc', u32(0, 1, 1, samples.length, 1)),
    box('stsz', u32(0, 0, samples.length, ...samples.map(({ length }) => length))),
    box('stco', u32(0, 1, offset)),
    box('stss', u32(0, samples.length, ...samples.map((_, index) => index + 1))),
  );
  const media = box(
    'mdia',
    box('mdhd', u32(0, 0, 0, SECOND, duration), u16(0x55c4), u16(0)),
    box('hdlr', u32(0, 0), text('pict'), Buffer.alloc(13)),
    box('minf', box('vmhd', u32(1, 0, 0)), box('dinf', box('dref', u32(0, 1), box('url ', u32(1)))), table),
  );
  const track = u32(1, 0, 0, 1, 0, duration, 0, 0, 0, 0, ...MATRIX, width * 65_536, height * 65_536);
  return box(
    'moov',
    box('mvhd', u32(0, 0, 0, SECOND, duration, 0x10000, 0x1000000, 0, 0, ...MATRIX, 0, 0, 0, 0, 0, 0, 2)),
    box('trak', box('tkhd', track), media),
  );
}

function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), text(type), body]);
}

/** A box by its type, wherever it lies. */
function boxIn(file: Buffer, type: string): Buffer {
  const at = file.lastIndexOf(type, undefined, 'latin1') - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
}

function text(value: string): Buffer {
  return Buffer.from(value, 'latin1');
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
