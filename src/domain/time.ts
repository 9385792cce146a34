/** @returns ISO 8601 with milliseconds and an offset, the format of responses and events: `2026-11-21T09:30:00.000+00:00`. */
export function timestamp(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}

/** As {@link timestamp}; null stays null. */
export function maybeTimestamp(time: Date | null): string | null {
  return time === null ? null : timestamp(time);
}

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Reads an ISO 8601 date or time; without an offset it is UTC. @returns undefined for anything else. */
export function parseTimestamp(text: string): Date | undefined {
  if (!ISO.test(text)) return undefined;
  const zoned = /T.*(Z|[+-]\d{2}:?\d{2})$/i.test(text) || !/T/i.test(text) ? text : `${text}Z`;
  const time = new Date(zoned.toUpperCase());
  return Number.isNaN(time.getTime()) ? undefined : time;
}
