import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage, readSearchPage } from '../../db/listPage.ts';
import type { SetRow } from '../../db/rows.ts';
import type { StatusCounts } from '../../domain/reviewNotes.ts';
import type { ScreenshotStatus } from '../../domain/states.ts';
import { type History, withSetHistory } from '../reviews/reviewQueries.ts';
import { isInSetList, type SetFilter, wordsOfSets } from './setFilter.ts';

export interface ListedSetRow extends SetRow, History {
  readonly counts: StatusCounts;
}

/** Newest first, each with how many of its screenshots are in which status. */
export async function listSets(db: Queryable, filter: SetFilter, page: Page): Promise<ListPage<ListedSetRow>> {
  const { rows, total } = await readSets(db, filter, page);
  const counts = await countScreenshots(
    db,
    rows.map((row) => row.id),
  );
  const listed = rows.map((row) => ({ ...row, counts: counts.get(row.id) ?? {} }));
  return { rows: await withSetHistory(db, listed), total };
}

const COLUMNS = ['id', 'campaign_id', 'status', 'instructions', 'metadata', 'review_notes', 'created_at'] as const;

async function readSets(db: Queryable, filter: SetFilter, page: Page): Promise<ListPage<SetRow>> {
  const words = wordsOfSets(filter);
  const where = isInSetList(filter);
  if (words === undefined) {
    const list = db.selectFrom('screenshot_sets').where(where).select(COLUMNS);
    return readListPage(db, list.orderBy('created_at', 'desc').orderBy('id'), page);
  }
  const columns = sql.join(COLUMNS.map((name) => sql.ref(name)));
  return readSearchPage(db, { table: 'screenshot_sets', columns, where, words, order: sql`created_at desc, id` }, page);
}

/** @returns how many screenshots of each set are in which status. */
export async function countScreenshots(db: Queryable, ids: readonly string[]): Promise<Map<string, StatusCounts>> {
  const counts = new Map<string, Partial<Record<ScreenshotStatus, number>>>();
  if (ids.length === 0) return counts;
  const rows = await db
    .selectFrom('screenshots')
    .select((eb) => ['set_id', 'status', eb.fn.countAll<string>().as('count')])
    .where(sql<boolean>`set_id = any(${[...ids]}::uuid[])`)
    .groupBy(['set_id', 'status'])
    .execute();
  for (const { set_id, status, count } of rows) {
    counts.set(set_id, { ...counts.get(set_id), [status]: Number(count) });
  }
  return counts;
}
