import { sleep } from '../../lib/sleep.ts';
import type { CdpSession } from './cdp.ts';
import type { PageClock } from './pageClock.ts';
import type { PageGuard } from './pageGuard.ts';
import { RenderingBlockedError } from './renderingBlocked.ts';

export interface FrameDriverOptions {
  readonly session: CdpSession;
  readonly guard: PageGuard;
  readonly clock: PageClock;
}

/** Keeps its clock at a whole number of frames a second, as the browser's own. */
const FRAME_MS = 1000 / 60;
const MAX_FRAMES = 200;
/** After so many the compositor is given time. */
const HASTY_FRAMES = 10;
/** Real time for the compositor to answer before the next frame of one moment. */
const PAUSE_MS = 20;

/** Draws a page whose frames are driven, one by one. */
export class FrameDriver {
  readonly #options: FrameDriverOptions;

  constructor(options: FrameDriverOptions) {
    this.#options = options;
  }

  /** @returns whether the frame differs from the one before. */
  async draw(): Promise<boolean> {
    return (await this.#frame()).hasDamage;
  }

  /** The viewport in device pixels at this moment, a PNG in base64. */
  async picture(): Promise<string> {
    const { guard, clock } = this.#options;
    for (let attempt = 0; attempt < MAX_FRAMES; attempt++) {
      if (attempt > HASTY_FRAMES) await guard.waitFor(sleep(PAUSE_MS));
      clock.nextInstant();
      const { screenshotData } = await this.#frame({ format: 'png' });
      if (screenshotData) return screenshotData;
    }
    throw new RenderingBlockedError(
      'no_picture',
      'The creative draws nothing: something that it waits for never comes.',
    );
  }

  #frame(screenshot?: { format: 'png' }): Promise<{ hasDamage: boolean; screenshotData?: string }> {
    const { session, guard, clock } = this.#options;
    const frame = session.send(
      'HeadlessExperimental.beginFrame',
      { ...clock.frameTime(), interval: FRAME_MS, noDisplayUpdates: false, ...(screenshot && { screenshot }) },
      60_000,
    );
    return guard.waitFor(frame, () => clock.nudge());
  }
}
