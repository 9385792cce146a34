/** Conditions on the words that `0001_schema.sql` indexes. Exact values begin with a colon, which no word does. */
import { type RawBuilder, sql } from 'kysely';
import { isBlank } from '../domain/text.ts';
import { allOf } from './keyset.ts';

export interface Wanted {
  readonly organizationId: string;
  /** Each word must begin a word of the object, or all of it its id. */
  readonly text?: string | undefined;
  /** A host name; also finds its subdomains. */
  readonly site?: string | undefined;
  readonly device?: string | undefined;
}

/** @returns undefined if every object of the organization is wanted. */
export function searchQuery({ organizationId, text, site, device }: Wanted): RawBuilder<unknown> | undefined {
  const parts = [
    text === undefined || isBlank(text) ? undefined : sql`search_query(${text}::text)`,
    site === undefined ? undefined : exactly(`:site:${site.slice(0, 100)}`),
    device === undefined ? undefined : exactly(`:device:${device}`),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return sql`(${sql.join([exactly(`:org:${organizationId}`), ...parts], sql` && `)})`;
}

function exactly(value: string): RawBuilder<unknown> {
  const quoted = value.toLowerCase().replaceAll('\\', '\\\\').replaceAll("'", "''");
  return sql`${`'${quoted}'`}::tsquery`;
}

export interface TimeRange {
  /** Included. */
  readonly from?: Date | undefined;
  /** Included, as the API shows times: with milliseconds. */
  readonly to?: Date | undefined;
}

/** The conditions of {@link inRange} as one. */
export function isInRange(column: RawBuilder<unknown>, range: TimeRange): RawBuilder<boolean> {
  return allOf([sql`true`, ...inRange(column, range)]);
}

export function inRange(column: RawBuilder<unknown>, { from, to }: TimeRange): (RawBuilder<unknown> | undefined)[] {
  return [
    from === undefined ? undefined : sql`${column} >= ${from}`,
    to === undefined ? undefined : sql`${column} < ${new Date(to.getTime() + 1)}`,
  ];
}
