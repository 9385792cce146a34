import sharp from 'sharp';

/** A creative may move until this time without losing its end card. Longer animations are rare, and ad servers reject them. */
const END_MS = 15_000;
const LATEST_END_MS = 30_000;

export interface RestLimits {
  /** A creative that stands still before this time may move again, so the search continues until then. */
  readonly fromMs: number;
  /** A creative that stands still for this time has ended. The pauses of loops are shorter. */
  readonly stillMs: number;
  readonly untilMs: number;
}

/** Real time passes while the search waits, so it waits less. */
export const REST_LIMITS: Readonly<Record<'stepped' | 'wall', RestLimits>> = {
  stepped: { fromMs: END_MS, stillMs: 5_000, untilMs: LATEST_END_MS },
  wall: { fromMs: 2_000, stillMs: 2_000, untilMs: END_MS },
};

/** A picture after this time without a change shows no transition. Idle pages are drawn at shorter intervals. */
const QUIET_MS = 350;
/** The interval of the pictures while a creative moves. */
const SAMPLE_MS = 1_000;
/** Pictures are compared in this many columns and rows. */
const CELLS = 48;
/** An older picture may no longer show what the creative shows. */
const RECENT_MS = 5_000;
/** A cell that changes by more, of 255, moves. */
const MOVED = 32;
/** A button that pulses moves less than this share of the cells, and the creative counts as still. */
const STILL_SHARE = 0.1;
const SAME_SHARE = 0.02;
/** A cell that differs by more, of 255, shows something else. */
const DIFFERENT = 8;
/** A pause of this share of the longest one counts as equally long, because its ends are known to half a second. */
const ALIKE = 0.8;
/** A shorter pause of a loop does not show that the loop starts again. */
const MIN_PAUSE_MS = 600;

export interface RestingPicture {
  /** Milliseconds since the first frame. */
  readonly time: number;
  readonly png: Buffer;
}

interface Sample extends RestingPicture {
  /** Red, green and blue of each cell. */
  readonly cells: Buffer;
  readonly isUniform: boolean;
}

/** A time in which the creative stood still, except for small parts. */
interface Stretch {
  readonly start: number;
  readonly least: Buffer;
  readonly most: Buffer;
  last: Sample;
  /** The fullest recent picture in a movement, so that a button that blinks is visible. */
  full: Sample;
  /** The fullest recent picture without a transition. */
  quiet: Sample | undefined;
}

/**
 * Finds the picture at which a creative rests: its end card. If it never rests, the picture of its longest pause. The last
 * of equal pauses before the loop starts again wins, because end cards come last.
 */
export class RestingSearch {
  readonly #limits: RestLimits;
  #lastDamage = 0;
  #sampledAt = Number.NEGATIVE_INFINITY;
  #current: Stretch | undefined;
  #best: { readonly length: number; readonly picture: Sample } | undefined;
  /** The pauses so far. */
  readonly #known: Sample[] = [];
  #isLoop = false;

  constructor(limits: RestLimits) {
    this.#limits = limits;
  }

  /** @returns whether the next frame should be drawn with its picture. */
  wantsPicture(time: number): boolean {
    if (this.#lastDamage <= this.#sampledAt) return false;
    return time - this.#lastDamage >= QUIET_MS || time - this.#sampledAt >= SAMPLE_MS;
  }

  noteDamage(time: number): void {
    this.#lastDamage = time;
  }

  /** Takes a frame that was drawn. The caller gives one at least every {@link QUIET_MS}. */
  async add(time: number, { damage, picture }: { damage: boolean; picture?: Buffer | undefined }): Promise<void> {
    if (damage) this.noteDamage(time);
    if (picture !== undefined) {
      this.#sampledAt = time;
      // The browser reports damage after each picture, even if nothing has changed.
      if (this.#current?.last.png.equals(picture)) noteQuiet(this.#current);
      else this.#addSample(await sampleOf(time, picture));
    }
    const isQuiet = time - this.#lastDamage >= QUIET_MS && this.#lastDamage <= this.#sampledAt;
    if (isQuiet && this.#current) noteQuiet(this.#current);
  }

  /** @returns true if the creative shows something, and has stood still for long enough to have ended. */
  hasEnded(time: number): boolean {
    const current = this.#current;
    if (current === undefined || time < this.#limits.fromMs || current.last.isUniform) return false;
    return time - current.start >= this.#limits.stillMs;
  }

  /** @returns true if a further search is useless. */
  isOver(time: number): boolean {
    return time >= (this.#isLoop ? this.#limits.fromMs : this.#limits.untilMs);
  }

  /** @returns undefined before the first picture. */
  result(time: number): RestingPicture | undefined {
    const current = this.#current;
    if (current === undefined) return undefined;
    const picture = pictureOf(current, time);
    const isPause = !picture.isUniform && current.quiet !== undefined && time - current.start >= MIN_PAUSE_MS;
    if (this.hasEnded(time) || (isPause && !this.#isLoop && !this.#isKnown(picture))) return picture;
    this.#closeStretch(time);
    return this.#best?.picture ?? picture;
  }

  #addSample(sample: Sample): void {
    const current = this.#current;
    if (current !== undefined && extend(current, sample.cells)) {
      current.last = sample;
      current.full = fuller(current.full, sample);
      return;
    }
    this.#closeStretch(sample.time);
    const { cells } = sample;
    const range = { least: Buffer.from(cells), most: Buffer.from(cells) };
    this.#current = { start: sample.time, ...range, last: sample, full: sample, quiet: undefined };
  }

  #closeStretch(end: number): void {
    const current = this.#current;
    if (current === undefined || current.start >= END_MS) return;
    // In a movement, nothing is known about the time after the last picture.
    const until = current.quiet === undefined ? current.last.time : end;
    const length = Math.min(until, END_MS) - current.start;
    const picture = pictureOf(current, end);
    if (picture.isUniform) return;
    const isKnown = this.#isKnown(picture);
    if (length >= MIN_PAUSE_MS && isKnown) this.#isLoop = true;
    if (length >= MIN_PAUSE_MS && !isKnown) this.#known.push(picture);
    if (!isKnown && length >= (this.#best?.length ?? 0) * ALIKE) this.#best = { length, picture };
  }

  #isKnown({ cells }: Sample): boolean {
    return this.#known.some((known) => {
      const difference = (index: number) => Math.abs((cells[index] ?? 0) - (known.cells[index] ?? 0));
      return shareOf(cells, difference, DIFFERENT) <= SAME_SHARE;
    });
  }
}

function noteQuiet(stretch: Stretch): void {
  stretch.quiet = fuller(stretch.quiet, stretch.last);
}

/** @returns the picture that shows more, by its bytes, unless it is old. */
function fuller(before: Sample | undefined, sample: Sample): Sample {
  const isRecent = before !== undefined && sample.time - before.time <= RECENT_MS;
  return isRecent && before.png.length > sample.png.length ? before : sample;
}

/** @returns the picture of a stretch. If nothing has changed for a while, the last one. */
function pictureOf({ last, full, quiet }: Stretch, end: number): Sample {
  const isUsable = (sample: Sample) => !sample.isUniform && end - sample.time <= RECENT_MS;
  return [quiet, full].find((sample) => sample !== undefined && isUsable(sample)) ?? last;
}

async function sampleOf(time: number, png: Buffer): Promise<Sample> {
  const small = sharp(png).removeAlpha().resize(CELLS, CELLS, { fit: 'fill' }).toColourspace('srgb');
  const cells = await small.raw().toBuffer();
  const isUniform = cells.every((value, index) => Math.abs(value - (cells[index % 3] ?? 0)) <= 1);
  return { time, png, cells, isUniform };
}

/** Adds a picture to the range of a stretch. @returns false, and changes nothing, if too much moved. */
function extend({ least, most }: Stretch, cells: Buffer): boolean {
  const range = (index: number) =>
    Math.max(most[index] ?? 0, cells[index] ?? 0) - Math.min(least[index] ?? 0, cells[index] ?? 0);
  if (shareOf(cells, range, MOVED) > STILL_SHARE) return false;
  for (const [index, value] of cells.entries()) {
    least[index] = Math.min(least[index] ?? 0, value);
    most[index] = Math.max(most[index] ?? 0, value);
  }
  return true;
}

/** @returns the share of the cells of which one channel has a value above a limit. */
function shareOf(cells: Buffer, at: (index: number) => number, limit: number): number {
  let count = 0;
  for (let index = 0; index < cells.length; index += 3)
    if (Math.max(at(index), at(index + 1), at(index + 2)) > limit) count += 1;
  return count / (cells.length / 3);
}
