import type { Frame, Page } from 'playwright';
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
