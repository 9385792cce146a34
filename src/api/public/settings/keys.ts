/** Handlers for the API keys of the organization. */
import { type CreatedApiKeyRecord, NewApiKey } from '../../../contract/keys.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { listKeyRows } from '../../../core/organizations/keyList.ts';
import { createApiKey, revokeApiKey } from '../../../core/organizations/keys.ts';
import { apiKeyRecord } from '../../../core/organizations/settingsJson.ts';
import { type Handler, jsonResponse, readOrFail } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { readJson } from '../jsonBody.ts';
import { listAnswer } from '../listAnswer.ts';
import type { PublicApiOptions } from '../options.ts';

/** GET …/keys: active ones first. */
export function listKeys({ store }: PublicApiOptions): Handler {
  return ({ request, organizationId }) => {
    const query = readOrFail(ListQuery, request.query);
    const filter = { organizationId, from: query.from, to: query.to };
    return listAnswer(query, (page) => listKeyRows(store.db, filter, page), apiKeyRecord);
  };
}

/** POST …/keys: 201 with the key. */
export function createKey({ store }: PublicApiOptions): Handler {
  return async (call) => {
    const { organizationId, actor } = call;
    const { value, sha256 } = await readJson(call.request);
    const { name, scopes, expires_at } = readOrFail(NewApiKey, value);
    const wanted = { organizationId, name, scopes, expiresAt: expires_at ?? undefined };
    return answerOnce({ db: store.db, call, endpoint: 'keys', bodySha256: sha256, secret: true }, async (tx) => {
      const { row, key } = await createApiKey(tx, wanted, actor);
      return jsonResponse(201, { ...apiKeyRecord(row), key } satisfies CreatedApiKeyRecord);
    });
  };
}

/** DELETE …/keys/{id}: revokes the key and responds with it. */
export function revokeKey({ store }: PublicApiOptions): Handler {
  return async ({ request, organizationId, actor }) => {
    const id = String(request.params['key_id']);
    const row = await store.db.transaction().execute((tx) => revokeApiKey(tx, { organizationId, id }, actor));
    return jsonResponse(200, apiKeyRecord(row));
  };
}
