import { z } from 'zod';
import { DeliveryRecord } from '../../../contract/records.ts';
import {
  NewWebhookSecretRecord,
  SecretRotation,
  WebhookSecretRecord,
  WebhookTest,
} from '../../../contract/webhooks.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { rotateSecret, testWebhook, webhookSecret } from '../settings/webhooks.ts';
import { ADMIN, BODY_FAILURES, jsonBody, organization, responses } from './operation.ts';

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
    handler: webhookSecret,
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
    handler: rotateSecret,
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
    handler: testWebhook,
  },
];
