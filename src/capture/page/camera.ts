import { sleep } from '../../lib/sleep.ts';
import { decodePng, type Pixels } from '../compose/pixels.ts';
import type { LivePage, StagedSlot } from './livePage.ts';

export interface Shot {
  readonly png: Buffer;
  /** Decoded while the browser goes on. */
  readonly pixels: Promise<Pixels>;
  readonly at: Date;
}

export type Test = (picture: Pixels) => boolean;

const MAX_CAPTURES = 4;

/** Takes pictures of the live page. */
export class Camera {
  readonly #live: LivePage;

  constructor(live: LivePage) {
    this.#live = live;
  }

  /** The page with this picture in the slot; null: without an ad. */
  async show(staged: StagedSlot, png: Buffer | null): Promise<Shot> {
    await staged.show(png);
    return this.#capture();
  }

  /**
   * Captures once more where the picture does not show the change yet: frames of other processes come to the screen in
   * their own time. A change that nobody can see is waited for in vain, so the tries are few.
   */
  async until(changed: Test, first: Shot): Promise<Shot> {
    let shot = first;
    for (let attempt = 1; attempt < MAX_CAPTURES && !changed(await shot.pixels); attempt++) {
      await sleep(attempt * 60);
      shot = await this.#capture();
    }
    return shot;
  }

  async #capture(): Promise<Shot> {
    const png = await this.#live.capture();
    const at = new Date();
    const pixels = decodePng(png);
    // Whoever needs it meets the failure.
    pixels.catch((error: unknown) => void error);
    return { png, pixels, at };
  }
}
