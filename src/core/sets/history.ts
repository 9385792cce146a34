/** The history of sets and screenshots after their capture: retakes, and the last review. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Decision } from '../../domain/reviews.ts';

export interface ReviewRow {
  readonly decision: Decision;
  readonly comment: string | null;
  /** Null for a review by a person or by the service itself. */
  readonly key_id: string | null;
  readonly key_name: string | null;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly created_at: Date;
}

export interface History {
  /** The set or screenshot that this one repeats. */
  readonly retake_of: string | null;
  /** The newest one that repeats this one. */
  readonly retaken_by: string | null;
  readonly review: ReviewRow | null;
}

const NO_HISTORY: History = { retake_of: null, retaken_by: null, review: null };

type Row = Omit<History, 'review'> & { readonly id: string } & {
  readonly [K in keyof ReviewRow]: ReviewRow[K] | null;
};

/** @returns the rows with their histories. */
export async function withSetHistory<R extends { readonly id: string }>(
  db: Queryable,
  rows: readonly R[],
): Promise<(R & History)[]> {
  return withHistory(db, rows, {
    table: sql`screenshot_sets`,
    retakes: sql`screenshot_sets r where r.retake_of = s.id order by r.created_at desc`,
    isReviewOf: sql`set_id = s.id and screenshot_id is null`,
  });
}

/** As {@link withSetHistory}, for screenshots. */
export async function withScreenshotHistory<R extends { readonly id: string }>(
  db: Queryable,
  rows: readonly R[],
): Promise<(R & History)[]> {
  return withHistory(db, rows, {
    table: sql`screenshots`,
    retakes: sql`screenshots r join screenshot_sets t on t.id = r.set_id
      where r.retake_of = s.id order by t.created_at desc`,
    isReviewOf: sql`screenshot_id = s.id`,
  });
}

async function withHistory<R extends { readonly id: string }>(
  db: Queryable,
  rows: readonly R[],
  { table, retakes, isReviewOf }: Readonly<Record<'table' | 'retakes' | 'isReviewOf', RawBuilder<unknown>>>,
): Promise<(R & History)[]> {
  if (rows.length === 0) return [];
  const found = await sql<Row>`
    select s.id, s.retake_of, (select r.id from ${retakes}, r.id limit 1) as retaken_by, v.decision, v.comment, v.key_id,
      k.name as key_name, v.user_id, u.name as user_name, v.created_at
    from ${table} s
    left join lateral (select * from reviews where ${isReviewOf} order by id desc limit 1) v on true
    left join api_keys k on k.id = v.key_id
    left join users u on u.id = v.user_id
    where s.id = any(${rows.map(({ id }) => id)}::uuid[])`.execute(db);
  const histories = new Map(found.rows.map((row) => [row.id, historyOf(row)]));
  return rows.map((row) => ({ ...row, ...(histories.get(row.id) ?? NO_HISTORY) }));
}

function historyOf({ id: _, retake_of, retaken_by, decision, created_at, ...review }: Row): History {
  const isReviewed = decision !== null && created_at !== null;
  return { retake_of, retaken_by, review: isReviewed ? { ...review, decision, created_at } : null };
}
