/** The comments at the start of a filter list, which name its title and version. */
import { cutCodePoints } from '../domain/text.ts';

export interface ListHeader {
  readonly title: string | null;
  readonly version: string | null;
  readonly commit: string | null;
  /** As the list writes it. */
  readonly lastModified: string | null;
  /** For how long the authors expect the list to be valid, milliseconds; null if the list does not say it. */
  readonly expiresMs: number | null;
}

const MAX_LINES = 200;
const MAX_VALUE = 200;
const HOUR_MS = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: HOUR_MS, day: 24 * HOUR_MS };

export function parseListHeader(text: string): ListHeader {
  const fields = new Map<string, string>();
  for (const line of text.split('\n', MAX_LINES)) {
    const [, name, value] = /^!\s*([\w -]{1,40}?)\s*:\s*(\S.*?)\s*$/.exec(line) ?? [];
    const key = name?.toLowerCase();
    if (key === undefined || value === undefined || fields.has(key)) continue;
    fields.set(key, cutCodePoints(value, MAX_VALUE));
  }
  const field = (...names: string[]) => names.map((name) => fields.get(name)).find((value) => value !== undefined);
  return {
    title: field('title') ?? null,
    version: field('version') ?? null,
    commit: field('commit', 'diff-commit') ?? null,
    lastModified: field('last modified', 'timeupdated', 'updated') ?? null,
    expiresMs: durationOf(field('expires') ?? ''),
  };
}

/** `4 days (update frequency)`, `12h`, `1`. A number without a unit counts days. */
function durationOf(text: string): number | null {
  const [, number, unit] = /^(\d{1,4})\s*([a-z]*)/i.exec(text) ?? [];
  const name = Object.keys(UNITS).find((one) => unit && one.startsWith(unit.toLowerCase().replace(/s$/, '')));
  const ms = Number(number) * (UNITS[name ?? 'day'] ?? 0);
  return ms > 0 ? ms : null;
}
