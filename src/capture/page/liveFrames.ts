import type { Frame, Page } from 'playwright';
import { withDeadline } from '../../lib/deadline.ts';

/** A frame that has been idle answers within a few milliseconds; one that draws, within a few frames. */
const ANSWER_MS = 1_500;

/**
 * The first `most` frames of a page, less those that do not answer: one that hangs, or that the browser never gave a
 * document (an address it may not open). All are asked side by side, so that many of them cost one wait. The main frame is
 * always among them.
 */
export async function liveFrames(page: Page, most: number): Promise<Frame[]> {
  const frames = page.frames().slice(0, most);
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
