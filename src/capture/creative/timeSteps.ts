export const FRAME_MS = 1000 / 60;
const COARSE_MS = 100;
/** Before a marker every frame is drawn, so that what clamps or counts its steps is where it would be. */
const FINE_BEFORE_MS = 500;
/** The smallest step. Loading takes a few of them; marker 0 is taken at the first moment with everything loaded. */
export const FIRST_MS = 1;
/** Small, so that scripts begin at the same time in every render, however long their loading takes in real time. */
export const LOADING_STEP_MS = 0.1;
/** The first frame; loading mostly takes less of a creative's time. */
export const FIRST_FRAME_MS = 9;
/** When a creative that goes on loading begins to count as begun. */
export const LOADED_BY_MS = 30;
const SAME_INSTANT_MS = 0.5;

/**
 * How far to go from `now` towards a marker: 100 ms at a time, frame by frame in the last 500 ms (or always, if
 * `everyFrame`), and exactly onto the marker at the end.
 * @returns milliseconds; 0 when it is reached.
 */
export function stepTowards(now: number, marker: number, everyFrame: boolean): number {
  const left = Math.max(marker, FIRST_MS) - now;
  if (left <= 0) return 0;
  const step = everyFrame || left <= FINE_BEFORE_MS ? FRAME_MS : Math.min(COARSE_MS, left - FINE_BEFORE_MS);
  // The last step swallows a rest that would be too short for a frame of its own.
  return left - step < SAME_INSTANT_MS ? left : step;
}
