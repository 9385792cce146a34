/** Reads which list page an address asks for: filters, sorting and page. */
import { z } from 'zod';
import type { Page } from '../../db/list.ts';
import type { FieldErrors } from '../../domain/failure.ts';
import { pageOf } from '../routes/pageRoutes.ts';

/** A list page has as many rows. With three thumbnails each, it stays below 500 KB. */
const PER_PAGE = 25;

/** The words of the addresses; each list has some of them. */
export type SortName = 'active' | 'newest' | 'oldest' | 'name';

export interface ListDefinition<S extends z.ZodRawShape, N extends SortName> {
  /** Schemas of the filters by parameter, as the lists of the API have them. */
  readonly filters: S;
  /** The first one is the default. */
  readonly sorts: readonly [N, ...N[]];
}

export interface ListQuery<F, N extends SortName = SortName> {
  /** Without those that are at fault. */
  readonly filters: F;
  /** Filters and sorting as the address has them, without empty ones; for links and for the form. */
  readonly given: Readonly<Record<string, string>>;
  readonly faults: FieldErrors;
  readonly sort: N;
  readonly page: Page;
  /** The time of the newest row on the first page, so that new rows do not move those on later pages. */
  readonly until: Date | undefined;
  /** Whether the person asked for some of the rows only. */
  readonly isFiltered: boolean;
}

export function readListQuery<S extends z.ZodRawShape, N extends SortName>(
  query: Readonly<Record<string, unknown>>,
  { filters, sorts }: ListDefinition<S, N>,
): ListQuery<z.output<z.ZodObject<S>>, N> {
  const names = Object.keys(filters);
  const given = nonEmpty(query, [...names, 'sort']);
  const values = Object.fromEntries(names.map((name) => [name, textOf(name, given[name])]));
  const faults = faultsOf(z.object(filters).safeParse(values));
  const valid = Object.fromEntries(Object.entries(values).filter(([name]) => faults[name] === undefined));
  const until = readTime(query['until']);
  const sort = sorts.find((name) => name === given['sort']) ?? sorts[0];
  return {
    filters: z.object(filters).parse(until === undefined ? valid : { ...valid, to: until.toISOString() }),
    given,
    faults: { ...faults, ...orderFault(valid) },
    sort,
    page: { page: pageOf({ query }), perPage: PER_PAGE },
    until,
    isFiltered: names.some((name) => given[name] !== undefined),
  };
}

/** @returns the first fault of each field. */
function faultsOf({ error }: z.ZodSafeParseResult<unknown>): FieldErrors {
  const issues = error?.issues.toReversed() ?? [];
  return Object.fromEntries(issues.map(({ path, message }) => [String(path[0]), [message]]));
}

/** @returns undefined if the parameter is missing, empty or not a number of milliseconds. */
function readTime(milliseconds: unknown): Date | undefined {
  const isGiven = typeof milliseconds === 'string' && milliseconds.trim() !== '';
  const time = new Date(isGiven ? Number(milliseconds) : Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function nonEmpty(query: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = query[name];
      return typeof value === 'string' && value.trim() !== '' ? [[name, value]] : [];
    }),
  );
}

/** The form has days. A range includes its last day. */
function textOf(name: string, given: string | undefined): string | undefined {
  return name === 'to' && given !== undefined && isDay(given) ? `${given}T23:59:59.999Z` : given;
}

const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);

function orderFault(valid: Readonly<Record<string, string | undefined>>): FieldErrors {
  const { from, to } = valid;
  if (from === undefined || to === undefined || Date.parse(from) <= Date.parse(to)) return {};
  return { from: ['must not be after the last day.'] };
}
