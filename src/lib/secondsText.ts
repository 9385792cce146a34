/** @returns a duration for a message, rounded to two digits: `0.58 s`, `2.5 s`, `90 s`. */
export function secondsText(ms: number): string {
  const seconds = ms / 1000;
  return `${seconds < 10 ? Number(seconds.toPrecision(2)) : Math.round(seconds)} s`;
}
