import { z } from 'zod';
import { OURS } from '../../../contract/descriptions.ts';
import { NEW_SCREENSHOTS } from '../../../contract/examples.ts';
import { ScreenshotSetRecord, ScreenshotSetSummary } from '../../../contract/records.ts';
import { requestBodies } from '../../../contract/requests.ts';
import { retakeBodies } from '../../../contract/retakes.ts';
import type { Limits } from '../../../domain/limits.ts';
import { COST } from '../../limits/costs.ts';
import { createScreenshotRequest } from '../createScreenshotRequest.ts';
import type { Route } from '../endpoint.ts';
import { retakeScreenshot, retakeSet } from '../retakes.ts';
import { BODY_FAILURES, idempotent, jsonBody, organization, responses, withId } from './operation.ts';

export const screenshotRequestRoutes = (limits: Limits): readonly Route[] => [
  {
    method: 'post',
    path: '/screenshot_requests',
    scope: 'write',
    operation: {
      operationId: 'createScreenshotRequest',
      summary: 'Request screenshots',
      description: `The service places each ad on each of its sites and devices and makes one screenshot for each marker. If the request repeats an ad, site, device and marker, it gets one screenshot. ${OURS}`,
      tags: ['Creating'],
      requestParams: { path: z.object(organization), header: idempotent },
      requestBody: jsonBody(requestBodies(limits).CreateScreenshotRequest, NEW_SCREENSHOTS),
      responses: responses(202, ScreenshotSetSummary, [...BODY_FAILURES, 409]),
    },
    handler: createScreenshotRequest,
  },
];

const UNCHANGED = `The pictures and events of the old set do not change. 409 while the old set is captured. ${OURS}`;

export function retakeRoutes(limits: Limits): readonly Route[] {
  const { RetakeScreenshot, RetakeSet } = retakeBodies(limits);
  return [
    {
      method: 'post',
      path: '/screenshots/{id}/retake',
      scope: 'write',
      operation: {
        operationId: 'retakeScreenshot',
        summary: 'Take a screenshot again',
        description: `Makes a new set with one screenshot, with the changes in the body. ${UNCHANGED}`,
        tags: ['Creating'],
        requestParams: { path: withId('screenshot'), header: idempotent },
        requestBody: jsonBody(RetakeScreenshot, { site: { url: 'https://news.example/sport' } }, false),
        responses: responses(202, ScreenshotSetRecord, [...BODY_FAILURES, 409]),
      },
      handler: retakeScreenshot,
    },
    {
      method: 'post',
      path: '/screenshot_sets/{id}/retake',
      scope: 'write',
      cost: COST.heavy,
      operation: {
        operationId: 'retakeScreenshotSet',
        summary: 'Take screenshots of a set again',
        description: `Makes a new set with all screenshots, the failed ones or the named ones. 409 if no failed one is left. ${UNCHANGED}`,
        tags: ['Creating'],
        requestParams: { path: withId('set'), header: idempotent },
        requestBody: jsonBody(RetakeSet, { which: 'all', options: { ad: { allow_scaling: true } } }, false),
        responses: responses(202, ScreenshotSetRecord, [...BODY_FAILURES, 409]),
      },
      handler: (options) => retakeSet(options, 'retake'),
    },
    {
      method: 'post',
      path: '/screenshot_sets/{id}/duplicate',
      scope: 'write',
      cost: COST.heavy,
      operation: {
        operationId: 'duplicateScreenshotSet',
        summary: 'Duplicate a set',
        description: `Makes a new set with the same screenshots. It is no retake: the pages of the old set keep their pictures. ${UNCHANGED}`,
        tags: ['Creating'],
        requestParams: { path: withId('set'), header: idempotent },
        requestBody: jsonBody(RetakeScreenshot, { subscribers: [] }, false),
        responses: responses(202, ScreenshotSetRecord, [...BODY_FAILURES, 409]),
      },
      handler: (options) => retakeSet(options, 'duplicate'),
    },
  ];
}
