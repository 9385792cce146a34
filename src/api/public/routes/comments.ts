import type { z } from 'zod';
import { CommentChange, CommentRecord, NewComment, ThreadRecord } from '../../../contract/comments.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { commentRecord, listThreads, threadRecord } from '../../../core/reviews/commentQueries.ts';
import { addComment, deleteComment, resolveThread } from '../../../core/reviews/comments.ts';
import { readScreenshot } from '../../../core/sets/readScreenshots.ts';
import { readSetRow } from '../../../core/sets/readSet.ts';
import { unknownId } from '../../../domain/failure.ts';
import { COST } from '../../limits/costs.ts';
import { type Call, idOf, jsonResponse, NO_CONTENT, type Route, readOrFail, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer, readQuery } from '../listAnswer.ts';
import type { Services } from '../services.ts';
import { BODY_FAILURES, idempotent, jsonBody, list, removing, responses, withId } from './operation.ts';

const REPLY = 'A reply names the first comment of its thread.';

export const commentRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/screenshots/{id}/comments',
    scope: 'read',
    cost: COST.list,
    operation: listing('listCommentsOfScreenshot', 'List the threads about a screenshot', 'screenshot'),
    handler: async (call, { store: { db } }) => {
      const { organizationId } = call;
      const screenshotId = idOf(call.request);
      const found = await readScreenshot(db, { organizationId, screenshotId });
      if (found === undefined) throw unknownId();
      return threads(call, db, { setId: found.set_id, screenshotId });
    },
  },
  {
    method: 'post',
    path: '/screenshots/{id}/comments',
    scope: 'write',
    operation: writing('commentOnScreenshot', 'Comment on a screenshot', 'screenshot', {
      body: 'The logo is cut off here.',
      pin: { x: 0.42, y: 0.8 },
    }),
    handler: (call, services) => write(call, services, { screenshotId: idOf(call.request) }),
  },
  {
    method: 'get',
    path: '/screenshot_sets/{id}/comments',
    scope: 'read',
    cost: COST.list,
    operation: listing('listCommentsOfSet', 'List the threads about a set and its screenshots', 'set'),
    handler: async (call, { store: { db } }) => {
      const ref = refOf(call);
      if ((await readSetRow(db, ref)) === undefined) throw unknownId();
      return threads(call, db, { setId: ref.id });
    },
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/comments',
    scope: 'write',
    operation: writing('commentOnSet', 'Comment on a set', 'set', { body: 'Please check the sport pages again.' }),
    handler: (call, services) => write(call, services, { setId: idOf(call.request) }),
  },
  {
    method: 'patch',
    path: '/comments/{id}',
    scope: 'write',
    operation: {
      operationId: 'resolveComment',
      summary: 'Resolve a thread, or open it again',
      description: `The id is that of the first comment of the thread. ${OURS}`,
      tags: ['Reviewing'],
      requestParams: { path: withId('comment') },
      requestBody: jsonBody(CommentChange, { resolved: true }),
      responses: responses(200, CommentRecord, [...BODY_FAILURES, 409, 410]),
    },
    handler: async (call, { store }) => {
      const { resolved } = readOrFail(CommentChange, call.body.value);
      const row = await store.db
        .transaction()
        .execute((tx) => resolveThread(tx, { ...refOf(call), resolved }, call.actor));
      return jsonResponse(200, commentRecord(row));
    },
  },
  {
    method: 'delete',
    path: '/comments/{id}',
    scope: 'write',
    operation: {
      ...removing('deleteComment', 'comment', 'Only one that this key or a client wrote, and that has no replies.'),
      tags: ['Reviewing'],
    },
    handler: async (call, { store }) => {
      await store.db.transaction().execute((tx) => deleteComment(tx, refOf(call), call.actor));
      return NO_CONTENT;
    },
  },
];

function listing(operationId: string, summary: string, what: string): Route['operation'] {
  return {
    ...list(operationId, summary, ListQuery, ThreadRecord),
    description: `Newest first, each with all its replies. ${OURS}`,
    tags: ['Reviewing'],
    requestParams: { path: withId(what), query: ListQuery },
  };
}

function writing(operationId: string, summary: string, what: string, example: z.input<typeof NewComment>) {
  return {
    operationId,
    summary,
    description: `${REPLY} ${OURS}`,
    tags: ['Reviewing'],
    requestParams: { path: withId(what), header: idempotent },
    requestBody: jsonBody(NewComment, example),
    responses: responses(201, CommentRecord, [...BODY_FAILURES, 409]),
  };
}

async function threads(
  call: Call,
  db: Services['store']['db'],
  subject: { readonly setId: string; readonly screenshotId?: string },
) {
  const query = readQuery(ListQuery, call);
  const { setId, screenshotId } = subject;
  const filter = { setIds: [setId], screenshotId, from: query.from, to: query.to };
  return listAnswer(query, (page) => listThreads(db, filter, page), threadRecord);
}

function write(
  call: Call,
  { store }: Services,
  subject: { readonly screenshotId: string } | { readonly setId: string },
) {
  const { organizationId, actor } = call;
  const { body, pin, reply_to: replyTo } = readOrFail(NewComment, call.body.value);
  const endpoint = 'setId' in subject ? `screenshot_sets/${subject.setId}` : `screenshots/${subject.screenshotId}`;
  return answerOnce(store.db, { call, endpoint: `${endpoint}/comments` }, async (tx) => {
    const text = { body, pin, replyTo };
    return jsonResponse(201, commentRecord(await addComment(tx, { organizationId, ...subject }, { text, actor })));
  });
}
