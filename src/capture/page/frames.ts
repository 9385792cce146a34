import type { Frame, Page, Response } from 'playwright';
import { withDeadline } from '../../lib/deadline.ts';

/** An idle frame answers within milliseconds, a frame that is drawing within a few animation frames. */
const ANSWER_MS = 1_500;

/**
 * @returns those of the first `max` frames of a page that answer. A frame may hang, or may have no document because the browser
 * must not open its address. All frames are asked at the same time. The main frame is always included.
 */
export async function respondingFrames(page: Page, max: number): Promise<Frame[]> {
  const frames = page.frames().slice(0, max);
  const alive = await Promise.all(frames.map(async (frame) => frame === page.mainFrame() || answers(frame)));
  return frames.filter((_, index) => alive[index]);
}

async function answers(frame: Frame): Promise<boolean> {
  try {
    return await withDeadline(
      ANSWER_MS,
      frame.evaluate(() => true),
    );
  } catch {
    return false;
  }
}

const BLANK_MS = 1_500;
const MAX_FRAMES = 40;

/**
 * Frames whose document did not load. They become blank, as in a page whose ad did not fill. Otherwise a picture would show the
 * error page of the browser, of the server or of the egress proxy.
 */
export class FailedFrames {
  readonly #page: Page;
  readonly #failed = new Set<Frame>();

  constructor(page: Page) {
    this.#page = page;
    page.on('response', (response) => this.#add(response));
  }

  #add(response: Response): void {
    const request = response.request();
    if (!request.isNavigationRequest() || response.status() < 400) return;
    const frame = request.frame();
    if (frame !== this.#page.mainFrame()) this.#failed.add(frame);
  }

  async makeBlank(): Promise<void> {
    const frames = this.#page.frames().slice(1, MAX_FRAMES);
    const failed = frames.filter((frame) => this.#failed.has(frame) || frame.url().startsWith('chrome-error:'));
    this.#failed.clear();
    await Promise.all(failed.map(makeBlank));
  }
}

/** Ignores errors, because the page may remove the frame at any time. */
async function makeBlank(frame: Frame): Promise<void> {
  await withDeadline(BLANK_MS, frame.goto('about:blank')).catch((error: unknown) => void error);
}
