import { z } from 'zod';
import { NEW_SCREENSHOTS } from '../../../contract/examples.ts';
import { screenshotRequestParser } from '../../../contract/parseScreenshotRequest.ts';
import { ScreenshotSetRecord, ScreenshotSetSummary } from '../../../contract/records.ts';
import { retakeBodies, retakeParser } from '../../../contract/retakes.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { acceptScreenshotRequest } from '../../../core/requests/acceptScreenshotRequest.ts';
import { type RepeatKind, repeatScreenshot, repeatSet } from '../../../core/requests/repeatScreenshots.ts';
import { readSetRecord } from '../../../core/sets/readRecords.ts';
import { screenshotSetSummary } from '../../../core/sets/setJson.ts';
import type { Queryable } from '../../../db/database.ts';
import type { Limits } from '../../../domain/limits.ts';
import { countWanted } from '../../../domain/screenshots.ts';
import { COST, costOfPictures } from '../../limits/costs.ts';
import { addLogFields } from '../../server/accessLog.ts';
import {
  type Call,
  foundResponse,
  type Handler,
  type JsonResponse,
  jsonResponse,
  type Route,
  refOf,
} from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import type { Services } from '../services.ts';
import { BODY_FAILURES, idempotent, jsonBody, organization, responses, withId } from './operation.ts';

/** @param body its schema. */
export function screenshotRequestRoutes(limits: Limits, body: z.ZodType): readonly Route[] {
  const parse = screenshotRequestParser(limits);
  return [
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
        requestBody: jsonBody(body, NEW_SCREENSHOTS),
        responses: responses(202, ScreenshotSetSummary, [...BODY_FAILURES, 409]),
      },
      handler: async (call, services) => {
        const { organizationId, place } = call;
        const parsed = parse(call.body.value);
        await call.charge(costOfPictures(countWanted(parsed.entries)));
        return answerOnce(services.store.db, { call, endpoint: 'screenshot_requests' }, async (tx) => {
          const row = await acceptScreenshotRequest(tx, { organizationId, parsed }, services);
          addLogFields(call.response, { set_id: row.id });
          return jsonResponse(202, screenshotSetSummary(row, place));
        });
      },
    },
  ];
}

const UNCHANGED = `The pictures and events of the old set do not change. 409 while the old set is captured. ${OURS}`;

export function retakeRoutes(limits: Limits): readonly Route[] {
  const { RetakeScreenshot, RetakeSet } = retakeBodies(limits);
  const parse = retakeParser(limits);
  const repeatingSet =
    (kind: RepeatKind): Handler =>
    (call, services) => {
      const { organizationId, id } = refOf(call);
      const parsed = parse(call.body.value);
      // The body of a duplicate names no screenshots.
      const wish = kind === 'retake' ? parsed : { ...parsed, which: 'all' as const, screenshotIds: undefined };
      return answerWithNewSet(call, services, `screenshot_sets/${id}/${kind}`, (tx) =>
        repeatSet(tx, { organizationId, setId: id, kind, wish, actor: call.actor }, services),
      );
    };
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
      handler: (call, services) => {
        const { organizationId, id } = refOf(call);
        const wish = parse(call.body.value);
        return answerWithNewSet(call, services, `screenshots/${id}/retake`, (tx) =>
          repeatScreenshot(tx, { organizationId, screenshotId: id, wish, actor: call.actor }, services),
        );
      },
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
      handler: repeatingSet('retake'),
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
      handler: repeatingSet('duplicate'),
    },
  ];
}

/** @param repeat stores the new set and returns its id. */
function answerWithNewSet(
  call: Call,
  { store }: Services,
  endpoint: string,
  repeat: (tx: Queryable) => Promise<string>,
): Promise<JsonResponse> {
  return answerOnce(store.db, { call, endpoint }, async (tx) => {
    const id = await repeat(tx);
    addLogFields(call.response, { set_id: id });
    const { organizationId, place } = call;
    return foundResponse(202, await readSetRecord(tx, { id, organizationId, publicUrl: place.publicUrl }));
  });
}
