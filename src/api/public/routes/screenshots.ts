import { OURS } from '../../../contract/descriptions.ts';
import { ScreenshotsQuery } from '../../../contract/queries.ts';
import { ApprovedScreenshot, ScreenshotDetailRecord, ScreenshotRecord } from '../../../contract/records.ts';
import { ScreenshotReviewBody } from '../../../contract/reviewing.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { oneScreenshot, screenshotList } from '../reading.ts';
import { reviewOfScreenshot } from '../reviewing.ts';
import { BODY_FAILURES, jsonBody, list, one, responses, withId } from './operation.ts';

export const screenshotRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/screenshots',
    scope: 'read',
    cost: COST.list,
    operation: list('listScreenshots', 'List the screenshots of approved sets', ScreenshotsQuery, ApprovedScreenshot),
    handler: ({ store }) => screenshotList(store.db),
  },
  {
    method: 'get',
    path: '/screenshots/{id}',
    scope: 'read',
    operation: {
      ...one('getScreenshot', 'screenshot', ScreenshotDetailRecord),
      description: `In every status, also if its set is not approved. ${OURS}`,
    },
    handler: ({ store }) => oneScreenshot(store.db),
  },
  {
    method: 'post',
    path: '/screenshots/{id}/review',
    scope: 'write',
    operation: {
      operationId: 'reviewScreenshot',
      summary: 'Review one screenshot',
      description: `Approves or rejects a picture, or comments on it. A rejected picture stays in the set. It is not on shared pages, in the list of approved screenshots, or in later deliveries to buckets. ${OURS}`,
      tags: ['Reviewing'],
      requestParams: { path: withId('screenshot') },
      requestBody: jsonBody(ScreenshotReviewBody, { decision: 'rejected', comment: 'The logo is cut off.' }),
      responses: responses(200, ScreenshotRecord, [...BODY_FAILURES, 409]),
    },
    handler: reviewOfScreenshot,
  },
];
