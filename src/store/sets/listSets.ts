import { sql } from 'kysely';
import type { StatusCounts } from '../../domain/reviewNotes.ts';
import type { ScreenshotStatus, SetStatus } from '../../domain/states.ts';
import type { Queryable } from '../database/database.ts';
import { type ListPage, offsetOf, type Page } from '../database/listPage.ts';
import type { SetRow } from '../database/rows.ts';

export interface SetFilter {
  readonly organizationId: string;
  readonly campaignId?: string | undefined;
  readonly status?: SetStatus | undefined;
}

export interface ListedSetRow extends SetRow {
  readonly counts: StatusCounts;
}

/** Newest first, each with how many of its screenshots are in which status. */
export async function listSets(db: Queryable, filter: SetFilter, page: Page): Promise<ListPage<ListedSetRow>> {
  const matching = db
    .selectFrom('screenshot_sets')
    .where('organization_id', '=', filter.organizationId)
    .$if(filter.campaignId !== undefined, (q) => q.where('campaign_id', '=', filter.campaignId ?? ''))
    .$if(filter.status !== undefined, (q) => q.where('status', '=', filter.status ?? 'draft'));
  const { total } = await matching.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .select(['id', 'campaign_id', 'status', 'instructions', 'review_notes', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  const counts = await countScreenshots(
    db,
    rows.map((row) => row.id),
  );
  return { rows: rows.map((row) => ({ ...row, counts: counts.get(row.id) ?? {} })), total: Number(total) };
}

async function countScreenshots(db: Queryable, ids: string[]): Promise<Map<string, StatusCounts>> {
  const counts = new Map<string, Partial<Record<ScreenshotStatus, number>>>();
  if (ids.length === 0) return counts;
  const rows = await db
    .selectFrom('screenshots')
    .select((eb) => ['set_id', 'status', eb.fn.countAll<string>().as('count')])
    .where(sql<boolean>`set_id = any(${ids}::uuid[])`)
    .groupBy(['set_id', 'status'])
    .execute();
  for (const { set_id, status, count } of rows) {
    counts.set(set_id, { ...counts.get(set_id), [status]: Number(count) });
  }
  return counts;
}
