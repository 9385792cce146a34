/**
 * Answers and comments of clients who have a share link. Everything that a link allows is checked here: a link reaches
 * only the pictures that it shows, and only threads that began through it. An answer changes no decision of a reviewer.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ClientAnswer, ClientComment } from '../../contract/sharing.ts';
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import { conflict, disabledOrganization, type Failure, forbiddenAction, gone, notFound } from '../../domain/failure.ts';
import { ANSWERS_OF_LINK_MAX, COMMENTS_OF_LINK_MAX } from '../../domain/shareLinks.ts';
import { recordEvent } from '../events/recordEvent.ts';
import { recordNotice } from '../journal/recordNotice.ts';
import type { CommentRow } from '../reviews/commentQueries.ts';
import {
  type CommentPlace,
  type CommentText,
  insertComment,
  OPEN,
  readThread,
  tooManyComments,
  unknownThread,
} from '../reviews/comments.ts';
import { readVersionsOf } from '../sets/readVersions.ts';
import { type AnswerRow, answerRecord, readAnswer, setLatestAnswers } from './answerQueries.ts';
import { isUnanswered, readSharedIds, type SharedId } from './sharedPictures.ts';
import { findShareLink, type SharedSet } from './shareLinks.ts';
import { type ShareFault, type ShareKey, shareFault } from './sharePasswords.ts';

/** A client who writes through a link. */
export interface ShareVisit extends ShareKey {
  readonly shareId: string;
  /** The IP address. */
  readonly address: string | null;
}

/**
 * Stores the answer of a client about one picture, or about all that have no answer through the link yet.
 * @throws Failure: 403, 404 or 410 if the link does not allow it, 409 above a limit or without such pictures.
 */
export async function answerShare(tx: Queryable, visit: ShareVisit, answer: ClientAnswer): Promise<AnswerRow> {
  const link = await enter(tx, visit);
  const { organizationId } = link;
  const { place, shown } = await requireShown(tx, link, answer.screenshot_id);
  if ((await countRows(tx, 'share_answers', link)) >= ANSWERS_OF_LINK_MAX) throw tooManyAnswers();
  const about = place.screenshotId === null ? await readSharedIds(tx, link, isUnanswered(link)) : shown;
  if (about.length === 0)
    throw conflict('share', 'has answers for all its pictures. Open a picture to change its answer.');
  const author = clientOf(visit, answer);
  const { comment: body, pin } = answer;
  const comment = body ? await write(tx, { link, place, author }, { body, pin }) : undefined;
  const facts = { by: author.client_name, approved: answer.answer === 'approved' };
  const given = { organization_id: organizationId, share_id: link.id, answer: answer.answer, ...author };
  let id = '';
  // An answer about all pictures of a campaign becomes one for each set. The comment is about the newest set.
  const bySet = [...Map.groupBy(about, ({ own_set }) => own_set)];
  for (const [at, [setId, pictures]] of bySet.entries()) {
    id = randomUUID();
    const commentId = at === bySet.length - 1 ? comment?.id : undefined;
    const subject = { screenshot_id: place.screenshotId, pictures: pictures.length, comment_id: commentId ?? null };
    const row = { id, set_id: setId, ...given, ...subject };
    await tx.insertInto('share_answers').values(row).execute();
    const ids = pictures.map((picture) => picture.id);
    await setLatestAnswers(tx, id, ids);
    const record = answerRecord(await readAnswer(tx, id));
    await recordEvent(tx, { organizationId, setId, topic: 'share.answered' }, async () => JSON.stringify(record));
    await recordNotice(tx, { organizationId, setId, kind: 'client_answered', pictures: pictures.length, facts });
    await notify(tx, { set: setId });
  }
  return readAnswer(tx, id);
}

/**
 * Stores the comment of a client. A reply opens its thread again, because reviewers look at open threads.
 * @throws Failure as {@link answerShare}, and 422 for a pin that cannot be.
 */
export async function commentOnShare(tx: Queryable, visit: ShareVisit, comment: ClientComment): Promise<CommentRow> {
  const link = await enter(tx, visit);
  const { place, shown, versionIds } = await requireShown(tx, link, comment.screenshot_id);
  const { body, pin, reply_to: replyTo } = comment;
  const author = clientOf(visit, comment);
  const row = await write(tx, { link, place, versionIds, author }, { body, pin, replyTo });
  const { organizationId } = link;
  // As for answers, the set is that of the picture, also if a retake shows it.
  const setId = shown.at(-1)?.own_set ?? null;
  await recordNotice(tx, { organizationId, setId, kind: 'client_answered', facts: { by: author.client_name } });
  return row;
}

/** The lock keeps simultaneous requests from exceeding a limit together, and the link from being revoked. */
async function enter(tx: Queryable, visit: ShareVisit): Promise<SharedSet> {
  const link = await findShareLink(tx, visit.shareId, { isLocked: true });
  if (link === undefined) throw notFound('share', 'There is no such share link.');
  const fault = shareFault(link, visit);
  if (fault !== undefined) throw FAILURES[fault]();
  if (!link.answers) throw forbiddenAction('share', 'does not allow answers and comments.');
  return link;
}

const FAILURES: Readonly<Record<ShareFault, () => Failure>> = {
  revoked: () => gone('share', 'The link was revoked.'),
  expired: () => gone('share', 'The link has expired.'),
  disabled: disabledOrganization,
  locked: () => forbiddenAction('share', 'needs its password.'),
};

/** @returns where a comment about these pictures belongs, the pictures, and the versions of a single one. */
async function requireShown(
  tx: Queryable,
  link: SharedSet,
  wanted: string | null | undefined,
): Promise<{ place: CommentPlace; shown: readonly SharedId[]; versionIds?: readonly string[] }> {
  const { organizationId } = link;
  const shown = await readSharedIds(tx, link, wanted ? sql`p.id = ${wanted}::uuid` : undefined);
  if (!wanted) {
    const newest = shown.at(-1);
    if (newest === undefined) throw conflict('share', 'shows no pictures at the moment.');
    return { place: { organizationId, setId: newest.own_set, screenshotId: null }, shown };
  }
  const [version] = shown;
  if (version === undefined) throw notFound('screenshot_id', 'The link shows no such picture.');
  const { id, set_id } = version;
  const versionIds = (await readVersionsOf(tx, id)).map((one) => one.id);
  return { place: { organizationId, setId: set_id, screenshotId: id }, shown, versionIds };
}

type Author = ReturnType<typeof clientOf>;

const clientOf = ({ address }: ShareVisit, { name, email }: Pick<ClientAnswer, 'name' | 'email'>) => ({
  client_name: name.trim(),
  client_email: email,
  client_address: address,
});

interface Writing {
  readonly link: SharedSet;
  readonly place: CommentPlace;
  readonly versionIds?: readonly string[] | undefined;
  readonly author: Author;
}

/** A reply stays with the version that its thread is about. */
async function write(
  tx: Queryable,
  { link, place, versionIds, author: client }: Writing,
  text: CommentText,
): Promise<CommentRow> {
  if ((await countRows(tx, 'comments', link)) >= COMMENTS_OF_LINK_MAX) throw tooManyComments(COMMENTS_OF_LINK_MAX);
  const author = { share_id: link.id, ...client };
  if (!text.replyTo) return insertComment(tx, place, { text, author });
  const thread = await readThread(tx, text.replyTo, place, versionIds);
  if (thread?.share_id !== link.id) throw unknownThread();
  await tx.updateTable('comments').set(OPEN).where('id', '=', thread.id).execute();
  const itsPlace = { ...place, setId: thread.set_id, screenshotId: thread.screenshot_id };
  return insertComment(tx, itsPlace, { text, author });
}

async function countRows(tx: Queryable, table: 'comments' | 'share_answers', { id }: SharedSet): Promise<number> {
  const count = sql<number>`count(*)::integer`.as('count');
  return (await tx.selectFrom(table).select(count).where('share_id', '=', id).executeTakeFirstOrThrow()).count;
}

function tooManyAnswers() {
  const most = ANSWERS_OF_LINK_MAX.toLocaleString('en');
  return conflict('share', `has ${most} answers already. Ask the sender for a new link.`);
}
