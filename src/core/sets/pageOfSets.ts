/** One list page of sets, with what its rows show. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type KeysetPage, type KeysetRows, readKeyset } from '../../db/keyset.ts';
import type { StatusCounts } from '../../domain/reviewNotes.ts';
import type { SetStatus } from '../../domain/states.ts';
import { countScreenshots } from './listSets.ts';
import { readFirstPictures, type SetPicture } from './readScreenshots.ts';
import { isInSetList, isWantedSet, type SetFilter, wordsOfSets } from './setFilter.ts';

export interface SetHeadline {
  readonly id: string;
  readonly campaign_id: string;
  readonly campaign: string;
  readonly status: SetStatus;
  readonly created_at: Date;
  readonly cancel_requested_at: Date | null;
  readonly retake_of: string | null;
}

export interface SetListRow extends SetHeadline {
  readonly counts: StatusCounts;
  readonly pictures: readonly SetPicture[];
  readonly targets: SetTargets;
}

/** The sites and devices of the first screenshots. */
export interface SetTargets {
  /** As in the request. */
  readonly sites: readonly string[];
  readonly devices: readonly string[];
}

export interface SetListOptions {
  readonly direction: 'asc' | 'desc';
  readonly page: KeysetPage;
  /** How many pictures of each set. */
  readonly pictures: number;
}

/** Enough to recognize a set. */
const PICTURES = 3;

/** By the time of the request. */
export async function pageOfSets(
  db: Queryable,
  filter: SetFilter,
  { direction, page, pictures }: SetListOptions,
): Promise<KeysetRows<SetListRow>> {
  const found = await readKeyset<SetHeadline>(
    db,
    {
      ...SET_QUERY,
      where: isInSetList(filter),
      words: wordsOfSets(filter),
      sort: { column: CREATED, type: 'time', direction },
    },
    page,
  );
  return { ...found, rows: await withContent(db, found.rows, pictures) };
}

const CREATED = sql`screenshot_sets.created_at`;
const SET_QUERY = {
  table: 'screenshot_sets',
  columns: sql`screenshot_sets.id, screenshot_sets.campaign_id, campaigns.name as campaign, screenshot_sets.status,
    screenshot_sets.created_at, screenshot_sets.cancel_requested_at, screenshot_sets.retake_of`,
  joins: sql`join campaigns on campaigns.id = screenshot_sets.campaign_id`,
};

/** The sets with these ids that belong to the organization, newest first. */
export async function readSetHeadlines(
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<SetListRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<SetHeadline>`select ${SET_QUERY.columns} from screenshot_sets ${SET_QUERY.joins}
    where screenshot_sets.organization_id = ${organizationId} and screenshot_sets.id = any(${[...ids]}::uuid[])
    order by ${CREATED} desc, screenshot_sets.id`.execute(db);
  return withContent(db, rows, PICTURES);
}

async function withContent<Row extends SetHeadline>(db: Queryable, rows: readonly Row[], pictures: number) {
  const ids = rows.map(({ id }) => id);
  const [counts, first, targets] = await Promise.all([
    countScreenshots(db, ids),
    pictures === 0 ? new Map<string, SetPicture[]>() : readFirstPictures(db, ids, pictures),
    readTargets(db, ids),
  ]);
  return rows.map((row) => ({
    ...row,
    counts: counts.get(row.id) ?? {},
    pictures: first.get(row.id) ?? [],
    targets: targets.get(row.id) ?? { sites: [], devices: [] },
  }));
}

/** A set may have 10,000 screenshots; a row names only the first sites. */
const SAMPLE = 100;

async function readTargets(db: Queryable, ids: readonly string[]): Promise<Map<string, SetTargets>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<SetTargets & { id: string }>`
    select w.id, array_agg(distinct t.site_url) as sites, array_agg(distinct t.device) as devices
    from unnest(${[...ids]}::uuid[]) as w(id)
    cross join lateral (select site_url, device from screenshots where set_id = w.id order by seq limit ${SAMPLE}) t
    group by w.id`.execute(db);
  return new Map(rows.map(({ id, ...targets }) => [id, targets]));
}

/** How many wanted sets are newer than this moment, at most `most`. @param since as in the place of a row. */
export async function countNewerSets(
  db: Queryable,
  filter: SetFilter,
  { since, most }: { since: string; most: number },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`/* planned each time */
    select count(*)::integer as count from (
      select from screenshot_sets where ${isWantedSet(filter)} and ${CREATED} > ${since}::timestamptz limit ${most}) as newer`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
