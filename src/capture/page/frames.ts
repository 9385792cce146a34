import { withDeadline } from '../../lib/deadline.ts';
import type { Frame } from '../browser/frame.ts';
import type { Tab } from '../browser/tab.ts';

/** An idle frame answers within milliseconds, a frame that is drawing within a few animation frames. */
const ANSWER_MS = 1_500;

/**
 * @returns those of the first `max` frames of a page that answer. A frame may hang, or may have no document because the browser
 * must not open its address. All frames are asked at the same time. The main frame is always included.
 */
export async function respondingFrames(tab: Tab, max: number): Promise<Frame[]> {
  const frames = tab.frames().slice(0, max);
  const alive = await Promise.all(frames.map(async (frame) => frame === tab.mainFrame || answers(frame)));
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
  readonly #tab: Tab;
  readonly #failed = new Set<string>();

  constructor(tab: Tab) {
    this.#tab = tab;
    tab.session.on('Network.responseReceived', ({ type, frameId, response }) => {
      if (type === 'Document' && response.status >= 400 && frameId !== undefined) this.#failed.add(frameId);
    });
  }

  async makeBlank(): Promise<void> {
    const frames = this.#tab.frames().slice(1, MAX_FRAMES);
    const failed = frames.filter(({ id, url }) => this.#failed.has(id) || url.startsWith('chrome-error:'));
    this.#failed.clear();
    await Promise.all(failed.map(makeBlank));
  }
}

/** Ignores errors, because the page may remove the frame at any time. */
async function makeBlank(frame: Frame): Promise<void> {
  await withDeadline(BLANK_MS, frame.makeBlank()).catch((error: unknown) => void error);
}
