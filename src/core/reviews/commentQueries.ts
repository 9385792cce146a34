/** Comments in threads: their rows, and their JSON. */
import { type RawBuilder, sql } from 'kysely';
import { CommentRecord, type ThreadRecord } from '../../contract/comments.ts';
import { recordOf } from '../../contract/recordOf.ts';
import { keyReference, userReference } from '../../contract/records.ts';
import { isInRange, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { Row } from '../../db/rows.ts';
import { type Owner, setsOf } from '../sets/shownVersions.ts';

export interface CommentRow extends Row<'comments'> {
  readonly key_name: string | null;
  readonly user_name: string | null;
  readonly resolver_name: string | null;
  readonly resolving_user: string | null;
}

export interface Thread extends CommentRow {
  /** Oldest first. */
  readonly replies: readonly CommentRow[];
}

/** Comments with the names of keys and people. */
export const comments = (db: Queryable) =>
  db
    .selectFrom('comments')
    .leftJoin('api_keys as author', 'author.id', 'comments.key_id')
    .leftJoin('users as person', 'person.id', 'comments.user_id')
    .leftJoin('api_keys as resolver', 'resolver.id', 'comments.resolved_by')
    .leftJoin('users as solver', 'solver.id', 'comments.resolved_by_user')
    .selectAll('comments')
    .select(['author.name as key_name', 'person.name as user_name'])
    .select(['resolver.name as resolver_name', 'solver.name as resolving_user']);

interface ThreadFilter extends TimeRange {
  readonly setIds: readonly string[];
  /** Only threads about this screenshot. */
  readonly screenshotId?: string | undefined;
}

/** A page of the threads of sets, newest first. */
export async function listThreads(db: Queryable, filter: ThreadFilter, page: Page): Promise<ListPage<Thread>> {
  const { setIds, screenshotId } = filter;
  const first = comments(db)
    .where('comments.set_id', 'in', setIds)
    .where('comments.thread_id', 'is', null)
    .$if(screenshotId !== undefined, (q) => q.where('comments.screenshot_id', '=', screenshotId ?? ''))
    .where(isInRange(sql`comments.created_at`, filter))
    .orderBy('comments.created_at', 'desc')
    .orderBy('comments.id');
  const { rows, total } = await readListPage(db, first, page);
  const ids = rows.map(({ id }) => id);
  const replies = await readComments(db, sql`comments.thread_id = any(${ids}::uuid[])`);
  return { rows: joinReplies(rows, replies), total };
}

interface ThreadChoice {
  /** Also the threads about the set or the sets as a whole, under the key null. */
  readonly owner?: Owner;
  /** Only threads that clients with this share link began. */
  readonly shareId?: string;
}

/** All threads about these screenshots, oldest first, by the ids of the screenshots. */
export async function threadsOfScreenshots(
  db: Queryable,
  screenshotIds: readonly string[],
  { owner, shareId }: ThreadChoice = {},
): Promise<Map<string | null, Thread[]>> {
  const isOfSet = owner
    ? sql`comments.set_id in (select id from screenshot_sets where ${setsOf(owner)}) and comments.screenshot_id is null`
    : sql`false`;
  const rows = await readComments(db, sql`comments.screenshot_id = any(${[...screenshotIds]}::uuid[]) or ${isOfSet}`);
  const first = rows.filter((row) => row.thread_id === null && (shareId === undefined || row.share_id === shareId));
  return Map.groupBy(joinReplies(first, rows), ({ screenshot_id }) => screenshot_id);
}

/** @returns the numbers of open threads by the ids of the screenshots; none for a screenshot without one. */
export async function countOpenThreads(db: Queryable, screenshotIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select screenshot_id as id, count(*)::integer as count from comments
    where screenshot_id = any(${[...screenshotIds]}::uuid[]) and thread_id is null and resolved_at is null
    group by screenshot_id`.execute(db);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

async function readComments(db: Queryable, where: RawBuilder<unknown>): Promise<CommentRow[]> {
  const rows = comments(db).where(sql<boolean>`${where}`);
  return rows.orderBy('comments.created_at').orderBy('comments.id').execute();
}

function joinReplies(first: readonly CommentRow[], all: readonly CommentRow[]): Thread[] {
  const replies = Map.groupBy(all, ({ thread_id }) => thread_id);
  return first.map((row) => ({ ...row, replies: replies.get(row.id) ?? [] }));
}

export function commentRecord(row: CommentRow): CommentRecord {
  const { share_id, client_name, client_email, client_address, pin_x, pin_y } = row;
  const client = { name: client_name ?? '', email: client_email ?? '', ip_address: client_address };
  return recordOf(CommentRecord, row, {
    screenshot_set_id: row.set_id,
    reply_to: row.thread_id,
    pin: pin_x === null || pin_y === null ? null : { x: pin_x, y: pin_y },
    author: {
      key: keyReference(row.key_id, row.key_name),
      user: userReference(row.user_id, row.user_name),
      client: share_id === null ? null : { ...client, share_id },
    },
    resolved: row.resolved_at !== null,
    resolved_by: keyReference(row.resolved_by, row.resolver_name),
    resolved_by_user: userReference(row.resolved_by_user, row.resolving_user),
  });
}

export const threadRecord = (row: Thread): ThreadRecord => ({
  ...commentRecord(row),
  replies: row.replies.map(commentRecord),
});
