/** Answers of clients: their rows, and their JSON. */
import { sql } from 'kysely';
import { recordOf } from '../../contract/recordOf.ts';
import { ShareAnswerRecord } from '../../contract/sharing.ts';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { Row } from '../../db/rows.ts';

export interface AnswerRow extends Row<'share_answers'> {
  /** The label of the link. */
  readonly label: string;
  /** The text of the comment. */
  readonly comment: string | null;
}

const answers = (db: Queryable) =>
  db
    .selectFrom('share_answers')
    .innerJoin('share_links as l', 'l.id', 'share_answers.share_id')
    .leftJoin('comments as c', 'c.id', 'share_answers.comment_id')
    .selectAll('share_answers')
    .select(['l.label', 'c.body as comment']);

/** The answers of clients about a set, newest first. */
export async function answersOfSet(
  db: Queryable,
  filter: TimeRange & { readonly setId: string },
  page: Page,
): Promise<ListPage<AnswerRow>> {
  const matching = answers(db)
    .where('share_answers.set_id', '=', filter.setId)
    .where(isInRange(sql`share_answers.created_at`, filter))
    .orderBy('share_answers.created_at', 'desc')
    .orderBy('share_answers.id');
  return readListPage(db, matching, page);
}

export async function readAnswer(db: Queryable, id: string): Promise<AnswerRow> {
  return answers(db).where('share_answers.id', '=', id).executeTakeFirstOrThrow();
}

export interface OpenChange {
  /** The set that was shared first, before its retakes. */
  readonly set_id: string;
  readonly pictures: number;
  /** The name and the comment are those of the newest answer. */
  readonly client_name: string;
  readonly comment: string | null;
  readonly at: Date;
}

/** Older requests for changes are no news. */
const OPEN_DAYS = 30;

/**
 * @returns the sets for which clients ask for changes that nobody has made yet, the newest first. A change is made when its
 *   thread is resolved, when a retake of the picture is requested, or when a newer answer follows.
 */
export async function readOpenChanges(db: Queryable, organizationId: string, most: number): Promise<OpenChange[]> {
  const { rows } = await sql<OpenChange>`
    select coalesce(t.original_id, t.id) as set_id, count(*)::integer as pictures, max(a.created_at) as at,
      (array_agg(a.client_name order by a.created_at desc))[1] as client_name,
      (array_agg(c.body order by a.created_at desc))[1] as comment
    from share_answers a
    join latest_answers l on l.answer_id = a.id
    join screenshots s on s.id = l.screenshot_id
    join screenshot_sets t on t.id = s.set_id
    left join comments c on c.id = a.comment_id
    where a.organization_id = ${organizationId} and a.answer = 'changes_requested'
      and a.created_at > now() - make_interval(days => ${OPEN_DAYS}) and c.resolved_at is null
      and not exists (
        select from screenshots v join screenshot_sets f on f.id = v.set_id
        where v.original_id = coalesce(s.original_id, s.id) and f.created_at > t.created_at and v.status in ('pending', 'uploaded'))
    group by coalesce(t.original_id, t.id)
    order by max(a.created_at) desc, 1 limit ${most}`.execute(db);
  return rows;
}

/** @returns the newest answer about each of these screenshots, by their ids. */
export async function latestAnswers(db: Queryable, screenshotIds: readonly string[]): Promise<Map<string, AnswerRow>> {
  const rows = await answers(db)
    .innerJoin('latest_answers', 'latest_answers.answer_id', 'share_answers.id')
    .select('latest_answers.screenshot_id as picture')
    .where(sql<boolean>`latest_answers.screenshot_id = any(${[...screenshotIds]}::uuid[])`)
    .execute();
  return new Map(rows.map(({ picture, ...row }) => [picture, row]));
}

/** Locks the rows in the order of their ids, so that two transactions never wait for each other. */
export async function setLatestAnswers(tx: Queryable, answerId: string, screenshotIds: readonly string[]) {
  await sql`
    insert into latest_answers (screenshot_id, answer_id)
    select id, ${answerId}::uuid from unnest(${screenshotIds}::uuid[]) as id order by id
    on conflict (screenshot_id) do update set answer_id = excluded.answer_id`.execute(tx);
}

/** As the API lists it, and `data.object` of its event. */
export function answerRecord(row: AnswerRow): ShareAnswerRecord {
  return recordOf(ShareAnswerRecord, row, {
    screenshot_set_id: row.set_id,
    share: { id: row.share_id, label: row.label },
    client: { name: row.client_name, email: row.client_email, ip_address: row.client_address },
  });
}
