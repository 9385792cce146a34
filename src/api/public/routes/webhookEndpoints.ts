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
import { webhookSecretRecord } from '../../../core/organizations/organizationJson.ts';
import { readWebhookSecret } from '../../../core/organizations/organizations.ts';
import { replaceWebhookSecret } from '../../../core/organizations/settings.ts';
import { deliveryRecord } from '../../../core/webhooks/deliveryJson.ts';
import { webhookEndpointRecord } from '../../../core/webhooks/endpointJson.ts';
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
import { foundResponse, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { listAnswer, rangeOf } from '../listAnswer.ts';
import { changes, jsonBody, list, removes, route } from './operation.ts';

export const webhookRoutes: readonly Route[] = [
  route('get /webhook_secret', 'admin', {
    operationId: 'getWebhookSecret',
    summary: 'Read the age of the webhook secret',
    answer: WebhookSecretRecord,
    handler: async ({ place }, { store }) =>
      jsonResponse(200, webhookSecretRecord(await readWebhookSecret(store.db, place.slug))),
  }),
  route('post /webhook_secret/rotate', 'admin', {
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the webhook secret',
    description: 'The response is the only one that contains the new secret.',
    body: jsonBody(SecretRotation, { keep_previous: true }, false),
    answer: NewWebhookSecretRecord,
    handler: changes(
      async (tx, { actor, place: { slug }, input: { keep_previous: keep } }) => {
        const secret = await replaceWebhookSecret(tx, slug, keep ?? true, actor);
        return { ...webhookSecretRecord(await readWebhookSecret(tx, slug)), secret };
      },
      (record): NewWebhookSecretRecord => record,
    ),
  }),
  route('post /webhook_tests', 'admin', {
    cost: COST.outgoing,
    operationId: 'sendTestEvent',
    summary: 'Send a test event',
    description: `Sends one signed event, once. \`GET …/deliveries/{id}\` shows the response of the receiver.`,
    body: jsonBody(WebhookTest, { url: 'https://you.example/hook' }),
    status: 202,
    answer: DeliveryRecord,
    handler: async (call, { store, guard }) => {
      const { organizationId, actor } = call;
      const url = call.input.url.trim();
      const fault = await addressFault(guard, url);
      if (fault !== undefined) throw invalid({ url: [fault] });
      return store.db.transaction().execute(async (tx) => {
        const id = await sendTestEvent(tx, { organizationId, url }, actor);
        const row = await findDelivery(tx, { organizationId, id });
        return foundResponse(202, row && deliveryRecord(row));
      });
    },
  }),
];

export const webhookEndpointRoutes: readonly Route[] = [
  route('get /webhook_endpoints', 'admin', {
    ...list('listWebhookEndpoints', 'List webhook endpoints, oldest first', ListQuery, WebhookEndpointRecord),
    handler: (call, { store }) =>
      listAnswer(call.query, (page) => listEndpoints(store.db, rangeOf(call), page), webhookEndpointRecord),
  }),
  route('post /webhook_endpoints', 'admin', {
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'The endpoint gets the events of all sets and ads of the organization, in addition to the subscribers of requests. The response is the only one that contains its secret. 409 if the organization has too many endpoints.',
    body: jsonBody(NewWebhookEndpoint, {
      url: 'https://you.example/hook',
      topics: ['ad.uploaded', 'ad.failed', 'screenshot_set.approved', 'screenshot_set.failed'],
      description: 'Reporting',
      headers: { 'X-Environment': 'production' },
    }),
    status: 201,
    answer: WebhookEndpointWithSecret,
    failures: [409],
    handler: async (call, { store, guard }) => {
      const { organizationId, actor } = call;
      const body = call.input;
      await checkEndpointAddress(guard, body.url);
      return answerOnce(store.db, { call, endpoint: 'webhook_endpoints', secret: true }, async (tx) =>
        jsonResponse(201, withSecret(await createEndpoint(tx, organizationId, body, actor))),
      );
    },
  }),
  route('get /webhook_endpoints/{id}', 'admin', {
    operationId: 'getWebhookEndpoint',
    summary: 'Read one webhook endpoint',
    answer: WebhookEndpointRecord,
    handler: async (call, { store }) =>
      jsonResponse(200, webhookEndpointRecord(await requireEndpoint(store.db, refOf(call)))),
  }),
  route('patch /webhook_endpoints/{id}', 'admin', {
    operationId: 'updateWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description: 'Also disables and enables it. Pending deliveries to a disabled endpoint end.',
    body: jsonBody(WebhookEndpointChange, { topics: ['screenshot_set.approved'], disabled: false }),
    answer: WebhookEndpointRecord,
    handler: async (call, { store, queue, guard }) => {
      const one = refOf(call);
      const change = call.input;
      await requireEndpoint(store.db, one);
      if (change.url) await checkEndpointAddress(guard, change.url);
      const row = await store.db
        .transaction()
        .execute((tx) => changeEndpoint(tx, one, change, { actor: call.actor, queue }));
      return jsonResponse(200, webhookEndpointRecord(row));
    },
  }),
  route('delete /webhook_endpoints/{id}', 'admin', {
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'Pending deliveries to it end. Past deliveries stay.',
    answer: 'Deleted.',
    handler: removes((tx, call, { queue }) => deleteEndpoint(tx, refOf(call), { actor: call.actor, queue })),
  }),
  route('post /webhook_endpoints/{id}/rotate', 'admin', {
    operationId: 'rotateWebhookEndpointSecret',
    summary: 'Replace the secret of a webhook endpoint',
    description: 'The response is the only one that contains the new secret.',
    body: jsonBody(SecretRotation, { keep_previous: true }, false),
    answer: WebhookEndpointWithSecret,
    handler: changes(
      (tx, call) => replaceEndpointSecret(tx, refOf(call), call.input.keep_previous ?? true, call.actor),
      withSecret,
    ),
  }),
  route('post /webhook_endpoints/{id}/test', 'admin', {
    cost: COST.outgoing,
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event to a webhook endpoint',
    description: `Sends one signed event, once. \`GET …/deliveries/{id}\` shows the response of the receiver. 409 if the endpoint is disabled.`,
    status: 202,
    answer: DeliveryRecord,
    failures: [409],
    handler: async (call, { store }) => {
      const one = refOf(call);
      return store.db.transaction().execute(async (tx) => {
        const id = await sendTestEventToEndpoint(tx, one, call.actor);
        const row = await findDelivery(tx, { organizationId: one.organizationId, id });
        return foundResponse(202, row && deliveryRecord(row));
      });
    },
  }),
];

function withSecret({ row, secret }: EndpointWithSecret): WebhookEndpointWithSecret {
  return { ...webhookEndpointRecord(row), secret };
}
