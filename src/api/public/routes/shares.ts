import { z } from 'zod';
import { ListQuery } from '../../../contract/queries.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { NewShare, ShareAnswerRecord, ShareRecord } from '../../../contract/sharing.ts';
import { readSetRow } from '../../../core/sets/readSet.ts';
import { shareRecord } from '../../../core/sets/setJson.ts';
import { answerRecord, answersOfSet } from '../../../core/sharing/answerQueries.ts';
import { createShareLink, listShareLinks, revokeLink, type ShareLinkRow } from '../../../core/sharing/shareLinks.ts';
import { sharePage } from '../../../domain/addresses.ts';
import { unknownId } from '../../../domain/failure.ts';
import { inDays, SHARE_DAYS_DEFAULT } from '../../../domain/shareLinks.ts';
import { shareToken } from '../../auth/shareTokens.ts';
import { COST } from '../../limits/costs.ts';
import { idOf, jsonResponse, type Route, readOrFail, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer, readQuery } from '../listAnswer.ts';
import type { Services } from '../services.ts';
import { BODY_FAILURES, jsonBody, list, organization, responses, withId } from './operation.ts';

export const shareRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/screenshot_sets/{id}/shares',
    scope: 'read',
    cost: COST.list,
    secret: true,
    operation: {
      ...list('listShares', 'List the share links of a set, newest first', ListQuery, ShareRecord),
      tags: ['Sharing'],
      requestParams: { path: withId('set'), query: ListQuery },
    },
    handler: async ({ request, organizationId }, services) => {
      const { db } = services.store;
      const setId = idOf(request);
      const query = readOrFail(ListQuery, request.query);
      if ((await readSetRow(db, { id: setId, organizationId })) === undefined) throw unknownId();
      return listAnswer(
        query,
        (page) => listShareLinks(db, { organizationId, setId, from: query.from, to: query.to }, page),
        (row) => recordOf(services, row),
      );
    },
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/shares',
    scope: 'write',
    operation: {
      operationId: 'createShare',
      summary: 'Create a share link',
      description: `Everybody who has its \`url\` sees the pictures of the set, without a key. ${OURS}`,
      tags: ['Sharing'],
      requestParams: { path: withId('set') },
      requestBody: jsonBody(NewShare, { label: 'For the client' }, false),
      responses: responses(201, ShareRecord, [...BODY_FAILURES, 409]),
    },
    handler: async (call, services) => {
      const { store } = services;
      const { organizationId, actor } = call;
      const setId = idOf(call.request);
      const { label, expires_at, downloads, answers, password, pictures } = readOrFail(NewShare, call.body.value);
      const expiresAt = expires_at ?? inDays(new Date(), SHARE_DAYS_DEFAULT);
      const choices = {
        downloads: downloads ?? false,
        answers: answers ?? false,
        pictures: pictures ?? 'all',
        password,
      };
      const link = { organizationId, setId, expiresAt, label: label?.trim() ?? '', ...choices };
      const endpoint = `screenshot_sets/${setId}/shares`;
      return answerOnce(store.db, { call, endpoint, secret: true }, async (tx) =>
        jsonResponse(201, recordOf(services, await createShareLink(tx, link, actor))),
      );
    },
  },
  {
    method: 'delete',
    path: '/screenshot_sets/{id}/shares/{share_id}',
    scope: 'write',
    operation: {
      operationId: 'revokeShare',
      summary: 'Revoke a share link',
      description: `Its page is gone at once. ${OURS}`,
      tags: ['Sharing'],
      requestParams: {
        path: z.object({
          ...organization,
          id: z.uuid().describe('Id of the set.'),
          share_id: z.uuid().describe('Id of the link.'),
        }),
      },
      responses: responses(200, ShareRecord),
    },
    handler: async ({ request, organizationId, actor }, services) => {
      const setId = idOf(request);
      const id = idOf(request, 'share_id');
      const row = await services.store.db
        .transaction()
        .execute((tx) => revokeLink(tx, { organizationId, setId, id }, actor));
      return jsonResponse(200, recordOf(services, row));
    },
  },
  {
    method: 'get',
    path: '/screenshot_sets/{id}/answers',
    scope: 'read',
    cost: COST.list,
    operation: {
      ...list('listAnswers', 'List the answers of clients, newest first', ListQuery, ShareAnswerRecord),
      tags: ['Sharing'],
      requestParams: { path: withId('set'), query: ListQuery },
    },
    handler: async (call, { store: { db } }) => {
      const ref = refOf(call);
      const query = readQuery(ListQuery, call);
      if ((await readSetRow(db, ref)) === undefined) throw unknownId();
      const filter = { setId: ref.id, from: query.from, to: query.to };
      return listAnswer(query, (page) => answersOfSet(db, filter, page), answerRecord);
    },
  },
];

function recordOf({ secret, publicUrl }: Services, row: ShareLinkRow) {
  return shareRecord(row, sharePage(publicUrl, shareToken(secret, row.id)));
}
