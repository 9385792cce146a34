import { z } from 'zod';
import { ListQuery } from '../../../contract/queries.ts';
import { DeliveryRecord } from '../../../contract/records.ts';
import {
  NewWebhookEndpoint,
  WebhookEndpointChange,
  WebhookEndpointRecord,
  WebhookEndpointWithSecret,
} from '../../../contract/webhookEndpoints.ts';
import { SecretRotation } from '../../../contract/webhooks.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import {
  endpointList,
  newEndpoint,
  oneEndpoint,
  patchEndpoint,
  removeEndpoint,
  rotateEndpoint,
  testEndpoint,
} from '../settings/webhookEndpoints.ts';
import { ADMIN, BODY_FAILURES, emptyResponses, jsonBody, list, organization, responses, withId } from './operation.ts';

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
    handler: endpointList,
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
    handler: newEndpoint,
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
    handler: oneEndpoint,
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
    handler: patchEndpoint,
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
    handler: removeEndpoint,
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
    handler: rotateEndpoint,
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
    handler: testEndpoint,
  },
];
