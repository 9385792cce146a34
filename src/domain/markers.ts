export const MARKER_MAX_SECONDS = 30;

/** Whether a marker, in seconds as sent, is in range. Checked before it is rounded. */
export function isMarker(seconds: number): boolean {
  return seconds >= 0 && seconds <= MARKER_MAX_SECONDS;
}

/** Seconds as sent → whole milliseconds. */
export function markerMs(seconds: number): number {
  return Math.round(seconds * 1000) + 0; // + 0: never -0
}

/** A longer text is not a list that a person wrote, and matching it would take long. */
const LIST_MAX = 200;
const UNIT = /(^|(?<=\d))(s|secs?|seconds?|sek|sekunden?|secondes?)\.?$/i;

/**
 * Reads a list of moments in seconds, such as "0; 2.5 s". In a list with semicolons, "2,5" has a decimal comma. In
 * any other list it is ambiguous, which is a fault.
 *
 * @returns each moment once, and a sentence for each part that is not a moment.
 */
export function readMoments(text: string): { readonly moments: readonly number[]; readonly faults: readonly string[] } {
  if (text.length > LIST_MAX) return { moments: [], faults: [`The list has more than ${LIST_MAX} characters.`] };
  const parts = text
    .split(/[;\s]+|,(?=[;\s]|$)/)
    .map((part) => part.replace(UNIT, ''))
    .flatMap((part) => (text.includes(';') ? [part.replace(',', '.')] : isAmbiguous(part) ? [part] : part.split(',')))
    .filter((part) => part !== '');
  const read = parts.map((part) => ({ seconds: Number(part), fault: momentFault(part) }));
  const moments = read.filter(({ fault }) => fault === undefined).map(({ seconds }) => seconds);
  return {
    moments: [...new Map(moments.map((seconds) => [markerMs(seconds), seconds])).values()],
    faults: read.flatMap(({ fault }) => fault ?? []),
  };
}

const isAmbiguous = (part: string) => /^\d+,\d+$/.test(part);

function momentFault(part: string): string | undefined {
  if (isAmbiguous(part)) return `${part} is ambiguous: write ${part.replace(',', '.')} or ${part.replace(',', '; ')}.`;
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(part)) return `The moment ${part} is not a number of seconds.`;
  if (!isMarker(Number(part))) return `The moment ${part} is not between 0 and ${MARKER_MAX_SECONDS} seconds.`;
  return undefined;
}
