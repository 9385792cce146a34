import { SetChange } from '../../../contract/changes.ts';
import { ScreenshotReviewsBody, ScreenshotReviewsRecord } from '../../../contract/comments.ts';
import { REVIEW_OF_A_SET } from '../../../contract/examples.ts';
import { SetScreenshotsQuery, SetsQuery } from '../../../contract/queries.ts';
import { ListedSet, ScreenshotRecord, ScreenshotSetRecord } from '../../../contract/records.ts';
import { ReviewBody } from '../../../contract/requests.ts';
import { removeSet } from '../../../core/removal/removal.ts';
import { reviewPicturesOfSet, reviewSet, type SetAction } from '../../../core/reviews/reviews.ts';
import { changeSet } from '../../../core/sets/changes.ts';
import { withSetHistory } from '../../../core/sets/history.ts';
import { listSets } from '../../../core/sets/listSets.ts';
import { readSetText } from '../../../core/sets/readRecords.ts';
import { findPlaceInSet, listScreenshotsOfSet } from '../../../core/sets/readScreenshots.ts';
import { hasSet, readSetVersion } from '../../../core/sets/readSet.ts';
import { listedSetRecord, screenshotRecord } from '../../../core/sets/setJson.ts';
import type { Database } from '../../../db/database.ts';
import type { ObjectRef } from '../../../db/rows.ts';
import { unknownId } from '../../../domain/failure.ts';
import { costOfPictures } from '../../limits/costs.ts';
import { foundText, hasTag, idOf, jsonResponse, type Route, refOf, tagOf } from '../endpoint.ts';
import { filterOf, listAnswer, placeOf, unknownPlace } from '../listAnswer.ts';
import { idOfA, jsonBody, list, one, removes, removing, route } from './operation.ts';

export const setRoutes: readonly Route[] = [
  route('get /screenshot_sets', 'read', {
    ...list('listScreenshotSets', 'List screenshot sets, newest first', SetsQuery, ListedSet),
    handler: async (call, { store: { db } }) => {
      const { organizationId, query } = call;
      const after = await placeOf(db, 'screenshot_sets', { organizationId, id: query.after });
      const filter = { organizationId, ...filterOf(query), campaignId: query.campaign_id, after };
      return listAnswer(
        query,
        async (page) => {
          const { rows, total } = await listSets(db, filter, page);
          return { rows: await withSetHistory(db, rows), total };
        },
        (row) => listedSetRecord(row, call.place),
      );
    },
  }),
  route('get /screenshot_sets/{id}', 'read', {
    ...one('getScreenshotSet', 'screenshot set', ScreenshotSetRecord),
    params: { id: idOfA('screenshot set') },
    readsSet: true,
    handler: async (call, { store: { db } }) => {
      const ref = refOf(call);
      const found = await readSetVersion(db, ref);
      if (found === undefined) throw unknownId();
      const tag = tagOf(found.version);
      // Before the record is built: one of 10,000 pictures has 6 MB.
      if (hasTag(call.request, tag)) return { status: 304, text: '', tag };
      await call.charge(costOfPictures(found.pictures));
      const text = await readSetText(db, { ...ref, publicUrl: call.place.publicUrl });
      return { ...foundText(200, text), tag };
    },
  }),
  route('patch /screenshot_sets/{id}', 'write', {
    readsSet: true,
    operationId: 'updateScreenshotSet',
    summary: 'Change a set',
    description:
      'Changes the name, the instructions and the metadata, in every status. Events that were stored before keep the old text.',
    body: jsonBody(SetChange, { metadata: { client: 'Okapi', draft: null } }),
    answer: ScreenshotSetRecord,
    failures: [410],
    handler: async (call, { store }) => {
      const ref = refOf(call);
      const text = await store.db.transaction().execute(async (tx) => {
        await changeSet(tx, ref, { change: call.input, actor: call.actor });
        return readSetText(tx, { ...ref, publicUrl: call.place.publicUrl });
      });
      return foundText(200, text);
    },
  }),
  route('delete /screenshot_sets/{id}', 'write', {
    ...removing(
      'deleteScreenshotSet',
      'set',
      'Removes the set with its screenshots, pictures, reviews, comments, share links with the answers of clients, exports, its subscribers and the deliveries to them, including pending ones. Its URLs return 410. Ads, other events and retakes stay. 409 while the set is being captured: cancel it first.',
    ),
    handler: removes((tx, call) => removeSet(tx, refOf(call), call.actor)),
  }),
  route('get /screenshot_sets/{id}/screenshots', 'read', {
    ...list('listScreenshotsOfSet', 'List the screenshots of a set', SetScreenshotsQuery, ScreenshotRecord),
    description: 'In the order of the request, as in the set itself.',
    failures: [410],
    handler: async (call, { store: { db } }) => {
      const { organizationId, query } = call;
      const setId = idOf(call.request);
      await requireSet(db, { id: setId, organizationId });
      const after = query.after === undefined ? undefined : await findPlaceInSet(db, { setId, id: query.after });
      if (after === undefined && query.after !== undefined) throw unknownPlace();
      return listAnswer(
        query,
        (page) => listScreenshotsOfSet(db, { setId, after }, page),
        (row) => screenshotRecord(row, call.place),
      );
    },
  }),
  reviewing('approve', 'approveScreenshotSet', 'Approve a set', 'From `in_review` to `approved`.'),
  reviewing('reject', 'rejectScreenshotSet', 'Reject a set', 'From `in_review` to `rejected`.'),
  reviewing(
    'reopen',
    'reopenScreenshotSet',
    'Reopen the review of a set',
    'From `approved` or `rejected` to `in_review`. The decisions about its pictures stay.',
  ),
  route('post /screenshot_sets/{id}/reviews', 'write', {
    readsSet: true,
    operationId: 'reviewScreenshotsOfSet',
    summary: 'Review several screenshots',
    description: 'All of them, or none if one cannot be reviewed. Comments of their reviews stay.',
    body: jsonBody(ScreenshotReviewsBody, { decision: 'approved' }),
    answer: ScreenshotReviewsRecord,
    failures: [409],
    handler: async (call, services) => {
      const { organizationId, actor } = call;
      const setId = idOf(call.request);
      const { decision, screenshot_ids, expected_decision } = call.input;
      const ids = screenshot_ids?.map((id) => id.toLowerCase());
      const expectedDecision = expected_decision ?? undefined;
      await call.charge(costOfPictures(ids?.length ?? 0));
      const { before } = await services.store.db
        .transaction()
        .execute((tx) =>
          reviewPicturesOfSet(tx, { organizationId, setId, decision, ids, expectedDecision, actor }, services),
        );
      const idsOf = (reviews: typeof before) => reviews.map(({ screenshotId }) => screenshotId);
      const previous = [...Map.groupBy(before, (one) => one.decision)];
      return jsonResponse(200, {
        type: 'screenshot_reviews',
        screenshot_set_id: setId,
        decision,
        screenshot_ids: idsOf(before),
        previous: previous.map(([earlier, reviews]) => ({ decision: earlier, screenshot_ids: idsOf(reviews) })),
      } satisfies ScreenshotReviewsRecord);
    },
  }),
  reviewing(
    'cancel',
    'cancelScreenshotSet',
    'Cancel a set',
    'Captured screenshots stay. The others become `canceled`.',
  ),
];

function reviewing(action: SetAction, operationId: string, summary: string, description: string): Route {
  return route(`post /screenshot_sets/{id}/${action}`, 'write', {
    ...{ operationId, summary, description },
    readsSet: true,
    body: jsonBody(ReviewBody, REVIEW_OF_A_SET, false),
    answer: ScreenshotSetRecord,
    failures: [409],
    handler: (call, services) => {
      const [ref, { actor, place, input }] = [refOf(call), call];
      return services.store.db.transaction().execute(async (tx) => {
        const { id: setId, organizationId } = ref;
        await reviewSet(tx, { action, organizationId, setId, notes: input.notes ?? null, actor }, services);
        return foundText(200, await readSetText(tx, { ...ref, publicUrl: place.publicUrl }));
      });
    },
  });
}

/** @throws Failure (404) */
async function requireSet(db: Database, ref: ObjectRef): Promise<void> {
  if (!(await hasSet(db, ref))) throw unknownId();
}
