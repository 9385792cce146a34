import type { SteppedPage } from '../browser/steppedPage.ts';

/** PNGs by marker in milliseconds; null is the default frame. */
export type FramesByMarker = ReadonlyMap<number | null, Buffer>;

const FRAME_MS = 1000 / 60;
const COARSE_STEP_MS = 100;
/** Before a marker every frame is drawn, because some creatives count or clamp their frames. */
const FINE_BEFORE_MS = 500;
/** The smallest step. Marker 0 is the first moment after the creative has loaded. */
export const SMALLEST_STEP_MS = 1;
/** Small, so that scripts start at the same time in every rendering, however long they load in real time. */
const LOADING_STEP_MS = 0.1;
/** The first frame. Most creatives load in less of their own time. */
const FIRST_FRAME_MS = 9;
/** At this time a creative counts as started, even if it still loads. */
const MAX_LOADING_MS = 30;
const SAME_INSTANT_MS = 0.5;

/** A page is still if it drew nothing for this time. */
const STILL_MS = 600;
/** The default frame is taken at this time at the latest. */
const MAX_UNTIL_STILL_MS = 5_000;

/** Takes the frames of all markers in one pass over the page's time. */
export async function renderPageFrames(
  page: SteppedPage,
  markers: readonly (number | null)[],
): Promise<FramesByMarker> {
  const pictures = new Map<number | null, Buffer>();
  const ahead = markers.filter((marker) => marker !== null).toSorted((a, b) => a - b);
  const stillness = markers.includes(null) ? new StillnessDetector(page) : undefined;
  await load(page);
  while (true) {
    while (ahead[0] !== undefined && stepTowards(page.now, ahead[0], true) === 0) {
      const marker = ahead.shift() ?? 0;
      if (!pictures.has(marker)) pictures.set(marker, await page.picture());
    }
    const needsDefault = stillness !== undefined && !pictures.has(null);
    if (!needsDefault && ahead[0] === undefined) return pictures;
    const step = stepTowards(page.now, ahead[0] ?? Number.POSITIVE_INFINITY, needsDefault);
    const { damage } = await page.advance(step);
    if (needsDefault && (await stillness.isReached(damage))) pictures.set(null, await page.picture());
  }
}

/** Lets the creative load in tiny steps without drawing, so that marker 0 is the same in every rendering. */
async function load(page: SteppedPage): Promise<void> {
  while (!page.loaded && page.now < MAX_LOADING_MS) await page.wait(LOADING_STEP_MS);
  if (page.now < FIRST_FRAME_MS) await page.wait(FIRST_FRAME_MS - page.now);
  await page.advance(SMALLEST_STEP_MS);
}

/** Lets a page run until it is still. Takes no frame. */
export async function waitUntilStill(page: SteppedPage): Promise<void> {
  const stillness = new StillnessDetector(page);
  await load(page);
  while (!(await stillness.isReached((await page.advance(FRAME_MS)).damage)));
}

/** A page is still if it draws nothing for {@link STILL_MS} and no animation with an end is running. */
class StillnessDetector {
  readonly #page: SteppedPage;
  #lastDamage = 0;
  #nextCheckAt = 0;

  constructor(page: SteppedPage) {
    this.#page = page;
  }

  async isReached(damage: boolean): Promise<boolean> {
    const { now } = this.#page;
    if (damage) this.#lastDamage = now;
    if (now >= MAX_UNTIL_STILL_MS) return true;
    if (now - this.#lastDamage < STILL_MS || now < this.#nextCheckAt) return false;
    this.#nextCheckAt = now + 100;
    return !(await this.#page.hasUnfinishedAnimations());
  }
}

/**
 * The next step from `now` towards a marker: 100 ms, or one frame in the last 500 ms (always with `everyFrame`). The last step
 * ends exactly at the marker.
 * @returns milliseconds; 0 if the marker is reached.
 */
export function stepTowards(now: number, marker: number, everyFrame: boolean): number {
  const left = Math.max(marker, SMALLEST_STEP_MS) - now;
  if (left <= 0) return 0;
  const step = everyFrame || left <= FINE_BEFORE_MS ? FRAME_MS : Math.min(COARSE_STEP_MS, left - FINE_BEFORE_MS);
  // A remainder that is too short for a frame is part of the last step.
  return left - step < SAME_INSTANT_MS ? left : step;
}
