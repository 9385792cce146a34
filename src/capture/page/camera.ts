import { sleep } from '../../lib/sleep.ts';
import { decodePng, type Pixels } from '../compose/pixels.ts';
import type { Rect } from './inPage/rect.ts';
import type { LivePage, StagedSlot } from './livePage.ts';

export interface PageCapture {
  readonly png: Buffer;
  /** Decoded while the browser continues. */
  readonly pixels: Promise<Pixels>;
  readonly at: Date;
}

export type PixelTest = (picture: Pixels) => boolean;

const MAX_CAPTURES = 4;

/** Captures the live page. */
export class Camera {
  readonly #live: LivePage;
  readonly #clip: Rect | undefined;

  /** @param clip a part of the document in CSS pixels; undefined for the viewport. */
  constructor(live: LivePage, clip: Rect | undefined) {
    this.#live = live;
    this.#clip = clip;
  }

  /** Shows this picture in the slot, or no ad for null, and captures the page. */
  async show(staged: StagedSlot, png: Buffer | null): Promise<PageCapture> {
    await staged.show(png);
    return this.#capture();
  }

  /**
   * Captures again while the picture does not show the change. A frame in another process may reach the screen later. The change
   * may also be invisible, so the number of captures is small.
   */
  async until(changed: PixelTest, first: PageCapture): Promise<PageCapture> {
    let shot = first;
    for (let attempt = 1; attempt < MAX_CAPTURES && !changed(await shot.pixels); attempt++) {
      await sleep(attempt * 60);
      shot = await this.#capture();
    }
    return shot;
  }

  async #capture(): Promise<PageCapture> {
    const png = await this.#live.capture(this.#clip);
    const at = new Date();
    const pixels = decodePng(png);
    // The caller that awaits the pixels gets the error; this handler only prevents an unhandled rejection.
    pixels.catch((error: unknown) => void error);
    return { png, pixels, at };
  }
}
