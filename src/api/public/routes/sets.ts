import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { SetChange } from '../../../contract/changes.ts';
import { OURS } from '../../../contract/descriptions.ts';
import { REVIEW_OF_A_SET } from '../../../contract/examples.ts';
import { SetScreenshotsQuery, SetsQuery } from '../../../contract/queries.ts';
import { ListedSet, listOf, ScreenshotRecord, ScreenshotSetRecord } from '../../../contract/records.ts';
import { ReviewBody } from '../../../contract/requests.ts';
import { COST } from '../../limits/costs.ts';
import { patchSet } from '../changing.ts';
import type { Route } from '../endpoint.ts';
import { oneSet, screenshotsOfSet, setList } from '../reading.ts';
import { deleteSet } from '../removal.ts';
import { review } from '../reviewing.ts';
import { BODY_FAILURES, jsonBody, list, one, removing, responses, withId } from './operation.ts';

export const setRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/screenshot_sets',
    scope: 'read',
    cost: COST.list,
    operation: list('listScreenshotSets', 'List screenshot sets, newest first', SetsQuery, ListedSet),
    handler: ({ store }) => setList(store.db),
  },
  {
    method: 'get',
    path: '/screenshot_sets/{id}',
    scope: 'read',
    operation: one('getScreenshotSet', 'screenshot set', ScreenshotSetRecord),
    handler: ({ store }) => oneSet(store.db),
  },
  {
    method: 'patch',
    path: '/screenshot_sets/{id}',
    scope: 'write',
    operation: {
      operationId: 'updateScreenshotSet',
      summary: 'Change a set',
      description: `Changes the instructions and the metadata, in every status. Events that were stored before keep the old text. ${OURS}`,
      tags: ['Changing'],
      requestParams: { path: withId('set') },
      requestBody: jsonBody(SetChange, { metadata: { client: 'Okapi', draft: null } }),
      responses: responses(200, ScreenshotSetRecord, [...BODY_FAILURES, 410]),
    },
    handler: patchSet,
  },
  {
    method: 'delete',
    path: '/screenshot_sets/{id}',
    scope: 'write',
    operation: removing(
      'deleteScreenshotSet',
      'set',
      'Removes the set with its screenshots, pictures, reviews, share links, exports, its subscribers and the deliveries to them, also those that wait. Its addresses answer 410. Ads, events and retakes stay. 409 while the set is captured: cancel it first.',
    ),
    handler: deleteSet,
  },
  {
    method: 'get',
    path: '/screenshot_sets/{id}/screenshots',
    scope: 'read',
    cost: COST.list,
    operation: {
      ...list('listScreenshotsOfSet', 'List the screenshots of a set', SetScreenshotsQuery, ScreenshotRecord),
      description: `In the order of the request, as in the set itself. ${OURS}`,
      requestParams: { path: withId('set'), query: SetScreenshotsQuery },
      responses: responses(200, listOf(ScreenshotRecord), [410, 422]),
    },
    handler: ({ store }) => screenshotsOfSet(store.db),
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/approve',
    scope: 'write',
    operation: reviewing('approveScreenshotSet', 'Approve a set', 'From `in_review` to `approved`.'),
    handler: (options) => review(options, 'approve'),
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/reject',
    scope: 'write',
    operation: reviewing('rejectScreenshotSet', 'Reject a set', 'From `in_review` to `rejected`.'),
    handler: (options) => review(options, 'reject'),
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/cancel',
    scope: 'write',
    operation: reviewing(
      'cancelScreenshotSet',
      'Cancel a set',
      'Captured screenshots stay. The others become `canceled`.',
    ),
    handler: (options) => review(options, 'cancel'),
  },
];

function reviewing(operationId: string, summary: string, description: string): ZodOpenApiOperationObject {
  return {
    operationId,
    summary,
    description: `${description} ${OURS}`,
    tags: ['Reviewing'],
    requestParams: { path: withId('set') },
    requestBody: jsonBody(ReviewBody, REVIEW_OF_A_SET, false),
    responses: responses(200, ScreenshotSetRecord, [...BODY_FAILURES, 409]),
  };
}
