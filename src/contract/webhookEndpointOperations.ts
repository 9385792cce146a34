/** The paths of webhook endpoints in the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { OURS } from './descriptions.ts';
import type { OperationParts } from './operationParts.ts';
import { ListQuery } from './queries.ts';
import { DeliveryRecord } from './records.ts';
import {
  NewWebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointRecord,
  WebhookEndpointWithSecret,
} from './webhookEndpoints.ts';
import { SecretRotation } from './webhooks.ts';

const BODY_FAILURES = [400, 413, 415, 422] as const;
const TAGS = ['Webhook endpoints'];
const ADMIN = `Needs a key with the scope \`admin\`. ${OURS}`;

const NEW_ENDPOINT = {
  url: 'https://you.example/hook',
  topics: ['ad.uploaded', 'ad.failed', 'screenshot_set.approved', 'screenshot_set.failed'],
  description: 'Reporting',
  headers: { 'X-Environment': 'production' },
};

export function webhookEndpointOperations(parts: OperationParts): ZodOpenApiPathsObject {
  const { base, organization, withId, responses, list } = parts;
  const path = `${base}/webhook_endpoints`;
  return {
    [path]: {
      get: {
        ...list('listWebhookEndpoints', 'List webhook endpoints, oldest first', ListQuery, WebhookEndpointRecord),
        tags: TAGS,
        description: ADMIN,
      },
      post: {
        operationId: 'createWebhookEndpoint',
        summary: 'Create a webhook endpoint',
        description: `The endpoint gets the events of all sets and ads of the organization, beside the subscribers of requests. The response is the only one that contains its secret. 409 if the organization has too many endpoints. ${ADMIN}`,
        tags: TAGS,
        requestParams: { path: z.object(organization) },
        requestBody: body(NewWebhookEndpoint, NEW_ENDPOINT),
        responses: responses(201, WebhookEndpointWithSecret, [...BODY_FAILURES, 409]),
      },
    },
    [`${path}/{id}`]: oneEndpoint(parts),
    [`${path}/{id}/rotate`]: {
      post: {
        operationId: 'rotateWebhookEndpointSecret',
        summary: 'Replace the secret of a webhook endpoint',
        description: `The response is the only one that contains the new secret. ${ADMIN}`,
        tags: TAGS,
        requestParams: { path: withId('endpoint') },
        requestBody: body(SecretRotation, { keep_previous: true }, false),
        responses: responses(200, WebhookEndpointWithSecret, BODY_FAILURES),
      },
    },
    [`${path}/{id}/test`]: {
      post: {
        operationId: 'testWebhookEndpoint',
        summary: 'Send a test event to a webhook endpoint',
        description: `Sends one signed event, once. \`GET …/deliveries/{id}\` shows what the receiver answered. 409 if the endpoint is disabled. ${ADMIN}`,
        tags: TAGS,
        requestParams: { path: withId('endpoint') },
        responses: responses(202, DeliveryRecord, [409]),
      },
    },
  };
}

function oneEndpoint({ withId, responses }: OperationParts): ZodOpenApiPathsObject[string] {
  const common = { tags: TAGS, requestParams: { path: withId('endpoint') } };
  const { '200': _, ...failures } = responses(200, WebhookEndpointRecord, []) as Record<string, object>;
  return {
    get: {
      ...common,
      operationId: 'getWebhookEndpoint',
      summary: 'Read one webhook endpoint',
      description: ADMIN,
      responses: responses(200, WebhookEndpointRecord, []),
    },
    patch: {
      ...common,
      operationId: 'updateWebhookEndpoint',
      summary: 'Change a webhook endpoint',
      description: `Also disables and enables it. Deliveries that wait for a disabled endpoint end. ${ADMIN}`,
      requestBody: body(WebhookEndpointChange, { topics: ['screenshot_set.approved'], disabled: false }),
      responses: responses(200, WebhookEndpointRecord, BODY_FAILURES),
    },
    delete: {
      ...common,
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      description: `Deliveries that wait for it end. Past deliveries stay. ${ADMIN}`,
      responses: { ...failures, 204: { description: 'Deleted.' } },
    },
  };
}

function body(schema: z.ZodType, example: object, required = true) {
  return { required, content: { 'application/json': { schema, example } } };
}
