import type { SteppedPage } from '../browser/steppedPage.ts';
import { FIRST_FRAME_MS, FIRST_MS, FRAME_MS, LOADED_BY_MS, LOADING_STEP_MS, stepTowards } from './timeSteps.ts';

/** Pictures by marker; null is the resting picture. */
export type FramesByMarker = ReadonlyMap<number | null, Buffer>;

const REST_QUIET_MS = 600;
const REST_CAP_MS = 5_000;

/** Takes all pictures of an opened page in one pass over its time. */
export async function renderPageFrames(
  page: SteppedPage,
  markers: readonly (number | null)[],
): Promise<FramesByMarker> {
  const pictures = new Map<number | null, Buffer>();
  const ahead = markers.filter((marker) => marker !== null).toSorted((a, b) => a - b);
  const rest = markers.includes(null) ? new StillnessDetector(page) : undefined;
  await load(page);
  while (true) {
    while (ahead[0] !== undefined && stepTowards(page.now, ahead[0], true) === 0) {
      const marker = ahead.shift() ?? 0;
      if (!pictures.has(marker)) pictures.set(marker, await page.picture());
    }
    const resting = rest !== undefined && !pictures.has(null);
    if (!resting && ahead[0] === undefined) return pictures;
    const step = stepTowards(page.now, ahead[0] ?? Number.POSITIVE_INFINITY, resting);
    const { damage } = await page.advance(step);
    if (resting && (await rest.reached(damage))) pictures.set(null, await page.picture());
  }
}

/** Lets all of the creative load, in the smallest steps and without a frame: marker 0 is there, the same in every render. */
async function load(page: SteppedPage): Promise<void> {
  while (!page.loaded && page.now < LOADED_BY_MS) await page.wait(LOADING_STEP_MS);
  if (page.now < FIRST_FRAME_MS) await page.wait(FIRST_FRAME_MS - page.now);
  await page.advance(FIRST_MS);
}

/** Lets a page come to rest and takes no picture. */
export async function waitUntilStill(page: SteppedPage): Promise<void> {
  const rest = new StillnessDetector(page);
  await load(page);
  while (!(await rest.reached((await page.advance(FRAME_MS)).damage)));
}

/** Tells when a page has come to rest: nothing drawn for a while and no animation that will still end, or the cap. */
class StillnessDetector {
  readonly #page: SteppedPage;
  #lastDamage = 0;
  #askAgainAt = 0;

  constructor(page: SteppedPage) {
    this.#page = page;
  }

  async reached(damage: boolean): Promise<boolean> {
    const { now } = this.#page;
    if (damage) this.#lastDamage = now;
    if (now >= REST_CAP_MS) return true;
    if (now - this.#lastDamage < REST_QUIET_MS || now < this.#askAgainAt) return false;
    this.#askAgainAt = now + 100;
    return !(await this.#page.hasUnfinishedAnimations());
  }
}
