const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };
/** Creating a formatter takes a millisecond. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 100;

type Parts = Readonly<Partial<Record<Intl.DateTimeFormatPartTypes, string>>>;

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

/** The month is a word, so that readers of all countries read the same date. @returns for example `21 Nov 2026, 09:30 UTC`, or `21 Nov 2026, 10:30 GMT+1` in a zone without a short English name. */
export function formatInstant(time: Date, timeZone: string, language = 'en'): string {
  const options = { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const;
  if (language !== 'en') return formatOf(options, language).format(time);
  const parts = partsOf(time, options);
  return `${dateOf(parts)}, ${parts['hour']}:${parts['minute']} ${parts['timeZoneName']}`;
}

/** @returns for example `21 Nov 2026`. */
export function formatDate(time: Date, timeZone: string, language = 'en'): string {
  if (language !== 'en') return formatOf({ timeZone }, language).format(time);
  return dateOf(partsOf(time, { timeZone }));
}

function formatOf(options: Intl.DateTimeFormatOptions, language: string): Intl.DateTimeFormat {
  const key = JSON.stringify([language, options]);
  const format = FORMATS.get(key) ?? new Intl.DateTimeFormat(language, { ...DAY, ...options });
  if (FORMATS.size < MAX_FORMATS) FORMATS.set(key, format);
  return format;
}

function partsOf(time: Date, options: Intl.DateTimeFormatOptions): Parts {
  return Object.fromEntries(
    formatOf(options, 'en-US')
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  );
}

const dateOf = (parts: Parts) => `${parts['day']} ${parts['month']} ${parts['year']}`;
