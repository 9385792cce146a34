import { ScreenshotReviewBody } from '../../../contract/changes.ts';
import { ScreenshotsQuery } from '../../../contract/queries.ts';
import { ApprovedScreenshot, ScreenshotDetailRecord, ScreenshotRecord } from '../../../contract/records.ts';
import { reviewScreenshots } from '../../../core/reviews/reviews.ts';
import { readScreenshotDetail, readScreenshotRecord } from '../../../core/sets/readRecords.ts';
import { findApprovedPlace, listApprovedScreenshots } from '../../../core/sets/readScreenshots.ts';
import { approvedScreenshotRecord } from '../../../core/sets/setJson.ts';
import type { Database } from '../../../db/database.ts';
import { type Call, foundResponse, idOf, type Route } from '../endpoint.ts';
import { listAnswer, unknownPlace } from '../listAnswer.ts';
import { jsonBody, list, one, route } from './operation.ts';

const DAY_MS = 86_400_000;

export const screenshotRoutes: readonly Route[] = [
  route('get /screenshots', 'read', {
    ...list('listScreenshots', 'List the screenshots of approved sets', ScreenshotsQuery, ApprovedScreenshot),
    handler: async (call, { store: { db } }) => {
      const { organizationId, query } = call;
      const now = Date.now();
      const to = query.to ?? new Date(now);
      const from = query.from ?? new Date(Math.min(to.getTime(), now) - DAY_MS);
      const creative = query.include === 'ad.creative';
      const filter = {
        organizationId,
        from,
        to,
        order: query.order ?? 'desc',
        creative,
        after: await approvedPlaceOf(db, call, query.after),
      };
      return listAnswer(
        query,
        (page) => listApprovedScreenshots(db, filter, page),
        (row) => approvedScreenshotRecord(row, call.place),
      );
    },
  }),
  route('get /screenshots/{id}', 'read', {
    ...one('getScreenshot', 'screenshot', ScreenshotDetailRecord),
    description: 'In every status, even if its set is not approved.',
    handler: async ({ request, organizationId, place }, { store: { db } }) => {
      const id = idOf(request);
      return foundResponse(200, await readScreenshotDetail(db, { screenshotId: id, organizationId }, place));
    },
  }),
  route('post /screenshots/{id}/review', 'write', {
    operationId: 'reviewScreenshot',
    summary: 'Review one screenshot',
    description:
      'Approves or rejects a picture, or comments on it. A rejected picture stays in the set. It is not on shared pages, in the list of approved screenshots, or in later deliveries to buckets.',
    body: jsonBody(ScreenshotReviewBody, { decision: 'rejected', comment: 'The logo is cut off.' }),
    answer: ScreenshotRecord,
    failures: [409],
    handler: async (call, services) => {
      const { request, organizationId, actor, place } = call;
      const { store } = services;
      const screenshotId = idOf(request);
      const { decision, comment, expected_decision: expected } = call.input;
      const review = {
        decision: decision ?? undefined,
        comment: comment ?? undefined,
        expected: { decision: expected ?? undefined },
      };
      return store.db.transaction().execute(async (tx) => {
        await reviewScreenshots(tx, { organizationId, reviews: [{ screenshotId, ...review }], actor }, services);
        return foundResponse(200, await readScreenshotRecord(tx, { organizationId, screenshotId }, place));
      });
    },
  }),
];

/** As `placeOf`, for the list of approved screenshots. */
async function approvedPlaceOf(db: Database, call: Call, id: string | undefined) {
  if (id === undefined) return undefined;
  const place = await findApprovedPlace(db, { organizationId: call.organizationId, id });
  if (place === undefined) throw unknownPlace();
  return place;
}
