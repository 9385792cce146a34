import type { z } from 'zod';
import { CommentChange, CommentRecord, NewComment, ThreadRecord } from '../../../contract/comments.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { commentRecord, listThreads, threadRecord } from '../../../core/reviews/commentQueries.ts';
import { addComment, deleteComment, resolveThread } from '../../../core/reviews/comments.ts';
import { readScreenshot } from '../../../core/sets/readScreenshots.ts';
import { readSetRow } from '../../../core/sets/readSet.ts';
import type { Queryable } from '../../../db/database.ts';
import { unknownId } from '../../../domain/failure.ts';
import { jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer, rangeOf } from '../listAnswer.ts';
import { changes, jsonBody, list, removes, removing, route } from './operation.ts';

export const commentRoutes: readonly Route[] = [
  listing({
    ...{ path: '/screenshots/{id}/comments', operationId: 'listCommentsOfScreenshot' },
    summary: 'List the threads about a screenshot',
    subject: async (db, { organizationId, id: screenshotId }) => {
      const found = await readScreenshot(db, { organizationId, screenshotId });
      return found && { setIds: [found.set_id], screenshotId };
    },
  }),
  writing({
    ...{ path: '/screenshots/{id}/comments', operationId: 'commentOnScreenshot', summary: 'Comment on a screenshot' },
    example: { body: 'The logo is cut off here.', pin: { x: 0.42, y: 0.8 } },
    subject: (screenshotId) => ({ screenshotId }),
  }),
  listing({
    ...{ path: '/screenshot_sets/{id}/comments', operationId: 'listCommentsOfSet' },
    summary: 'List the threads about a set and its screenshots',
    subject: async (db, ref) => (await readSetRow(db, ref)) && { setIds: [ref.id] },
  }),
  writing({
    ...{ path: '/screenshot_sets/{id}/comments', operationId: 'commentOnSet', summary: 'Comment on a set' },
    example: { body: 'Please check the sport pages again.' },
    subject: (setId) => ({ setId }),
  }),
  route('patch /comments/{id}', 'write', {
    operationId: 'resolveComment',
    summary: 'Resolve a thread, or reopen it',
    description: 'The id is that of the first comment of the thread.',
    body: jsonBody(CommentChange, { resolved: true }),
    answer: CommentRecord,
    failures: [409, 410],
    handler: changes(
      (tx, call) => resolveThread(tx, { ...refOf(call), resolved: call.input.resolved }, call.actor),
      commentRecord,
    ),
  }),
  route('delete /comments/{id}', 'write', {
    ...removing('deleteComment', 'comment', 'Only one that this key or a client wrote, and that has no replies.'),
    handler: removes((tx, call) => deleteComment(tx, refOf(call), call.actor)),
  }),
];

interface Texts {
  readonly path: `/${string}`;
  readonly operationId: string;
  readonly summary: string;
}

interface Listing extends Texts {
  /** @returns undefined if the organization has no such object. */
  subject(
    db: Queryable,
    ref: ReturnType<typeof refOf>,
  ): Promise<{ setIds: string[]; screenshotId?: string } | undefined>;
}

function listing({ path, operationId, summary, subject }: Listing): Route {
  return route(`get ${path}`, 'read', {
    ...list(operationId, summary, ListQuery, ThreadRecord),
    description: 'Newest first, each with all its replies.',
    handler: async (call, { store: { db } }) => {
      const found = await subject(db, refOf(call));
      if (found === undefined) throw unknownId();
      const filter = { ...rangeOf(call), ...found };
      return listAnswer(call.query, (page) => listThreads(db, filter, page), threadRecord);
    },
  });
}

interface Writing extends Texts {
  readonly example: z.input<typeof NewComment>;
  subject(id: string): { readonly screenshotId: string } | { readonly setId: string };
}

function writing({ path, operationId, summary, example, subject }: Writing): Route {
  return route(`post ${path}`, 'write', {
    ...{ operationId, summary },
    description: 'A reply names the first comment of its thread.',
    idempotent: true,
    body: jsonBody(NewComment, example),
    status: 201,
    answer: CommentRecord,
    failures: [409],
    handler: (call, { store }) => {
      const { id, organizationId } = refOf(call);
      const { body, pin, reply_to: replyTo } = call.input;
      const [text, where] = [
        { body, pin, replyTo },
        { organizationId, ...subject(id) },
      ];
      return answerOnce(store.db, { call, endpoint: path.slice(1).replace('{id}', id) }, async (tx) =>
        jsonResponse(201, commentRecord(await addComment(tx, where, { text, actor: call.actor }))),
      );
    },
  });
}
