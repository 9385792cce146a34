import { ReviewBody } from '../../contract/requests.ts';
import { ScreenshotReviewBody } from '../../contract/reviewing.ts';
import { reviewScreenshot, reviewSet, type SetAction } from '../../core/reviews/reviews.ts';
import { readScreenshotRecord, readSetRecord } from '../../core/sets/readRecords.ts';
import { deliveryRecord } from '../../core/sets/setJson.ts';
import { listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import { replayDelivery } from '../../core/webhooks/replayEvents.ts';
import { unknownId, unknownOrRemoved } from '../../domain/failure.ts';
import { type Handler, idOf, jsonResponse, readOrFail } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { readJson, readOptionalJson } from './jsonBody.ts';
import type { PublicApiOptions } from './options.ts';

/** POST …/screenshot_sets/{id}/approve, reject or cancel: responds with the changed set. */
export function review(options: PublicApiOptions, action: SetAction): Handler {
  const { store } = options;
  return async ({ request, organizationId, keyId, place }) => {
    const setId = idOf(request);
    const notes = notesOf((await readOptionalJson(request)).value);
    const query = { id: setId, organizationId, publicUrl: place.publicUrl };
    return store.db.transaction().execute(async (tx) => {
      await reviewSet(tx, { action, organizationId, setId, notes, keyId }, options);
      const record = await readSetRecord(tx, query);
      if (record === undefined) throw unknownId();
      return jsonResponse(200, record);
    });
  };
}

/** POST …/screenshots/{id}/review: responds with the changed screenshot. */
export function reviewOfScreenshot(options: PublicApiOptions): Handler {
  const { store } = options;
  return async ({ request, organizationId, keyId, place }) => {
    const screenshotId = idOf(request);
    const { value } = await readJson(request);
    const { decision, comment } = readOrFail(ScreenshotReviewBody, value);
    const review = { decision: decision ?? undefined, comment: comment ?? undefined };
    return store.db.transaction().execute(async (tx) => {
      await reviewScreenshot(tx, { organizationId, screenshotId, keyId, ...review }, options);
      const record = await readScreenshotRecord(tx, { organizationId, screenshotId }, place);
      if (record === undefined) throw unknownId();
      return jsonResponse(200, record);
    });
  };
}

function notesOf(body: object): string | null {
  return readOrFail(ReviewBody, body).notes ?? null;
}

/** POST …/deliveries/{id}/replay: 202 with the delivery. The service then sends it again. */
export function replay({ store }: PublicApiOptions): Handler {
  return async (call) => {
    const { request, organizationId } = call;
    const id = idOf(request);
    const once = { db: store.db, call, endpoint: `deliveries/${id}/replay`, bodySha256: Buffer.alloc(0) };
    return answerOnce(once, async (tx) => {
      const read = async () => (await listDeliveries(tx, { organizationId, id }, { page: 1, perPage: 1 })).rows[0];
      if ((await read()) === undefined) throw unknownOrRemoved('delivery');
      await replayDelivery(tx, id);
      const row = await read();
      if (row === undefined) throw unknownId();
      return jsonResponse(202, deliveryRecord(row));
    });
  };
}
