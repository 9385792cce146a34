import { ListQuery } from '../../../contract/queries.ts';
import { NewShare, ShareAnswerRecord, ShareChange, ShareRecord } from '../../../contract/sharing.ts';
import { readSetRow } from '../../../core/sets/readSet.ts';
import { answerRecord, answersOfSet } from '../../../core/sharing/answerQueries.ts';
import { shareRecord } from '../../../core/sharing/shareJson.ts';
import {
  changeLink,
  createShareLink,
  listShareLinks,
  revokeLink,
  type ShareLinkRow,
} from '../../../core/sharing/shareLinks.ts';
import { sharePage } from '../../../domain/addresses.ts';
import { unknownId } from '../../../domain/failure.ts';
import { inDays, SHARE_DAYS_DEFAULT } from '../../../domain/shareLinks.ts';
import { shareToken } from '../../auth/shareTokens.ts';
import { idOf, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer, rangeOf } from '../listAnswer.ts';
import type { Services } from '../services.ts';
import { idOfA, jsonBody, list, route } from './operation.ts';
import { OF_CAMPAIGN, OWNERS, type OwnerRoutes, requireOwner } from './owners.ts';

const routesOf = (owner: OwnerRoutes): Route[] => [
  route(`get /${owner.path}/{id}/shares`, 'read', {
    secret: true,
    ...list(`list${owner.word}Shares`, `List the share links of a ${owner.what}, newest first`, ListQuery, ShareRecord),
    tags: ['Sharing'],
    handler: async (call, services) => {
      const { db } = services.store;
      const filter = { ...rangeOf(call), ...owner.of(call.request) };
      await requireOwner(owner, db, call);
      return listAnswer(
        call.query,
        (page) => listShareLinks(db, filter, page),
        (row) => recordOf(services, row),
      );
    },
  }),
  route(`post /${owner.path}/{id}/shares`, 'write', {
    operationId: `create${owner.word}Share`,
    summary: `Create a share link of a ${owner.what}`,
    description: `Anyone who has its \`url\` sees the pictures of the ${owner.what}, without a key. ${OF_CAMPAIGN}`,
    tags: ['Sharing'],
    body: jsonBody(NewShare, { label: 'For the client' }, false),
    status: 201,
    answer: ShareRecord,
    failures: [409],
    handler: async (call, services) => {
      const { store } = services;
      const { organizationId, actor } = call;
      const { label, expires_at, downloads, answers, password, pictures } = call.input;
      const expiresAt = expires_at ?? inDays(new Date(), SHARE_DAYS_DEFAULT);
      const choices = {
        downloads: downloads ?? false,
        answers: answers ?? false,
        pictures: pictures ?? 'all',
        password,
      };
      const link = { organizationId, ...owner.of(call.request), expiresAt, label: label?.trim() ?? '', ...choices };
      const endpoint = `${owner.path}/${idOf(call.request)}/shares`;
      return answerOnce(store.db, { call, endpoint, secret: true }, async (tx) =>
        jsonResponse(201, recordOf(services, await createShareLink(tx, link, actor))),
      );
    },
  }),
  route(`patch /${owner.path}/{id}/shares/{share_id}`, 'write', {
    operationId: `update${owner.word}Share`,
    summary: `Extend a share link of a ${owner.what}, change its password, or restore it`,
    description: '',
    tags: ['Sharing'],
    params: { id: idOfA(owner.what), share_id: idOfA('link') },
    body: jsonBody(ShareChange, { expires_at: '2027-06-30T18:00:00Z' }),
    answer: ShareRecord,
    failures: [409],
    handler: async ({ request, organizationId, actor, input }, services) => {
      const link = { organizationId, ...owner.of(request), id: idOf(request, 'share_id') };
      const row = await services.store.db.transaction().execute((tx) => changeLink(tx, link, input, actor));
      return jsonResponse(200, recordOf(services, row));
    },
  }),
  route(`delete /${owner.path}/{id}/shares/{share_id}`, 'write', {
    operationId: `revoke${owner.word}Share`,
    summary: `Revoke a share link of a ${owner.what}`,
    description: 'The link stops working immediately.',
    tags: ['Sharing'],
    params: { id: idOfA(owner.what), share_id: idOfA('link') },
    answer: ShareRecord,
    handler: async ({ request, organizationId, actor }, services) => {
      const link = { organizationId, ...owner.of(request), id: idOf(request, 'share_id') };
      const row = await services.store.db.transaction().execute((tx) => revokeLink(tx, link, actor));
      return jsonResponse(200, recordOf(services, row));
    },
  }),
];

export const shareRoutes: readonly Route[] = [
  ...OWNERS.flatMap(routesOf),
  route('get /screenshot_sets/{id}/answers', 'read', {
    ...list('listAnswers', 'List the answers of clients, newest first', ListQuery, ShareAnswerRecord),
    tags: ['Sharing'],
    handler: async (call, { store: { db } }) => {
      const ref = refOf(call);
      const query = call.query;
      if ((await readSetRow(db, ref)) === undefined) throw unknownId();
      const filter = { setId: ref.id, from: query.from, to: query.to };
      return listAnswer(query, (page) => answersOfSet(db, filter, page), answerRecord);
    },
  }),
];

function recordOf({ secret, publicUrl }: Services, row: ShareLinkRow) {
  return shareRecord(row, sharePage(publicUrl, shareToken(secret, row.id)));
}
