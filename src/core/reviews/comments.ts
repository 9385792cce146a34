/** Comments in threads on pictures and sets. Keys of the organization write them, and clients with a share link. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { conflict, forbiddenAction, invalid, notFound, unknownId } from '../../domain/failure.ts';
import { COMMENTS_OF_PICTURE_MAX, type Pin } from '../../domain/reviews.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { lockScreenshot } from '../sets/readScreenshots.ts';
import { lockSet } from '../sets/setStatus.ts';
import { type CommentRow, comments } from './commentQueries.ts';

/** The subject of a comment. */
export interface CommentPlace {
  readonly organizationId: string;
  readonly setId: string;
  /** Null: the set as a whole. */
  readonly screenshotId: string | null;
}

export interface CommentText {
  readonly body: string;
  readonly pin?: Pin | null | undefined;
  /** The first comment of the thread. */
  readonly replyTo?: string | null | undefined;
}

type Author = Partial<
  Pick<Row<'comments'>, 'key_id' | 'user_id' | 'share_id' | 'client_name' | 'client_email' | 'client_address'>
>;

/** @throws Failure: 404 for an unknown screenshot, set or thread, 422 for a pin that cannot be, 409 above the limit. */
export async function addComment(
  tx: Queryable,
  subject: { readonly organizationId: string } & ({ readonly screenshotId: string } | { readonly setId: string }),
  { text, actor }: { readonly text: CommentText; readonly actor: Actor },
): Promise<CommentRow> {
  const place = await lockPlace(tx, subject);
  if ((await countOwnComments(tx, place)) >= COMMENTS_OF_PICTURE_MAX) throw tooManyComments(COMMENTS_OF_PICTURE_MAX);
  if (text.replyTo && (await readThread(tx, text.replyTo, place)) === undefined) throw unknownThread();
  return insertComment(tx, place, { text, author: { key_id: actor.keyId, user_id: actor.userId } });
}

/** The lock keeps simultaneous requests from exceeding the limit together. */
async function lockPlace(
  tx: Queryable,
  {
    organizationId,
    ...of
  }: { readonly organizationId: string; readonly screenshotId?: string; readonly setId?: string },
): Promise<CommentPlace> {
  if (of.screenshotId === undefined) {
    const setId = of.setId ?? '';
    if ((await lockSet(tx, { organizationId, setId })) === undefined) throw unknownId();
    return { organizationId, setId, screenshotId: null };
  }
  const found = await lockScreenshot(tx, { organizationId, screenshotId: of.screenshotId });
  if (found === undefined) throw unknownId();
  return { organizationId, setId: found.set_id, screenshotId: of.screenshotId };
}

const isAt = ({ setId, screenshotId }: CommentPlace) =>
  sql<boolean>`set_id = ${setId} and screenshot_id is not distinct from ${screenshotId}::uuid`;

async function countOwnComments(tx: Queryable, place: CommentPlace): Promise<number> {
  const { count } = await tx
    .selectFrom('comments')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where(isAt(place))
    .where('share_id', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

export function tooManyComments(most: number) {
  return conflict('body', `cannot be stored: there are ${most.toLocaleString('en')} comments already.`);
}

export const unknownThread = () => notFound('reply_to', 'There is no thread here that begins with this comment.');

/** @param versions of the screenshot whose threads count. @returns the first comment of a thread at this place. */
export async function readThread(
  tx: Queryable,
  id: string,
  place: CommentPlace,
  versions: readonly (string | null)[] = [place.screenshotId],
): Promise<Pick<Row<'comments'>, 'id' | 'share_id' | 'set_id' | 'screenshot_id'> | undefined> {
  const isOfVersion = sql<boolean>`screenshot_id = any(${[...versions]}::uuid[])`;
  return tx
    .selectFrom('comments')
    .select(['id', 'share_id', 'set_id', 'screenshot_id'])
    .where('id', '=', id)
    .where('thread_id', 'is', null)
    .where(place.screenshotId === null ? isAt(place) : isOfVersion)
    .executeTakeFirst();
}

/** @throws Failure (422) for a pin of a reply or without a picture. */
export async function insertComment(
  tx: Queryable,
  { organizationId, setId, screenshotId }: CommentPlace,
  { text, author }: { readonly text: CommentText; readonly author: Author },
): Promise<CommentRow> {
  const { body, pin = null, replyTo = null } = text;
  if (pin !== null && (replyTo !== null || screenshotId === null))
    throw invalid({ pin: ['must be left out: only the first comment on a picture has one.'] });
  const id = randomUUID();
  const place = { id, organization_id: organizationId, set_id: setId, screenshot_id: screenshotId, thread_id: replyTo };
  const values = { ...place, body: body.trim(), pin_x: pin?.x ?? null, pin_y: pin?.y ?? null, ...author };
  await tx.insertInto('comments').values(values).execute();
  await notify(tx, { set: setId });
  return requireComment(tx, { organizationId, id });
}

/** Locks the comment until the transaction ends. @throws Failure (404) */
async function requireComment(tx: Queryable, { organizationId, id }: ObjectRef): Promise<CommentRow> {
  const found = comments(tx).where('comments.id', '=', id).where('comments.organization_id', '=', organizationId);
  const row = await found.forUpdate('comments').executeTakeFirst();
  if (row === undefined) throw unknownId();
  return row;
}

/** Resolves a thread or opens it again. @throws Failure: 404, and 409 for a reply. */
export async function resolveThread(
  tx: Queryable,
  ref: ObjectRef & { readonly resolved: boolean },
  actor: Pick<Actor, 'keyId' | 'userId'>,
): Promise<CommentRow> {
  const row = await requireComment(tx, ref);
  if (row.thread_id !== null) throw conflict('resolved', `cannot change in a reply: change comment ${row.thread_id}.`);
  if ((row.resolved_at !== null) === ref.resolved) return row;
  const by = { resolved_by: actor.keyId, resolved_by_user: actor.userId };
  const change = ref.resolved ? { resolved_at: sql<Date>`now()`, ...by } : OPEN;
  await tx.updateTable('comments').set(change).where('id', '=', ref.id).execute();
  await notify(tx, { set: row.set_id });
  return requireComment(tx, ref);
}

export const OPEN = { resolved_at: null, resolved_by: null, resolved_by_user: null };

/** Whether the key or person wrote the comment, or a client did. */
export function mayDelete(
  row: Pick<CommentRow, 'key_id' | 'user_id' | 'share_id'>,
  by: Pick<Actor, 'keyId' | 'userId'>,
) {
  return row.share_id !== null || (row.user_id === null ? row.key_id === by.keyId : row.user_id === by.userId);
}

/**
 * Deletes a comment that this key or person, or a client, wrote.
 * @throws Failure: 404, 403 for a comment of another key or person, 409 for one with replies.
 */
export async function deleteComment(tx: Queryable, ref: ObjectRef, actor: Actor): Promise<void> {
  const row = await requireComment(tx, ref);
  if (!mayDelete(row, actor))
    throw forbiddenAction('id', 'is the id of a comment that another key or person wrote. Only they can delete it.');
  const replies = tx.selectFrom('comments').select('id').where('thread_id', '=', ref.id).limit(1);
  if ((await replies.executeTakeFirst()) !== undefined)
    throw conflict('id', 'is the id of a comment with replies: resolve its thread, or delete the replies first.');
  await tx.deleteFrom('comments').where('id', '=', ref.id).execute();
  await recordAction(tx, actor, { action: 'comment.deleted', of: ref });
  await notify(tx, { set: row.set_id });
}
