import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { SetChange } from '../../../contract/changes.ts';
import { ScreenshotReviewsBody, ScreenshotReviewsRecord } from '../../../contract/comments.ts';
import { REVIEW_OF_A_SET } from '../../../contract/examples.ts';
import { SetScreenshotsQuery, SetsQuery } from '../../../contract/queries.ts';
import { ListedSet, listOf, ScreenshotRecord, ScreenshotSetRecord } from '../../../contract/records.ts';
import { ReviewBody } from '../../../contract/requests.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { removeSet } from '../../../core/removal/removal.ts';
import { withSetHistory } from '../../../core/reviews/reviewQueries.ts';
import { reviewPicturesOfSet, reviewSet, type SetAction } from '../../../core/reviews/reviews.ts';
import { changeSet } from '../../../core/sets/changes.ts';
import { listSets } from '../../../core/sets/listSets.ts';
import { readSetRecord } from '../../../core/sets/readRecords.ts';
import { findPlaceInSet, listScreenshotsOfSet } from '../../../core/sets/readScreenshots.ts';
import { readSetVersion, type SetVersion } from '../../../core/sets/readSet.ts';
import { listedSetRecord, screenshotRecord } from '../../../core/sets/setJson.ts';
import type { Database } from '../../../db/database.ts';
import { unknownId } from '../../../domain/failure.ts';
import { COST, costOfPictures } from '../../limits/costs.ts';
import {
  type Call,
  foundResponse,
  hasTag,
  idOf,
  type JsonResponse,
  jsonResponse,
  NO_CONTENT,
  type Route,
  readOrFail,
  refOf,
  tagOf,
} from '../endpoint.ts';
import { filterOf, listAnswer, placeOf, readQuery, unknownPlace } from '../listAnswer.ts';
import type { Services } from '../services.ts';
import { BODY_FAILURES, jsonBody, list, one, removing, responses, withId } from './operation.ts';

export const setRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/screenshot_sets',
    scope: 'read',
    cost: COST.list,
    operation: list('listScreenshotSets', 'List screenshot sets, newest first', SetsQuery, ListedSet),
    handler: async (call, { store: { db } }) => {
      const { organizationId } = call;
      const query = readQuery(SetsQuery, call);
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
  },
  {
    method: 'get',
    path: '/screenshot_sets/{id}',
    scope: 'read',
    operation: one('getScreenshotSet', 'screenshot set', ScreenshotSetRecord),
    handler: async ({ request, organizationId, place, charge }, { store: { db } }) => {
      const id = idOf(request);
      const { pictures, version } = await requireSet(db, { id, organizationId });
      const tag = tagOf(version);
      // Before the record is built: one of 10,000 pictures has 6 MB.
      if (hasTag(request, tag)) return { status: 304, text: '', tag };
      await charge(costOfPictures(pictures));
      const record = await readSetRecord(db, { id, organizationId, publicUrl: place.publicUrl });
      if (record === undefined) throw unknownId();
      return { ...jsonResponse(200, record), tag };
    },
  },
  {
    method: 'patch',
    path: '/screenshot_sets/{id}',
    scope: 'write',
    operation: {
      operationId: 'updateScreenshotSet',
      summary: 'Change a set',
      description: `Changes the name, the instructions and the metadata, in every status. Events that were stored before keep the old text. ${OURS}`,
      tags: ['Changing'],
      requestParams: { path: withId('set') },
      requestBody: jsonBody(SetChange, { metadata: { client: 'Okapi', draft: null } }),
      responses: responses(200, ScreenshotSetRecord, [...BODY_FAILURES, 410]),
    },
    handler: async (call, { store }) => {
      const [ref, change] = [refOf(call), readOrFail(SetChange, call.body.value)];
      const record = await store.db.transaction().execute(async (tx) => {
        await changeSet(tx, ref, { change, actor: call.actor });
        return readSetRecord(tx, { ...ref, publicUrl: call.place.publicUrl });
      });
      return foundResponse(200, record);
    },
  },
  {
    method: 'delete',
    path: '/screenshot_sets/{id}',
    scope: 'write',
    operation: removing(
      'deleteScreenshotSet',
      'set',
      'Removes the set with its screenshots, pictures, reviews, comments, share links with the answers of clients, exports, its subscribers and the deliveries to them, also those that wait. Its addresses answer 410. Ads, other events and retakes stay. 409 while the set is captured: cancel it first.',
    ),
    handler: async (call, { store }) => {
      await store.db.transaction().execute((tx) => removeSet(tx, refOf(call), call.actor));
      return NO_CONTENT;
    },
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
    handler: async (call, { store: { db } }) => {
      const { organizationId } = call;
      const query = readQuery(SetScreenshotsQuery, call);
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
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/approve',
    scope: 'write',
    operation: reviewing('approveScreenshotSet', 'Approve a set', 'From `in_review` to `approved`.'),
    handler: (call, services) => review(call, services, 'approve'),
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/reject',
    scope: 'write',
    operation: reviewing('rejectScreenshotSet', 'Reject a set', 'From `in_review` to `rejected`.'),
    handler: (call, services) => review(call, services, 'reject'),
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/reopen',
    scope: 'write',
    operation: reviewing(
      'reopenScreenshotSet',
      'Reopen the review of a set',
      'From `approved` or `rejected` to `in_review`. The decisions about its pictures stay.',
    ),
    handler: (call, services) => review(call, services, 'reopen'),
  },
  {
    method: 'post',
    path: '/screenshot_sets/{id}/reviews',
    scope: 'write',
    operation: {
      operationId: 'reviewScreenshotsOfSet',
      summary: 'Review several screenshots',
      description: `All of them, or none if one cannot be reviewed. Comments of their reviews stay. ${OURS}`,
      tags: ['Reviewing'],
      requestParams: { path: withId('set') },
      requestBody: jsonBody(ScreenshotReviewsBody, { decision: 'approved' }),
      responses: responses(200, ScreenshotReviewsRecord, [...BODY_FAILURES, 409]),
    },
    handler: async (call, services) => {
      const { organizationId, actor } = call;
      const setId = idOf(call.request);
      const { decision, screenshot_ids } = readOrFail(ScreenshotReviewsBody, call.body.value);
      const ids = screenshot_ids?.map((id) => id.toLowerCase());
      await call.charge(costOfPictures(ids?.length ?? 0));
      const { before } = await services.store.db
        .transaction()
        .execute((tx) => reviewPicturesOfSet(tx, { organizationId, setId, decision, ids, actor }, services));
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
    handler: (call, services) => review(call, services, 'cancel'),
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

function review(call: Call, services: Services, action: SetAction): Promise<JsonResponse> {
  const { organizationId, actor, place } = call;
  const setId = idOf(call.request);
  const notes = readOrFail(ReviewBody, call.body.value).notes ?? null;
  return services.store.db.transaction().execute(async (tx) => {
    await reviewSet(tx, { action, organizationId, setId, notes, actor }, services);
    return foundResponse(200, await readSetRecord(tx, { id: setId, organizationId, publicUrl: place.publicUrl }));
  });
}

/** @throws Failure (404) */
export async function requireSet(db: Database, ref: { id: string; organizationId: string }): Promise<SetVersion> {
  const found = await readSetVersion(db, ref);
  if (found === undefined) throw unknownId();
  return found;
}
