import { z } from 'zod';
import { ApiKeyRecord, CreatedApiKeyRecord, NewApiKey } from '../../../contract/keys.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { createKey, listKeys, revokeKey } from '../settings/keys.ts';
import { ADMIN, BODY_FAILURES, jsonBody, list, organization, responses } from './operation.ts';

const TAGS = ['Settings'];

export const keyRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/keys',
    scope: 'admin',
    cost: COST.list,
    operation: {
      ...list('listKeys', 'List the API keys, active ones first', ListQuery, ApiKeyRecord),
      tags: TAGS,
      description: ADMIN,
    },
    handler: listKeys,
  },
  {
    method: 'post',
    path: '/keys',
    scope: 'admin',
    operation: {
      operationId: 'createKey',
      summary: 'Create an API key',
      description: `The response is the only one that contains the key. ${ADMIN}`,
      tags: TAGS,
      requestParams: { path: z.object(organization) },
      requestBody: jsonBody(NewApiKey, { name: 'Campaign tool', scopes: ['read', 'write'] }),
      responses: responses(201, CreatedApiKeyRecord, [...BODY_FAILURES, 409]),
    },
    handler: createKey,
  },
  {
    method: 'delete',
    path: '/keys/{key_id}',
    scope: 'admin',
    operation: {
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
    handler: revokeKey,
  },
];
