import { sleep } from '../../lib/sleep.ts';
import { type CdpSession, RenderingBlockedError } from './cdp.ts';
import type { PageGuard } from './pageGuard.ts';
import type { PageClock } from './steppedClock.ts';

export interface FrameDriverOptions {
  readonly session: CdpSession;
  readonly guard: PageGuard;
  readonly clock: PageClock;
}

/** The browser shows a picture of an animated image up to half an interval early. This one shows each when it is due. */
const INTERVAL_MS = 1;
const MAX_FRAMES = 200;
/** After this many frames without a picture, the driver pauses before each further frame. */
const FRAMES_WITHOUT_PAUSE = 10;
/** Real time for the compositor. */
const PAUSE_MS = 20;
/**
 * A frame that takes this many checks of the page waits for the clock. A busy node draws slowly too, and a clock that advances then
 * gives other pictures. Later frames of a page that waits once get no such time.
 */
const CHECKS_BEFORE_NUDGE = 8;

/** Draws the frames of a page, one at a time. */
export class FrameDriver {
  readonly #options: FrameDriverOptions;
  #checksBeforeNudge = CHECKS_BEFORE_NUDGE;

  constructor(options: FrameDriverOptions) {
    this.#options = options;
  }

  /** @returns whether the frame differs from the previous one. */
  async draw(): Promise<boolean> {
    return (await this.#frame()).hasDamage;
  }

  /**
   * Draws the frame of this moment with its picture. Usually one frame is enough; each further one runs the page's callbacks again.
   * @returns the picture, a PNG of device pixels in base64. @throws RenderingBlockedError
   */
  async drawPicture(): Promise<{ readonly damage: boolean; readonly picture: string }> {
    const { guard, clock } = this.#options;
    let damage = false;
    for (let attempt = 0; attempt < MAX_FRAMES; attempt++) {
      if (attempt > FRAMES_WITHOUT_PAUSE) await guard.waitFor(sleep(PAUSE_MS));
      const { screenshotData, hasDamage } = await this.#frame({ format: 'png' });
      damage ||= hasDamage;
      if (screenshotData) return { damage, picture: screenshotData };
      clock.nextInstant();
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
      { ...clock.frameTime(), interval: INTERVAL_MS, noDisplayUpdates: false, ...(screenshot && { screenshot }) },
      60_000,
    );
    let checks = 0;
    return guard.waitFor(frame, async () => {
      checks += 1;
      if (checks < this.#checksBeforeNudge) return;
      this.#checksBeforeNudge = 1;
      await clock.nudge();
    });
  }
}
