/** A set and its retakes, which people see as the rounds of one set. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { ListPage, Page } from '../../db/list.ts';
import { isTerminalSet, type ScreenshotStatus, type SetStatus, statusOfRounds } from '../../domain/states.ts';
import { type ListedSet, listSets, readSets, type SetFilter } from './listSets.ts';
import { newestVersions } from './shownVersions.ts';

/** The status and the counts are those of all rounds together: each screenshot counts in the version that people see. */
export interface SetOfRounds extends ListedSet {
  /** 1 without retakes. */
  readonly rounds: number;
  readonly retakeIds: readonly string[];
  /** Whether a reviewer decided about the set, not the rule of the organization. */
  readonly isReviewed: boolean;
}

interface Family {
  readonly id: string;
  readonly rounds: number;
  readonly retake_ids: readonly string[];
  readonly statuses: readonly SetStatus[];
  readonly is_reviewed: boolean;
}

/** As `listSets`, without retakes. */
export async function listRounds(db: Queryable, filter: SetFilter, page: Page): Promise<ListPage<SetOfRounds>> {
  const { rows, total } = await listSets(db, { ...filter, withRounds: true }, page);
  return { rows: await withRounds(db, rows), total };
}

/** As `readSets`, with the rounds of each. */
export async function readRounds(
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<SetOfRounds[]> {
  return withRounds(db, await readSets(db, organizationId, ids));
}

async function withRounds(db: Queryable, sets: readonly ListedSet[]): Promise<SetOfRounds[]> {
  if (sets.length === 0) return [];
  const { rows } = await sql<Family>`
    select t.id, coalesce(max(r.round), 1) as rounds, coalesce(array_agg(r.id) filter (where r.id is not null), '{}') as retake_ids,
      coalesce(array_agg(r.status) filter (where r.id is not null), '{}') as statuses,
      exists (select from reviews where set_id = t.id and screenshot_id is null and decision = t.status) as is_reviewed
    from screenshot_sets t left join screenshot_sets r on r.original_id = t.id
    where t.id = any(${sets.map(({ id }) => id)}::uuid[])
    group by t.id`.execute(db);
  const families = new Map(rows.map((row) => [row.id, row]));
  const retaken = rows.filter(({ retake_ids }) => retake_ids.length > 0).map(({ id }) => id);
  const counts = await countShown(db, retaken);
  return sets.map((set) => {
    const {
      rounds = 1,
      retake_ids: retakeIds = [],
      statuses = [],
      is_reviewed: isReviewed = false,
    } = families.get(set.id) ?? {};
    const status = statusOfRounds(set.status, statuses);
    const cancel_requested_at = isTerminalSet(set.status) ? null : set.cancel_requested_at;
    return { ...set, ...counts.get(set.id), status, cancel_requested_at, rounds, retakeIds, isReviewed };
  });
}

/** Counts the version of each screenshot that people see. */
async function countShown(
  db: Queryable,
  setIds: readonly string[],
): Promise<Map<string, Pick<ListedSet, 'counts' | 'reviewed'>>> {
  if (setIds.length === 0) return new Map();
  const { rows } = await sql<{ set_id: string; status: ScreenshotStatus; count: number; reviewed: number }>`
    with ${newestVersions(sql`screenshot_sets.id = any(${setIds}::uuid[])`, false)}
    select own_set as set_id, status, count(*)::integer as count, count(decision)::integer as reviewed
    from newest group by own_set, status`.execute(db);
  const bySet = Map.groupBy(rows, ({ set_id }) => set_id);
  return new Map(
    [...bySet].map(([id, found]) => [
      id,
      {
        counts: Object.fromEntries(found.map(({ status, count }) => [status, count])),
        reviewed: found.reduce((sum, { reviewed }) => sum + reviewed, 0),
      },
    ]),
  );
}
