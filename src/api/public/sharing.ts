/** Handlers for the share links of a set. */
import { ListQuery } from '../../contract/queries.ts';
import { NewShare } from '../../contract/sharing.ts';
import { readSetRow } from '../../core/sets/readSet.ts';
import { shareRecord } from '../../core/sets/setJson.ts';
import { createShareLink, listShareLinks, revokeLink, type ShareLinkRow } from '../../core/sharing/shareLinks.ts';
import { sharePage } from '../../domain/addresses.ts';
import { unknownId } from '../../domain/failure.ts';
import { inDays, SHARE_DAYS_DEFAULT } from '../../domain/shareLinks.ts';
import { shareToken } from '../auth/shareTokens.ts';
import { type Handler, idOf, jsonResponse, readOrFail } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { readOptionalJson } from './jsonBody.ts';
import { listAnswer } from './listAnswer.ts';
import type { PublicApiOptions } from './options.ts';

/** POST …/screenshot_sets/{id}/shares: 201 with a new share link. */
export function createShare(options: PublicApiOptions): Handler {
  const { store } = options;
  return async (call) => {
    const { organizationId, actor } = call;
    const setId = idOf(call.request);
    const { value, sha256 } = await readOptionalJson(call.request);
    const { label, expires_at, downloads } = readOrFail(NewShare, value);
    const expiresAt = expires_at ?? inDays(new Date(), SHARE_DAYS_DEFAULT);
    const link = { organizationId, setId, expiresAt, label: label?.trim() ?? '', downloads: downloads ?? false };
    const endpoint = `screenshot_sets/${setId}/shares`;
    return answerOnce({ db: store.db, call, endpoint, bodySha256: sha256, secret: true }, async (tx) =>
      jsonResponse(201, recordOf(options, await createShareLink(tx, link, actor))),
    );
  };
}

/** GET …/screenshot_sets/{id}/shares: all links, also those that are no longer valid. */
export function listShares(options: PublicApiOptions): Handler {
  const { db } = options.store;
  return async ({ request, organizationId }) => {
    const setId = idOf(request);
    const query = readOrFail(ListQuery, request.query);
    if ((await readSetRow(db, { id: setId, organizationId })) === undefined) throw unknownId();
    return listAnswer(
      query,
      (page) => listShareLinks(db, { organizationId, setId, from: query.from, to: query.to }, page),
      (row) => recordOf(options, row),
    );
  };
}

/** DELETE …/screenshot_sets/{id}/shares/{share_id}: revokes the link and responds with it. */
export function revokeShare(options: PublicApiOptions): Handler {
  return async ({ request, organizationId, actor }) => {
    const setId = idOf(request);
    const id = idOf(request, 'share_id');
    const row = await options.store.db
      .transaction()
      .execute((tx) => revokeLink(tx, { organizationId, setId, id }, actor));
    return jsonResponse(200, recordOf(options, row));
  };
}

function recordOf({ secret, publicUrl }: PublicApiOptions, row: ShareLinkRow) {
  return shareRecord(row, sharePage(publicUrl, shareToken(secret, row.id)));
}
