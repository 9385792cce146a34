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
