export const MARKER_MAX_SECONDS = 30;

/** Whether a marker, in seconds as sent, is in range. Checked before it is rounded. */
export function isMarker(seconds: number): boolean {
  return seconds >= 0 && seconds <= MARKER_MAX_SECONDS;
}

/** Seconds as sent → whole milliseconds. */
export function markerMs(seconds: number): number {
  return Math.round(seconds * 1000) + 0; // + 0: never -0
}
