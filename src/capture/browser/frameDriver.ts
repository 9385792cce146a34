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

/** The interval between two frames, as in the browser itself. */
const FRAME_MS = 1000 / 60;
const MAX_FRAMES = 200;
/** After this many frames without a picture, the driver pauses before each further frame. */
const FRAMES_WITHOUT_PAUSE = 10;
/** Real time for the compositor. */
const PAUSE_MS = 20;

/** Draws the frames of a page, one at a time. */
export class FrameDriver {
  readonly #options: FrameDriverOptions;

  constructor(options: FrameDriverOptions) {
    this.#options = options;
  }

  /** @returns whether the frame differs from the previous one. */
  async draw(): Promise<boolean> {
    return (await this.#frame()).hasDamage;
  }

  /** @returns the viewport at this moment, a PNG of device pixels in base64. @throws RenderingBlockedError */
  async picture(): Promise<string> {
    const { guard, clock } = this.#options;
    for (let attempt = 0; attempt < MAX_FRAMES; attempt++) {
      if (attempt > FRAMES_WITHOUT_PAUSE) await guard.waitFor(sleep(PAUSE_MS));
      clock.nextInstant();
      const { screenshotData } = await this.#frame({ format: 'png' });
      if (screenshotData) return screenshotData;
    }
    throw new RenderingBlockedError(
      'no_picture',
      'The creative draws nothing. It waits for something that does not arrive.',
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
