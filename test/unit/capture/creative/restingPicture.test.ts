import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { REST_LIMITS, RestingSearch } from '../../../../src/capture/creative/restingPicture.ts';

const SIZE = { width: 96, height: 96 };

/** A picture of a color with a mark, whose lower part of the given share is white. */
async function picture(red: number, share = 0): Promise<Buffer> {
  const pixels = Buffer.alloc(SIZE.width * SIZE.height * 3, Buffer.from([red, 90, 160]));
  pixels.fill(0, 0, 600);
  pixels.fill(255, Math.round(pixels.length * (1 - share)));
  return sharp(pixels, { raw: { ...SIZE, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
}

/** Runs a search over a creative that shows `at(seconds)`. @returns the seconds at which it ended and of its picture. */
async function search(at: (seconds: number) => Promise<Buffer>) {
  const limits = REST_LIMITS.stepped;
  const resting = new RestingSearch(limits);
  let before: Buffer | undefined;
  for (let time = 0; ; time += 200) {
    const shown = await at(time / 1000);
    const damage = before === undefined || !before.equals(shown);
    const wants = resting.wantsPicture(time);
    await resting.add(time, { damage, picture: wants ? shown : undefined });
    before = shown;
    if (resting.hasEnded(time) || resting.isOver(time))
      return { ended: time / 1000, png: resting.result(time)?.png, at: (resting.result(time)?.time ?? -1) / 1000 };
  }
}

const [red, green, blue] = [await picture(200), await picture(40), await picture(120)];
/** Shows each picture for some seconds, the last one forever or the first one again. */
const slides = (loops: boolean, ...shown: [Buffer, number][]) => {
  const all = shown.reduce((sum, [, seconds]) => sum + seconds, 0);
  return async (time: number): Promise<Buffer> => {
    let left = loops ? time % all : time;
    for (const [png, seconds] of shown) {
      left -= seconds;
      if (left < 0) return png;
    }
    return shown.at(-1)?.[0] ?? red;
  };
};

describe('the search for the default frame', () => {
  it.each([
    ['stands still from the start', slides(false, [red, 1]), red, 15],
    ['has long pauses before its end at 9 s', slides(false, [red, 4], [blue, 5], [green, 1]), green, 15],
    ['ends at 13 s', slides(false, [red, 6], [blue, 7], [green, 1]), green, 18.6],
    ['moves until 28 s', async (time: number) => (time < 28 ? picture(Math.floor(time * 9)) : green), green, 30],
  ])('the picture of a creative that %s is its last one', async (_, at, expected, ended) => {
    const result = await search(at);
    expect(result.png?.equals(expected)).toBe(true);
    expect(Math.abs(result.ended - ended)).toBeLessThan(0.7);
  });

  it.each([
    ['has pauses of equal length', slides(true, [red, 3], [blue, 3], [green, 3]), green],
    ['has one long pause', slides(true, [red, 2], [blue, 4.4], [green, 2]), blue],
  ])(
    'the picture of a loop that %s is its longest pause, or the last one before it starts again',
    async (_, at, expected) => {
      const result = await search(at);
      expect(result.png?.equals(expected)).toBe(true);
      expect(result.at).toBeLessThan(15);
    },
  );

  it('a small part that moves forever does not count, and is shown at its fullest', async () => {
    const pulse = [await picture(200, 0.04), await picture(200, 0.05)] as const;
    const { ended, png } = await search(async (time) => (time < 4 ? blue : (pulse[Math.round(time * 5) % 2] ?? red)));
    expect(ended).toBe(15);
    expect(pulse.some((one) => png?.equals(one))).toBe(true);
  });

  it('a creative that shows one color has not ended', async () => {
    const plain = await sharp({ create: { ...SIZE, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const { ended, png } = await search(async (time) => (time < 17 ? plain : green));
    expect(ended).toBeGreaterThan(17);
    expect(png?.equals(green)).toBe(true);
  });
});
