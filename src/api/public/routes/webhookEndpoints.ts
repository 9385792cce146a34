import { z } from 'zod';
import { ListQuery } from '../../../contract/queries.ts';
import { DeliveryRecord } from '../../../contract/records.ts';
import {
  NewWebhookEndpoint,
  NewWebhookSecretRecord,
  SecretRotation,
  WebhookEndpointChange,
  WebhookEndpointRecord,
  WebhookEndpointWithSecret,
  WebhookSecretRecord,
  WebhookTest,
} from '../../../contract/webhookEndpoints.ts';
import { readWebhookSecret } from '../../../core/organizations/organizations.ts';
import { replaceWebhookSecret } from '../../../core/organizations/settings.ts';
import { webhookEndpointRecord, webhookSecretRecord } from '../../../core/organizations/settingsJson.ts';
import { deliveryRecord } from '../../../core/sets/setJson.ts';
import { findDelivery } from '../../../core/webhooks/listDeliveries.ts';
import { sendTestEvent, sendTestEventToEndpoint } from '../../../core/webhooks/testEvents.ts';
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
import { invalid } from '../../../domain/failure.ts';
import { addressFault } from '../../../egress/addressFault.ts';
import { COST } from '../../limits/costs.ts';
import {
  foundResponse,
  type JsonResponse,
  jsonResponse,
  NO_CONTENT,
  type Route,
  readOrFail,
  refOf,
} from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer } from '../listAnswer.ts';
import { ADMIN, BODY_FAILURES, emptyResponses, jsonBody, list, organization, responses, withId } from './operation.ts';

const ofWebhooks = { tags: ['Settings'], requestParams: { path: z.object(organization) } };

export const webhookRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/webhook_secret',
    scope: 'admin',
    operation: {
      ...ofWebhooks,
      operationId: 'getWebhookSecret',
      summary: 'Read the age of the webhook secret',
      description: ADMIN,
      responses: responses(200, WebhookSecretRecord),
    },
    handler: async ({ place }, { store }) =>
      jsonResponse(200, webhookSecretRecord(await readWebhookSecret(store.db, place.slug))),
  },
  {
    method: 'post',
    path: '/webhook_secret/rotate',
    scope: 'admin',
    operation: {
      ...ofWebhooks,
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the webhook secret',
      description: `The response is the only one that contains the new secret. ${ADMIN}`,
      requestBody: jsonBody(SecretRotation, { keep_previous: true }, false),
      responses: responses(200, NewWebhookSecretRecord, BODY_FAILURES),
    },
    handler: async (call, { store }) => {
      const { actor, place } = call;
      const { keep_previous: keep } = readOrFail(SecretRotation, call.body.value);
      return store.db.transaction().execute(async (tx) => {
        const secret = await replaceWebhookSecret(tx, place.slug, keep ?? true, actor);
        const record = webhookSecretRecord(await readWebhookSecret(tx, place.slug));
        return jsonResponse(200, { ...record, secret } satisfies NewWebhookSecretRecord);
      });
    },
  },
  {
    method: 'post',
    path: '/webhook_tests',
    scope: 'admin',
    cost: COST.outgoing,
    operation: {
      ...ofWebhooks,
      operationId: 'sendTestEvent',
      summary: 'Send a test event',
      description: `Sends one signed event, once. \`GET …/deliveries/{id}\` shows what the receiver answered. ${ADMIN}`,
      requestBody: jsonBody(WebhookTest, { url: 'https://you.example/hook' }),
      responses: responses(202, DeliveryRecord, BODY_FAILURES),
    },
    handler: async (call, { store, guard }) => {
      const { organizationId, actor } = call;
      const url = readOrFail(WebhookTest, call.body.value).url.trim();
      const fault = await addressFault(guard, url);
      if (fault !== undefined) throw invalid({ url: [fault] });
      return store.db.transaction().execute(async (tx) => {
        const id = await sendTestEvent(tx, { organizationId, url }, actor);
        const row = await findDelivery(tx, { organizationId, id });
        return foundResponse(202, row && deliveryRecord(row));
      });
    },
  },
];

const TAGS = ['Webhook endpoints'];
const ofEndpoint = { tags: TAGS, requestParams: { path: withId('endpoint') } };

export const webhookEndpointRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/webhook_endpoints',
    scope: 'admin',
    cost: COST.list,
    operation: {
      ...list('listWebhookEndpoints', 'List webhook endpoints, oldest first', ListQuery, WebhookEndpointRecord),
      tags: TAGS,
      description: ADMIN,
    },
    handler: ({ request, organizationId }, { store }) => {
      const query = readOrFail(ListQuery, request.query);
      const filter = { organizationId, from: query.from, to: query.to };
      return listAnswer(query, (page) => listEndpoints(store.db, filter, page), webhookEndpointRecord);
    },
  },
  {
    method: 'post',
    path: '/webhook_endpoints',
    scope: 'admin',
    operation: {
      operationId: 'createWebhookEndpoint',
      summary: 'Create a webhook endpoint',
      description: `The endpoint gets the events of all sets and ads of the organization, beside the subscribers of requests. The response is the only one that contains its secret. 409 if the organization has too many endpoints. ${ADMIN}`,
      tags: TAGS,
      requestParams: { path: z.object(organization) },
      requestBody: jsonBody(NewWebhookEndpoint, {
        url: 'https://you.example/hook',
        topics: ['ad.uploaded', 'ad.failed', 'screenshot_set.approved', 'screenshot_set.failed'],
        description: 'Reporting',
        headers: { 'X-Environment': 'production' },
      }),
      responses: responses(201, WebhookEndpointWithSecret, [...BODY_FAILURES, 409]),
    },
    handler: async (call, { store, guard }) => {
      const { organizationId, actor } = call;
      const body = readOrFail(NewWebhookEndpoint, call.body.value);
      await checkEndpointAddress(guard, body.url);
      return answerOnce(store.db, { call, endpoint: 'webhook_endpoints', secret: true }, async (tx) =>
        withSecret(201, await createEndpoint(tx, organizationId, body, actor)),
      );
    },
  },
  {
    method: 'get',
    path: '/webhook_endpoints/{id}',
    scope: 'admin',
    operation: {
      ...ofEndpoint,
      operationId: 'getWebhookEndpoint',
      summary: 'Read one webhook endpoint',
      description: ADMIN,
      responses: responses(200, WebhookEndpointRecord),
    },
    handler: async (call, { store }) =>
      jsonResponse(200, webhookEndpointRecord(await requireEndpoint(store.db, refOf(call)))),
  },
  {
    method: 'patch',
    path: '/webhook_endpoints/{id}',
    scope: 'admin',
    operation: {
      ...ofEndpoint,
      operationId: 'updateWebhookEndpoint',
      summary: 'Change a webhook endpoint',
      description: `Also disables and enables it. Deliveries that wait for a disabled endpoint end. ${ADMIN}`,
      requestBody: jsonBody(WebhookEndpointChange, { topics: ['screenshot_set.approved'], disabled: false }),
      responses: responses(200, WebhookEndpointRecord, BODY_FAILURES),
    },
    handler: async (call, { store, queue, guard }) => {
      const one = refOf(call);
      const change = readOrFail(WebhookEndpointChange, call.body.value);
      await requireEndpoint(store.db, one);
      if (change.url) await checkEndpointAddress(guard, change.url);
      const row = await store.db
        .transaction()
        .execute((tx) => changeEndpoint(tx, one, change, { actor: call.actor, queue }));
      return jsonResponse(200, webhookEndpointRecord(row));
    },
  },
  {
    method: 'delete',
    path: '/webhook_endpoints/{id}',
    scope: 'admin',
    operation: {
      ...ofEndpoint,
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      description: `Deliveries that wait for it end. Past deliveries stay. ${ADMIN}`,
      responses: emptyResponses('Deleted.'),
    },
    handler: async (call, { store, queue }) => {
      await store.db.transaction().execute((tx) => deleteEndpoint(tx, refOf(call), { actor: call.actor, queue }));
      return NO_CONTENT;
    },
  },
  {
    method: 'post',
    path: '/webhook_endpoints/{id}/rotate',
    scope: 'admin',
    operation: {
      operationId: 'rotateWebhookEndpointSecret',
      summary: 'Replace the secret of a webhook endpoint',
      description: `The response is the only one that contains the new secret. ${ADMIN}`,
      ...ofEndpoint,
      requestBody: jsonBody(SecretRotation, { keep_previous: true }, false),
      responses: responses(200, WebhookEndpointWithSecret, BODY_FAILURES),
    },
    handler: async (call, { store }) => {
      const one = refOf(call);
      const keepPrevious = readOrFail(SecretRotation, call.body.value).keep_previous ?? true;
      return withSecret(
        200,
        await store.db.transaction().execute((tx) => replaceEndpointSecret(tx, one, keepPrevious, call.actor)),
      );
    },
  },
  {
    method: 'post',
    path: '/webhook_endpoints/{id}/test',
    scope: 'admin',
    cost: COST.outgoing,
    operation: {
      operationId: 'testWebhookEndpoint',
      summary: 'Send a test event to a webhook endpoint',
      description: `Sends one signed event, once. \`GET …/deliveries/{id}\` shows what the receiver answered. 409 if the endpoint is disabled. ${ADMIN}`,
      ...ofEndpoint,
      responses: responses(202, DeliveryRecord, [409]),
    },
    handler: async (call, { store }) => {
      const one = refOf(call);
      return store.db.transaction().execute(async (tx) => {
        const id = await sendTestEventToEndpoint(tx, one, call.actor);
        const row = await findDelivery(tx, { organizationId: one.organizationId, id });
        return foundResponse(202, row && deliveryRecord(row));
      });
    },
  },
];

function withSecret(status: number, { row, secret }: EndpointWithSecret): JsonResponse {
  return jsonResponse(status, { ...webhookEndpointRecord(row), secret } satisfies WebhookEndpointWithSecret);
}
