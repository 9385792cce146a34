import { type RawBuilder, sql } from 'kysely';
import {
  allOf,
  hasMetadata,
  isAfter,
  isInRange,
  type Place,
  searchQuery,
  type TimeRange,
  type Wanted,
} from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readSearchPage, type Words } from '../../db/list.ts';
import { type Row, SET_COLUMNS, type SetRow } from '../../db/rows.ts';
import type { Metadata } from '../../domain/metadata.ts';
import type { StatusCounts } from '../../domain/reviewNotes.ts';
import { isTerminalSet, type SetStatus } from '../../domain/states.ts';

export interface SetFilter extends Wanted, TimeRange {
  readonly campaignId?: string | undefined;
  readonly status?: SetStatus | undefined;
  /** Only rows with all these pairs. */
  readonly metadata?: Metadata | undefined;
  /** Only rows behind this place in the list, newest first. */
  readonly after?: Place | undefined;
  /** The newest first, unless given. */
  readonly sort?: keyof typeof ORDERS;
  /** Only sets that are no retakes. One matches also if a retake of it has the words or the unfinished status. */
  readonly withRounds?: true;
}

type Found = SetRow & Pick<Row<'screenshot_sets'>, 'cancel_requested_at' | 'retake_of'> & { readonly campaign: string };

export interface ListedSet extends Found {
  readonly counts: StatusCounts;
  /** How many of its screenshots are approved or rejected one by one. */
  readonly reviewed: number;
}

/** Each set has the name of its campaign, and how many of its screenshots are in which status. */
export async function listSets(db: Queryable, filter: SetFilter, page: Page): Promise<ListPage<ListedSet>> {
  const { sort = 'newest' } = filter;
  const list = { ...LIST, where: isInList(filter), words: wordsOf(filter), order: ORDERS[sort] };
  const { rows, total } = await readSearchPage<Found>(db, list, page);
  return { rows: await withCounts(db, rows), total };
}

/** The sets with these ids that belong to the organization, newest first. */
export async function readSets(db: Queryable, organizationId: string, ids: readonly string[]): Promise<ListedSet[]> {
  const { rows } = await sql<Found>`select ${LIST.columns} from screenshot_sets ${LIST.joins}
    where screenshot_sets.organization_id = ${organizationId} and screenshot_sets.id = any(${[...ids]}::uuid[])
    order by ${ORDERS.newest}`.execute(db);
  return withCounts(db, rows);
}

const MORE_COLUMNS = ['screenshot_sets.cancel_requested_at', 'screenshot_sets.retake_of'];

const LIST = {
  table: 'screenshot_sets',
  columns: sql`${sql.join([...SET_COLUMNS, ...MORE_COLUMNS].map((name) => sql.ref(name)))}, campaigns.name as campaign`,
  joins: sql`join campaigns on campaigns.id = screenshot_sets.campaign_id`,
};

/** Equal values are in the other order of their ids if the list is reversed, as in the indexes. */
const ORDERS = {
  newest: sql`screenshot_sets.created_at desc, screenshot_sets.id`,
  oldest: sql`screenshot_sets.created_at, screenshot_sets.id desc`,
};

/** The conditions on `screenshot_sets` except words, sites and devices. */
function isInList(filter: SetFilter): RawBuilder<boolean> {
  const { organizationId, campaignId, status, after, withRounds = false } = filter;
  const isOpen = status !== undefined && !isTerminalSet(status);
  const inStatus =
    withRounds && isOpen
      ? sql`screenshot_sets.id in (select coalesce(original_id, id) from screenshot_sets
          where organization_id = ${organizationId} and status = ${status})`
      : sql`screenshot_sets.status = ${status}`;
  return allOf([
    sql`screenshot_sets.organization_id = ${organizationId}`,
    campaignId === undefined ? undefined : sql`screenshot_sets.campaign_id = ${campaignId}`,
    status === undefined ? undefined : inStatus,
    withRounds ? sql`screenshot_sets.original_id is null` : undefined,
    isInRange(sql`screenshot_sets.created_at`, filter),
    isAfter('screenshot_sets', after),
    hasMetadata('screenshot_sets', filter),
  ]);
}

/** The wanted words, sites and devices; undefined if there are none. */
function wordsOf(filter: SetFilter): Words | undefined {
  const words = searchQuery(filter);
  if (words === undefined) return undefined;
  if (filter.withRounds !== true)
    return {
      matches: sql<boolean>`exists (
        select from set_search where set_search.set_id = screenshot_sets.id and set_search.words @@ ${words})`,
      ids: sql`select set_id as id from set_search where words @@ ${words}`,
    };
  return {
    matches: sql<boolean>`exists (
      select from set_search where set_search.words @@ ${words} and set_search.set_id in (
        select screenshot_sets.id union all select r.id from screenshot_sets r where r.original_id = screenshot_sets.id))`,
    ids: sql`select distinct coalesce(f.original_id, f.id) as id from set_search join screenshot_sets f on f.id = set_id
      where words @@ ${words}`,
  };
}

/** All conditions on `screenshot_sets`. */
export function isWantedSet(filter: SetFilter): RawBuilder<boolean> {
  return allOf([isInList(filter), wordsOf(filter)?.matches]);
}

/** Adds how many screenshots of each set are in which status, and how many are reviewed. */
async function withCounts(db: Queryable, found: readonly Found[]): Promise<ListedSet[]> {
  if (found.length === 0) return [];
  const rows = await db
    .selectFrom('screenshots')
    .select((eb) => ['set_id', 'status', eb.fn.countAll<string>().as('count'), eb.fn.count('decision').as('reviewed')])
    .where(sql<boolean>`set_id = any(${found.map(({ id }) => id)}::uuid[])`)
    .groupBy(['set_id', 'status'])
    .execute();
  const bySet = Map.groupBy(rows, ({ set_id }) => set_id);
  return found.map((set) => {
    const own = bySet.get(set.id) ?? [];
    const counts = Object.fromEntries(own.map(({ status, count }) => [status, Number(count)]));
    return { ...set, counts, reviewed: own.reduce((sum, { reviewed }) => sum + Number(reviewed), 0) };
  });
}

export interface SetPicture {
  readonly token: string;
  readonly width: number;
  readonly height: number;
}

/** The first screenshots of a set, for people who look for it in a list. */
export interface SetPreview {
  readonly pictures: readonly SetPicture[];
  /** As in the request. */
  readonly sites: readonly string[];
  readonly devices: readonly string[];
}

/** Enough to recognize a set. */
const PICTURES = 3;
/** A set may have 10,000 screenshots; a row names only the first sites. */
const SAMPLE = 100;

export async function withPreviews<R extends { readonly id: string }>(
  db: Queryable,
  rows: readonly R[],
): Promise<(R & SetPreview)[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const found = await sql<SetPicture & { set_id: string }>`
    select s.id as set_id, i.token, i.width, i.height
    from unnest(${ids}::uuid[]) as s(id)
    cross join lateral (
      select image_token from screenshots
      where set_id = s.id and image_token is not null order by seq limit ${PICTURES}
    ) t join images i on i.token = t.image_token`.execute(db);
  const pictures = Map.groupBy(found.rows, (row) => row.set_id);
  const { rows: targets } = await sql<{ id: string; sites: string[]; devices: string[] }>`
    select w.id, array_agg(distinct t.site_url) as sites, array_agg(distinct t.device) as devices
    from unnest(${ids}::uuid[]) as w(id)
    cross join lateral (select site_url, device from screenshots where set_id = w.id order by seq limit ${SAMPLE}) t
    group by w.id`.execute(db);
  const targetsOf = new Map(targets.map(({ id, ...rest }) => [id, rest]));
  return rows.map((row) => ({
    sites: [],
    devices: [],
    ...row,
    ...targetsOf.get(row.id),
    pictures: pictures.get(row.id) ?? [],
  }));
}
