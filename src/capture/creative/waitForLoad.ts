import type { SteppedPage } from '../browser/steppedPage.ts';

export type LoadingPage = Pick<SteppedPage, 'loadedAt' | 'now' | 'clock' | 'wait'>;

/**
 * In stepped time, each request takes exactly this long, if one step of the clock covers it. So a script starts at the same
 * time in every rendering.
 */
const LOADING_STEP_MS = 10;
/** At this time a creative counts as started, even if it still loads. */
const MAX_LOADING_MS = { stepped: 300, wall: 3_000 };
/**
 * From the load to the first frame. A step of the clock may end before the browser has handled the answers of this step, and then
 * one more step passes before the load is known.
 */
const FIRST_FRAME_MS = LOADING_STEP_MS + 1;

/** Lets the creative load without drawing, so that marker 0 is the same in every rendering. */
export async function waitForLoad(page: LoadingPage): Promise<void> {
  while (page.loadedAt === undefined && page.now < MAX_LOADING_MS[page.clock]) await page.wait(LOADING_STEP_MS);
  const passed = page.now - (page.loadedAt ?? page.now);
  await page.wait(Math.max(1, FIRST_FRAME_MS - passed));
}
