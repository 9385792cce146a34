import type { CdpSession } from './cdp.ts';
import type { PageClock } from './pageClock.ts';
import type { PageGuard } from './pageGuard.ts';
import { PageResistsError } from './pageResists.ts';
import { sleep } from './watch.ts';

export interface PageFramesOptions {
  readonly session: CdpSession;
  readonly guard: PageGuard;
  readonly clock: PageClock;
  /** Of the viewport, CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

/** Keeps its clock at a whole number of frames a second, as the browser's own. */
const FRAME_MS = 1000 / 60;
const MAX_PUMPED_FRAMES = 200;
/** After so many the compositor is given time. */
const HASTY_FRAMES = 10;
/** Real time for the compositor to answer before the next frame of one moment. */
const PUMP_PAUSE_MS = 20;

/** Draws a page whose frames are driven, one by one. */
export class PageFrames {
  readonly #options: PageFramesOptions;
  /** Whether the last frame differed from the one before. */
  #moved = false;

  constructor(options: PageFramesOptions) {
    this.#options = options;
  }

  /** @returns whether the frame differs from the one before. */
  async draw(): Promise<boolean> {
    const { hasDamage } = await this.#frame();
    this.#moved = hasDamage;
    return hasDamage;
  }

  /** The viewport in device pixels at this moment, a PNG in base64. */
  picture(): Promise<string> {
    return this.#options.ratio === 1 ? this.#frameShot() : this.#pumpedShot();
  }

  #frame(screenshot?: { format: 'png' }): Promise<{ hasDamage: boolean; screenshotData?: string }> {
    const { session, guard, clock } = this.#options;
    const frame = session.send(
      'HeadlessExperimental.beginFrame',
      { ...clock.frameTime(), interval: FRAME_MS, noDisplayUpdates: false, ...(screenshot && { screenshot }) },
      60_000,
    );
    return guard.over(frame, () => clock.nudge());
  }

  async #frameShot(): Promise<string> {
    const { guard, clock } = this.#options;
    for (let attempt = 0; attempt < MAX_PUMPED_FRAMES; attempt++) {
      if (attempt > HASTY_FRAMES) await guard.over(sleep(PUMP_PAUSE_MS));
      clock.nextInstant();
      const { screenshotData } = await this.#frame({ format: 'png' });
      if (screenshotData) return screenshotData;
    }
    throw noPicture();
  }

  /** The picture of a frame ignores the pixel ratio; the page's own does not, and needs frames until it answers. */
  async #pumpedShot(): Promise<string> {
    const { session, clock, width, height } = this.#options;
    let done = false;
    const shot = session
      .send('Page.captureScreenshot', { format: 'png', clip: { x: 0, y: 0, width, height, scale: 1 } }, 30_000)
      .finally(() => {
        done = true;
      });
    const answered = shot.then(
      () => undefined,
      () => undefined,
    );
    // What moves must meet the same number of frames in every render, so each of them is let through.
    for (let frames = 0; !done && frames < MAX_PUMPED_FRAMES; frames++) {
      if (this.#moved || frames > HASTY_FRAMES) await Promise.race([answered, sleep(PUMP_PAUSE_MS)]);
      if (done) break;
      clock.nextInstant();
      await this.#frame();
    }
    if (!done) throw noPicture();
    return (await shot).data;
  }
}

function noPicture(): PageResistsError {
  return new PageResistsError('no_picture', 'The creative draws nothing: something that it waits for never comes.');
}
