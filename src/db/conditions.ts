/** Conditions of lists. The indexes of the tables, in `migrations/`, have the same expressions. */
import { type RawBuilder, sql } from 'kysely';
import type { Metadata } from '../domain/metadata.ts';
import { isBlank } from '../domain/text.ts';
import type { Queryable } from './database.ts';
import type { ObjectRef } from './rows.ts';

/** @returns one condition that is true if all are; those that are absent do not count. */
export function allOf(conditions: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<boolean> {
  return sql<boolean>`${sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` and `,
  )}`;
}

export interface TimeRange {
  /** Included. */
  readonly from?: Date | undefined;
  /** Included, as the API shows times: with milliseconds. */
  readonly to?: Date | undefined;
}

export function isInRange(column: RawBuilder<unknown>, { from, to }: TimeRange): RawBuilder<boolean> {
  return allOf([
    sql`true`,
    from === undefined ? undefined : sql`${column} >= ${from}`,
    to === undefined ? undefined : sql`${column} < ${new Date(to.getTime() + 1)}`,
  ]);
}

/** A row's position in a list that is sorted by the time of creation, newest first, and then by id. */
export interface Place {
  /** The text of the time. */
  readonly value: string;
  readonly id: string;
}

/** Tables whose lists begin after an object. */
export type ListTable = 'ads' | 'audit_log' | 'campaigns' | 'deliveries' | 'events' | 'screenshot_sets' | 'uploads';

/** @returns whether a row is behind the place; true for all rows without a place. */
export function isAfter(table: ListTable, place: Place | undefined): RawBuilder<boolean> {
  if (place === undefined) return sql<boolean>`true`;
  const { value, id } = place;
  const [column, key] = [sql.ref(`${table}.created_at`), sql.ref(`${table}.id`)];
  return sql<boolean>`${column} <= ${value}::timestamptz and (${column} < ${value}::timestamptz or ${key} > ${id}::uuid)`;
}

/** @returns the place of a row; undefined if the organization has no such row. */
export async function findPlace(
  db: Queryable,
  table: ListTable,
  { id, organizationId }: ObjectRef,
): Promise<Place | undefined> {
  const { rows } = await sql<Place>`select created_at::text as value, id from ${sql.table(table)}
    where id = ${id}::uuid and organization_id = ${organizationId}::uuid`.execute(db);
  return rows[0];
}

/** The condition that a row of the organization has all these pairs. */
export function hasMetadata(
  table: 'ads' | 'screenshot_sets',
  { organizationId, metadata }: { readonly organizationId: string; readonly metadata?: Metadata | undefined },
): RawBuilder<boolean> | undefined {
  if (metadata === undefined) return undefined;
  const [pairs, organization] = [sql.ref(`${table}.metadata`), sql.ref(`${table}.organization_id`)];
  const wanted = JSON.stringify(metadata);
  return sql<boolean>`metadata_marks(${organization}, ${pairs}) @> metadata_marks(${organizationId}::uuid, ${wanted}::jsonb)`;
}

export interface Wanted {
  readonly organizationId: string;
  /** Each word must be the beginning of a word of the object, or the whole text the beginning of its id. */
  readonly text?: string | undefined;
  /** A host name; also finds its subdomains. */
  readonly site?: string | undefined;
  readonly device?: string | undefined;
}

/** Exact values begin with a colon, which no word does. @returns undefined if every object of the organization is wanted. */
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
