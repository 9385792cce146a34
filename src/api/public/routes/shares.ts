import { z } from 'zod';
import { OURS } from '../../../contract/descriptions.ts';
import { ListQuery } from '../../../contract/queries.ts';
import { NewShare, ShareRecord } from '../../../contract/sharing.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { createShare, listShares, revokeShare } from '../sharing.ts';
import { BODY_FAILURES, jsonBody, list, organization, responses, withId } from './operation.ts';

export const shareRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/screenshot_sets/{id}/shares',
    scope: 'read',
    cost: COST.list,
    secret: true,
    operation: {
      ...list('listShares', 'List the share links of a set, newest first', ListQuery, ShareRecord),
      tags: ['Sharing'],
      requestParams: { path: withId('set'), query: ListQuery },
    },
    handler: listShares,
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/shares',
    scope: 'write',
    operation: {
      operationId: 'createShare',
      summary: 'Create a share link',
      description: `Everybody who has its \`url\` sees the pictures of the set, without a key. ${OURS}`,
      tags: ['Sharing'],
      requestParams: { path: withId('set') },
      requestBody: jsonBody(NewShare, { label: 'For the client' }, false),
      responses: responses(201, ShareRecord, [...BODY_FAILURES, 409]),
    },
    handler: createShare,
  },
  {
    method: 'delete',
    path: '/screenshot_sets/{id}/shares/{share_id}',
    scope: 'write',
    operation: {
      operationId: 'revokeShare',
      summary: 'Revoke a share link',
      description: `Its page is gone at once. ${OURS}`,
      tags: ['Sharing'],
      requestParams: {
        path: z.object({
          ...organization,
          id: z.uuid().describe('Id of the set.'),
          share_id: z.uuid().describe('Id of the link.'),
        }),
      },
      responses: responses(200, ShareRecord),
    },
    handler: revokeShare,
  },
];
