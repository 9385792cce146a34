/** Schemas of texts and addresses. Their checks have messages for people. */
import { z } from 'zod';
import { codePoints, isBlank, textFault } from '../domain/text.ts';
import { parseTimestamp } from '../domain/time.ts';
import { URL_MAX, urlFault } from '../domain/webAddresses.ts';
import { NOT_BLANK } from './schemaParts.ts';

export const WEB_ADDRESS = '^\\s*[hH][tT][tT][pP][sS]?://[^/?#]';

export const figure = (value: number) => value.toLocaleString('en');

/** A string without a fault. */
export const text = (fault: (value: string) => string | undefined = () => undefined) =>
  z.string().superRefine((value, context) => {
    const message = textFault(value) ?? fault(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/** @returns why the text is too long, or undefined. */
export function lengthFault(value: string, max: number): string | undefined {
  const length = codePoints(value);
  return length > max ? `must be at most ${figure(max)} characters, but has ${figure(length)}.` : undefined;
}

/** A time with an offset, or in UTC. @param example for the fault of another text. @param fault of a time that is not possible. */
export const instant = (example: string, fault: (time: Date) => string | undefined = () => undefined) =>
  z
    .string()
    .transform((value, context) => {
      const time = parseTimestamp(value);
      const message = time === undefined ? `must be an ISO 8601 time, for example ${example}.` : fault(time);
      if (time !== undefined && message === undefined) return time;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ override: { type: 'string', format: 'date-time' } });

/** @param blank the fault of a blank text; without it, the text may be blank. */
export const textUpTo = (max: number, blank?: string) =>
  text((value) => (blank !== undefined && isBlank(value) ? blank : lengthFault(value, max))).meta({
    ...(blank !== undefined && NOT_BLANK),
    maxLength: max,
  });

/** As {@link textUpTo}, without the white space around it. */
export const nameUpTo = (max: number, blank: string) =>
  text((value) => (isBlank(value) ? blank : lengthFault(value.trim(), max))).meta({ ...NOT_BLANK, maxLength: max });

export const webAddress = text(urlFault).meta({
  format: 'uri',
  pattern: WEB_ADDRESS,
  maxLength: URL_MAX,
});
