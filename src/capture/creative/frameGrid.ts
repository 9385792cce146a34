import type { SteppedPage } from '../browser/steppedPage.ts';

export type GridPage = Pick<SteppedPage, 'now' | 'clock' | 'wait' | 'draw' | 'drawPicture' | 'frameNeed'>;

/** The result of drawing one frame. */
export interface DrawnFrame {
  readonly damage: boolean;
  readonly picture?: Buffer;
}

/** A page requested a frame at a moment at which the grid did not look. It has to be rendered again, with a look at each frame. */
export class LateFrameError extends Error {}

const FRAMES_PER_SECOND = 60;
/** All first frames are drawn, because most of the layout happens in them. */
const ALWAYS_DRAWN = 30;
/** A page that requested a frame gets this many further ones without a look. */
const LIVE_FRAMES = 6;
/** In an idle page the grid looks for requests at each sixth frame, and draws each twelfth. */
const LOOK_INTERVAL = 6;
const DRAW_INTERVAL = 12;

/** A time that is this much later than another one is the same moment. */
const SAME_INSTANT_MS = 0.01;

/**
 * The moments at which a browser would draw a page: 60 a second, from the moment of construction. A frame that the page does
 * not need is skipped. Which frames are drawn depends on the page only: a marker adds frames only where they change nothing.
 */
export class FrameGrid {
  readonly #page: GridPage;
  readonly #looksAtEachFrame: boolean;
  readonly #origin: number;
  #index = 0;
  /** Before this frame, all frames are drawn without a look. */
  #liveUntil = 0;
  #lastLook = 0;
  /** The frame at which an animation begins or ends. */
  #nextChange = Number.POSITIVE_INFINITY;
  /** A look between two frames found a request, which belongs to the next frame. */
  #requested = false;
  /** A frame for a marker changed the picture, which belongs to the next frame that every rendering draws. */
  #damage = false;

  constructor(page: GridPage, looksAtEachFrame: boolean) {
    this.#page = page;
    this.#looksAtEachFrame = looksAtEachFrame;
    this.#origin = page.now;
  }

  /** Milliseconds from the first frame to this one. */
  get time(): number {
    return timeOf(this.#index);
  }

  /** True for the frames that every page gets. */
  get isFixed(): boolean {
    if (this.#page.clock === 'wall') return true;
    return this.#index <= ALWAYS_DRAWN || this.#index % DRAW_INTERVAL === 0;
  }

  /** Milliseconds from the first frame to the next one. */
  get nextTime(): number {
    return timeOf(this.#index + 1);
  }

  /** Draws the frame of this moment if the page needs it or its picture is asked for. @throws LateFrameError */
  async draw(withPicture: boolean): Promise<DrawnFrame> {
    const planned = await this.#isPlanned(withPicture);
    if (!planned && !withPicture) return { damage: false };
    const frame = withPicture ? await this.#page.drawPicture() : await this.#page.draw();
    this.#damage ||= frame.damage;
    if (!planned) return { ...frame, damage: false };
    const damage = this.#damage;
    this.#damage = false;
    return { ...frame, damage };
  }

  /**
   * Draws a moment between this frame and the next one, if this cannot change what the page does. A page that requests frames
   * shows the previous frame at this moment, in a browser too.
   * @returns undefined if the picture of this frame is the right one.
   */
  async pictureAt(time: number): Promise<Buffer | undefined> {
    if (time - this.time < SAME_INSTANT_MS || this.#page.clock === 'wall' || this.#index < this.#liveUntil)
      return undefined;
    await this.#advanceTo(time);
    this.#requested ||= await this.#look();
    if (this.#requested || this.#nextChange <= this.#index + 1) return undefined;
    const { damage, picture } = await this.#page.drawPicture();
    this.#damage ||= damage;
    return picture;
  }

  /**
   * Advances the page to the next frame that may be needed, or to the last one before `limit`. In real time, frames that are
   * already late are left out.
   */
  async next(limit = Number.POSITIVE_INFINITY): Promise<void> {
    const current = Math.floor(((this.#page.now - this.#origin) * FRAMES_PER_SECOND) / 1000);
    this.#index = Math.max(this.#index, current) + 1;
    while (!this.#isLookDue() && timeOf(this.#index + 1) <= limit) this.#index += 1;
    await this.#advanceTo(this.time);
  }

  /** @returns true if every rendering of this page draws this frame. */
  async #isPlanned(withPicture: boolean): Promise<boolean> {
    if (this.#page.clock === 'wall') return true;
    if (!withPicture && !this.#isLookDue()) return false;
    if (this.#index < this.#liveUntil) {
      this.#lastLook = this.#index;
      return true;
    }
    const isLate = this.#index - this.#lastLook > 1;
    const changed = this.#nextChange <= this.#index;
    const requested = (await this.#look()) || this.#requested;
    this.#requested = false;
    this.#lastLook = this.#index;
    if (requested && isLate) throw new LateFrameError('The page requested a frame that was skipped.');
    if (requested) this.#liveUntil = this.#index + LIVE_FRAMES;
    return this.isFixed || requested || changed || this.#nextChange <= this.#index;
  }

  /** @returns false if this frame can be skipped without a look at the page. */
  #isLookDue(): boolean {
    if (this.#looksAtEachFrame || this.#requested || this.#page.clock === 'wall') return true;
    const isRecent = this.#index <= Math.max(this.#liveUntil, ALWAYS_DRAWN);
    return isRecent || this.#index % LOOK_INTERVAL === 0 || this.#nextChange <= this.#index;
  }

  async #look(): Promise<boolean> {
    const { requested, nextChangeMs } = await this.#page.frameNeed();
    const now = this.#page.now - this.#origin;
    this.#nextChange = Math.ceil(((now + nextChangeMs) * FRAMES_PER_SECOND) / 1000 - SAME_INSTANT_MS);
    return requested;
  }

  async #advanceTo(time: number): Promise<void> {
    const left = this.#origin + time - this.#page.now;
    if (left > 0) await this.#page.wait(left);
  }
}

/** Whole tenths of a millisecond. A page would read other times as a random neighbor of them. */
function timeOf(index: number): number {
  return Math.round((index * 10_000) / FRAMES_PER_SECOND) / 10;
}
