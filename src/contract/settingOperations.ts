/** The paths of keys, the webhook secret, test events, connectors, single deliveries and the audit log in the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { DEFAULT_CONNECTOR } from '../domain/connectors.ts';
import { SLUG } from '../domain/slugs.ts';
import { auditLogOperations } from './auditLog.ts';
import { ConnectorCheckBody, ConnectorRecord, S3ConnectorBody } from './connectors.ts';
import { OURS } from './descriptions.ts';
import { ApiKeyRecord, CreatedApiKeyRecord, NewApiKey } from './keys.ts';
import type { OperationParts } from './operationParts.ts';
import { ConnectorsQuery, ListQuery } from './queries.ts';
import { DeliveryDetailRecord, DeliveryRecord } from './records.ts';
import { ConnectorName } from './requests.ts';
import { webhookEndpointOperations } from './webhookEndpointOperations.ts';
import { NewWebhookSecretRecord, SecretRotation, WebhookSecretRecord, WebhookTest } from './webhooks.ts';

const BODY_FAILURES = [400, 413, 415, 422] as const;
const TAGS = ['Settings'];
const ADMIN = `Needs a key with the scope \`admin\`. ${OURS}`;

export function settingOperations(parts: OperationParts): ZodOpenApiPathsObject {
  const { base, withId, responses } = parts;
  return {
    [`${base}/deliveries/{id}`]: {
      get: {
        operationId: 'getDelivery',
        summary: 'Read one delivery',
        description: `With all attempts, the start of each response, and the event. ${OURS}`,
        tags: ['Deliveries'],
        requestParams: { path: withId('delivery') },
        responses: responses(200, DeliveryDetailRecord, []),
      },
    },
    ...keys(parts),
    ...webhooks(parts),
    ...webhookEndpointOperations(parts),
    ...connectors(parts),
    ...auditLogOperations(parts),
  };
}

function body(schema: z.ZodType, example: object, required = true) {
  return { required, content: { 'application/json': { schema, example } } };
}

function keys({ base, organization, responses, list }: OperationParts): ZodOpenApiPathsObject {
  const path = z.object(organization);
  return {
    [`${base}/keys`]: {
      get: {
        ...list('listKeys', 'List the API keys, active ones first', ListQuery, ApiKeyRecord),
        tags: TAGS,
        description: ADMIN,
      },
      post: {
        operationId: 'createKey',
        summary: 'Create an API key',
        description: `The response is the only one that contains the key. ${ADMIN}`,
        tags: TAGS,
        requestParams: { path },
        requestBody: body(NewApiKey, { name: 'Campaign tool', scopes: ['read', 'write'] }),
        responses: responses(201, CreatedApiKeyRecord, [...BODY_FAILURES, 409]),
      },
    },
    [`${base}/keys/{key_id}`]: {
      delete: {
        operationId: 'revokeKey',
        summary: 'Revoke an API key',
        description: `It opens nothing from now on. 409 for the last active key with the scope \`admin\`. ${ADMIN}`,
        tags: TAGS,
        requestParams: {
          path: z.object({
            ...organization,
            key_id: z.string().describe('The eight characters in the middle of the key.'),
          }),
        },
        responses: responses(200, ApiKeyRecord, [409]),
      },
    },
  };
}

function webhooks({ base, organization, responses }: OperationParts): ZodOpenApiPathsObject {
  const common = { tags: TAGS, requestParams: { path: z.object(organization) } };
  return {
    [`${base}/webhook_secret`]: {
      get: {
        ...common,
        operationId: 'getWebhookSecret',
        summary: 'Read the age of the webhook secret',
        description: ADMIN,
        responses: responses(200, WebhookSecretRecord, []),
      },
    },
    [`${base}/webhook_secret/rotate`]: {
      post: {
        ...common,
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the webhook secret',
        description: `The response is the only one that contains the new secret. ${ADMIN}`,
        requestBody: body(SecretRotation, { keep_previous: true }, false),
        responses: responses(200, NewWebhookSecretRecord, BODY_FAILURES),
      },
    },
    [`${base}/webhook_tests`]: {
      post: {
        ...common,
        operationId: 'sendTestEvent',
        summary: 'Send a test event',
        description: `Sends one signed event, once. \`GET …/deliveries/{id}\` shows what the receiver answered. ${ADMIN}`,
        requestBody: body(WebhookTest, { url: 'https://you.example/hook' }),
        responses: responses(202, DeliveryRecord, BODY_FAILURES),
      },
    },
  };
}

function connectors({ base, organization, responses, list }: OperationParts): ZodOpenApiPathsObject {
  const name = ConnectorName.meta({
    description: 'Name of the connector.',
    pattern: SLUG.source,
    example: DEFAULT_CONNECTOR,
  });
  const common = { tags: TAGS, requestParams: { path: z.object({ ...organization, name }) } };
  const read: ZodOpenApiOperationObject = {
    ...common,
    operationId: 'getConnector',
    summary: 'Read a connector',
    description: ADMIN,
    responses: responses(200, ConnectorRecord, []),
  };
  const account = { region: 'eu-central-1', access_key_id: 'AKIAEXAMPLE', secret_access_key: 'wJalrXUtnEXAMPLE' };
  const { '200': _, ...failures } = responses(200, ConnectorRecord, []) as Record<string, object>;
  return {
    [`${base}/connectors`]: {
      get: {
        ...list('listConnectors', 'List the connectors', ConnectorsQuery, ConnectorRecord),
        tags: TAGS,
        description: ADMIN,
      },
    },
    [`${base}/connectors/{name}`]: {
      get: read,
      put: {
        ...common,
        operationId: 'replaceConnector',
        summary: 'Set a connector',
        description: `Creates or replaces the connector of this name. Private addresses and those of metadata services are rejected. ${ADMIN}`,
        requestBody: body(S3ConnectorBody, account),
        responses: responses(200, ConnectorRecord, BODY_FAILURES),
      },
      delete: {
        ...common,
        operationId: 'deleteConnector',
        summary: 'Remove a connector',
        description: `Deliveries that use it fail from now on. ${ADMIN}`,
        responses: { ...failures, 204: { description: 'Removed.' } },
      },
    },
    [`${base}/connectors/{name}/check`]: {
      post: {
        ...common,
        operationId: 'checkConnector',
        summary: 'Check a connector',
        description: `Writes a small object into the bucket and deletes it. \`GET …/connectors/{name}\` has the result in \`check\` after a few seconds. ${ADMIN}`,
        requestBody: body(ConnectorCheckBody, { bucket: 'pictures', key_prefix: 'tearsheet/' }),
        responses: responses(202, ConnectorRecord, BODY_FAILURES),
      },
    },
  };
}
