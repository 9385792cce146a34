import type { z } from 'zod';
import { NEW_SCREENSHOTS } from '../../../contract/examples.ts';
import { countSent, screenshotRequestParser } from '../../../contract/readRequest.ts';
import { ScreenshotSetRecord, ScreenshotSetSummary } from '../../../contract/records.ts';
import { retakeBodies, retakeParser } from '../../../contract/retakes.ts';
import { acceptScreenshotRequest } from '../../../core/requests/acceptScreenshotRequest.ts';
import { type RepeatKind, repeatScreenshot, repeatSet } from '../../../core/requests/repeatScreenshots.ts';
import { readSetText } from '../../../core/sets/readRecords.ts';
import { screenshotSetSummary } from '../../../core/sets/setJson.ts';
import type { Queryable } from '../../../db/database.ts';
import type { Limits } from '../../../domain/limits.ts';
import { COST, costOfPictures } from '../../limits/costs.ts';
import { addLogFields } from '../../server/accessLog.ts';
import { type Call, foundText, type Handler, type JsonResponse, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import type { Services } from '../services.ts';
import { bodyInParts, route } from './operation.ts';

/** @param body its schema. */
export function screenshotRequestRoutes(limits: Limits, body: z.ZodType): readonly Route[] {
  const parse = screenshotRequestParser(limits);
  return [
    route('post /screenshot_requests', 'write', {
      operationId: 'createScreenshotRequest',
      summary: 'Request screenshots',
      description:
        'The service places each ad on each of its sites and devices and makes one screenshot for each marker. A repeated combination of ad, site, device and marker results in one screenshot.',
      idempotent: true,
      body: bodyInParts(body, NEW_SCREENSHOTS),
      status: 202,
      answer: ScreenshotSetSummary,
      failures: [409],
      handler: async (call, services) => {
        const { organizationId, place } = call;
        // Before the checks, so that an invalid body costs as much as a valid one.
        await call.charge(costOfPictures(countSent(call.body.value)));
        const parsed = parse(call.body.value);
        parsed.faults.rejectIfFull();
        return answerOnce(services.store.db, { call, endpoint: 'screenshot_requests' }, async (tx) => {
          const row = await acceptScreenshotRequest(tx, { organizationId, parsed }, services);
          addLogFields(call.response, { set_id: row.id });
          return jsonResponse(202, screenshotSetSummary(row, place));
        });
      },
    }),
  ];
}

const UNCHANGED = `The pictures and events of the old set do not change. 409 while the old set is being captured.`;

export function retakeRoutes(limits: Limits): readonly Route[] {
  const { RetakeScreenshot, RetakeSet } = retakeBodies(limits);
  const parse = retakeParser(limits);
  const repeatingSet =
    (kind: RepeatKind): Handler =>
    (call, services) => {
      const { organizationId, id } = refOf(call);
      const parsed = parse(call.body.value);
      parsed.faults.rejectIfFull();
      // The body of a duplicate names no screenshots.
      const wish = kind === 'retake' ? parsed : { ...parsed, which: 'all' as const, screenshotIds: undefined };
      return answerWithNewSet(call, services, `screenshot_sets/${id}/${kind}`, (tx) =>
        repeatSet(tx, { organizationId, setId: id, kind, wish, actor: call.actor }, services),
      );
    };
  return [
    route('post /screenshots/{id}/retake', 'write', {
      readsSet: true,
      operationId: 'retakeScreenshot',
      summary: 'Take a screenshot again',
      description: `Creates a new set with one screenshot, with the changes in the body. ${UNCHANGED}`,
      idempotent: true,
      body: bodyInParts(RetakeScreenshot, { site: { url: 'https://news.example/sport' } }, false),
      status: 202,
      answer: ScreenshotSetRecord,
      failures: [409],
      handler: (call, services) => {
        const { organizationId, id } = refOf(call);
        const wish = parse(call.body.value);
        return answerWithNewSet(call, services, `screenshots/${id}/retake`, (tx) =>
          repeatScreenshot(tx, { organizationId, screenshotId: id, wish, actor: call.actor }, services),
        );
      },
    }),
    route('post /screenshot_sets/{id}/retake', 'write', {
      cost: COST.heavy,
      readsSet: true,
      operationId: 'retakeScreenshotSet',
      summary: 'Take screenshots of a set again',
      description: `Creates a new set with all screenshots, the failed ones or the named ones. 409 if no failed one is left. ${UNCHANGED}`,
      idempotent: true,
      body: bodyInParts(RetakeSet, { which: 'all', options: { ad: { allow_scaling: true } } }, false),
      status: 202,
      answer: ScreenshotSetRecord,
      failures: [409],
      handler: repeatingSet('retake'),
    }),
    route('post /screenshot_sets/{id}/duplicate', 'write', {
      cost: COST.heavy,
      readsSet: true,
      operationId: 'duplicateScreenshotSet',
      summary: 'Duplicate a set',
      description: `Creates a new set with the same screenshots. It is not a retake: the pages of the old set keep their pictures. ${UNCHANGED}`,
      idempotent: true,
      body: bodyInParts(RetakeScreenshot, { subscribers: [] }, false),
      status: 202,
      answer: ScreenshotSetRecord,
      failures: [409],
      handler: repeatingSet('duplicate'),
    }),
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
    return foundText(202, await readSetText(tx, { id, organizationId, publicUrl: place.publicUrl }));
  });
}
