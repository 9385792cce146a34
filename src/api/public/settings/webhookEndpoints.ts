/** Handlers for the webhook endpoints of the organization. */
import { ListQuery } from '../../../contract/queries.ts';
import {
  NewWebhookEndpoint,
  WebhookEndpointChange,
  type WebhookEndpointWithSecret,
} from '../../../contract/webhookEndpoints.ts';
import { SecretRotation } from '../../../contract/webhooks.ts';
import { webhookEndpointRecord } from '../../../core/organizations/settingsJson.ts';
import { deliveryRecord } from '../../../core/sets/setJson.ts';
import { findDelivery } from '../../../core/webhooks/listDeliveries.ts';
import { sendTestEventToEndpoint } from '../../../core/webhooks/testEvents.ts';
import { listEndpoints } from '../../../core/webhooks/webhookEndpointQueries.ts';
import {
  changeEndpoint,
  checkEndpointAddress,
  createEndpoint,
  deleteEndpoint,
  type EndpointWithSecret,
  replaceEndpointSecret,
  requireEndpoint,
} from '../../../core/webhooks/webhookEndpoints.ts';
import { unknownId } from '../../../domain/failure.ts';
import {
  type AuthorizedRequest,
  type Handler,
  idOf,
  type JsonResponse,
  jsonResponse,
  readOrFail,
} from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { readJson, readOptionalJson } from '../jsonBody.ts';
import { listAnswer } from '../listAnswer.ts';
import type { PublicApiOptions, RouteOptions } from '../options.ts';

const oneOf = ({ request, organizationId }: AuthorizedRequest) => ({ organizationId, id: idOf(request) });

function withSecret(status: number, { row, secret }: EndpointWithSecret): JsonResponse {
  return jsonResponse(status, { ...webhookEndpointRecord(row), secret } satisfies WebhookEndpointWithSecret);
}

/** GET …/webhook_endpoints: oldest first. */
export function endpointList({ store }: PublicApiOptions): Handler {
  return ({ request, organizationId }) => {
    const query = readOrFail(ListQuery, request.query);
    const filter = { organizationId, from: query.from, to: query.to };
    return listAnswer(query, (page) => listEndpoints(store.db, filter, page), webhookEndpointRecord);
  };
}

/** POST …/webhook_endpoints: 201 with the secret. */
export function newEndpoint({ store, guard }: RouteOptions): Handler {
  return async (call) => {
    const { organizationId, actor } = call;
    const { value, sha256 } = await readJson(call.request);
    const body = readOrFail(NewWebhookEndpoint, value);
    await checkEndpointAddress(guard, body.url);
    const once = { db: store.db, call, endpoint: 'webhook_endpoints', bodySha256: sha256, secret: true };
    return answerOnce(once, async (tx) => withSecret(201, await createEndpoint(tx, organizationId, body, actor)));
  };
}

export function oneEndpoint({ store }: PublicApiOptions): Handler {
  return async (call) => jsonResponse(200, webhookEndpointRecord(await requireEndpoint(store.db, oneOf(call))));
}

/** PATCH …/webhook_endpoints/{id}: responds with the changed endpoint. */
export function patchEndpoint({ store, queue, guard }: RouteOptions): Handler {
  return async (call) => {
    const one = oneOf(call);
    const { value } = await readJson(call.request);
    const change = readOrFail(WebhookEndpointChange, value);
    await requireEndpoint(store.db, one);
    if (change.url) await checkEndpointAddress(guard, change.url);
    const row = await store.db
      .transaction()
      .execute((tx) => changeEndpoint(tx, one, change, { actor: call.actor, queue }));
    return jsonResponse(200, webhookEndpointRecord(row));
  };
}

/** DELETE …/webhook_endpoints/{id}: 204. */
export function removeEndpoint({ store, queue }: PublicApiOptions): Handler {
  return async (call) => {
    await store.db.transaction().execute((tx) => deleteEndpoint(tx, oneOf(call), { actor: call.actor, queue }));
    return { status: 204, text: '' };
  };
}

/** POST …/webhook_endpoints/{id}/rotate: responds with the new secret. */
export function rotateEndpoint({ store }: PublicApiOptions): Handler {
  return async (call) => {
    const one = oneOf(call);
    const { value } = await readOptionalJson(call.request);
    const keepPrevious = readOrFail(SecretRotation, value).keep_previous ?? true;
    return withSecret(
      200,
      await store.db.transaction().execute((tx) => replaceEndpointSecret(tx, one, keepPrevious, call.actor)),
    );
  };
}

/** POST …/webhook_endpoints/{id}/test: 202 with the delivery of the test event. */
export function testEndpoint({ store }: PublicApiOptions): Handler {
  return async (call) => {
    const one = oneOf(call);
    return store.db.transaction().execute(async (tx) => {
      const id = await sendTestEventToEndpoint(tx, one, call.actor);
      const row = await findDelivery(tx, { organizationId: one.organizationId, id });
      if (row === undefined) throw unknownId();
      return jsonResponse(202, deliveryRecord(row));
    });
  };
}
