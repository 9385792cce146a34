import { AdChange } from '../../../contract/changes.ts';
import { CreativeCheckRecord } from '../../../contract/creativeCheck.ts';
import { NEW_AD } from '../../../contract/examples.ts';
import { AdsQuery } from '../../../contract/queries.ts';
import { createAdParser } from '../../../contract/readRequest.ts';
import { AdRecord, AdSummary } from '../../../contract/records.ts';
import { createAdBody } from '../../../contract/requests.ts';
import { adRecord, adSummary } from '../../../core/ads/adJson.ts';
import { readCreativeCheck } from '../../../core/ads/creativeCheck.ts';
import { listAds } from '../../../core/ads/listAds.ts';
import { removeAd } from '../../../core/removal/removal.ts';
import { acceptAd } from '../../../core/requests/acceptAd.ts';
import { changeAd } from '../../../core/sets/changes.ts';
import { readAdRecord } from '../../../core/sets/readRecords.ts';
import type { Limits } from '../../../domain/limits.ts';
import { addLogFields } from '../../server/accessLog.ts';
import { foundResponse, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { filterOf, listAnswer, placeOf } from '../listAnswer.ts';
import { bodyInParts, jsonBody, list, one, other, removes, removing, route } from './operation.ts';

export const adRoutes = (limits: Limits, parse = createAdParser(limits)): readonly Route[] => [
  route('post /ads', 'write', {
    operationId: 'createAd',
    summary: 'Create an ad (beta)',
    description: `Idempotent when a \`lookup_key\` is given: a second request with the same key and campaign gets 200 with the existing ad and ignores the name and media in the request. Its subscribers receive nothing. Paths of faults inside \`ad\` omit that prefix: \`media.content\`, \`name\`, \`lookup_key\`.`,
    idempotent: true,
    body: bodyInParts(createAdBody(limits), NEW_AD),
    status: 201,
    answer: AdSummary,
    failures: [409],
    responses: {
      '200': other('An ad with the lookup key exists in the campaign: its current state.', AdSummary),
    },
    handler: async (call, services) => {
      const parsed = parse(call.body.value);
      return answerOnce(services.store.db, { call, endpoint: 'ads' }, async (tx) => {
        const { row, created } = await acceptAd(tx, { ...call, parsed }, services);
        addLogFields(call.response, { ad_id: row.id });
        return jsonResponse(created ? 201 : 200, adSummary(row, call.place));
      });
    },
  }),
  route('get /ads', 'read', {
    ...list('listAds', 'List ads, newest first', AdsQuery, AdRecord),
    handler: async (call, { store: { db } }) => {
      const { organizationId, query } = call;
      const after = await placeOf(db, 'ads', { organizationId, id: query.after });
      const filter = {
        organizationId,
        ...filterOf(query),
        campaignId: query.campaign_id,
        lookupKey: query.lookup_key,
        after,
      };
      return listAnswer(
        query,
        (page) => listAds(db, filter, page),
        (row) => adRecord(row, call.place),
      );
    },
  }),
  route('get /ads/{id}', 'read', {
    ...one('getAd', 'ad', AdRecord),
    handler: async (call, { store }) =>
      foundResponse(200, await readAdRecord(store.db, { ...refOf(call), publicUrl: call.place.publicUrl })),
  }),
  route('get /ads/{id}/check', 'read', {
    operationId: 'getCreativeCheck',
    summary: 'Check the creative of an ad',
    description:
      'The objections of ad servers to the creative, by the limits and the rules of the settings. The facts are measured when the ad is rendered, and the findings follow from them at each request.',
    answer: CreativeCheckRecord,
    failures: [410],
    handler: async (call, { store }) => foundResponse(200, await readCreativeCheck(store.db, refOf(call))),
  }),
  route('patch /ads/{id}', 'write', {
    operationId: 'updateAd',
    summary: 'Change an ad',
    description:
      'Changes the name and the metadata. The media and the lookup key of an ad never change. Events that were stored before keep the old text.',
    body: jsonBody(AdChange, { name: 'Spring, medium rectangle, v2', metadata: { order: '4711' } }),
    answer: AdRecord,
    failures: [410],
    handler: async (call, { store }) => {
      const ref = refOf(call);
      const record = await store.db.transaction().execute(async (tx) => {
        await changeAd(tx, ref, { change: call.input, actor: call.actor });
        return readAdRecord(tx, { ...ref, publicUrl: call.place.publicUrl });
      });
      return foundResponse(200, record);
    },
  }),
  route('delete /ads/{id}', 'write', {
    ...removing(
      'deleteAd',
      'ad',
      'Removes the ad with its preview, its frames, its subscribers and the deliveries to them, and its upload if no other ad uses it. Its lookup key can be used again, and its URLs return 410. Its events stay. 409 while its preview is being captured, and while a set shows it: delete the set first.',
    ),
    handler: removes((tx, call) => removeAd(tx, refOf(call), call.actor)),
  }),
];
