export const FRAME_MS = 1000 / 60;
const COARSE_MS = 100;
/** Before a marker every frame is drawn, so that what clamps or counts its steps is where it would be. */
const FINE_BEFORE_MS = 500;
/** The first instant: everything is loaded and drawn. Marker 0 is taken here. */
export const FIRST_MS = 1;
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
