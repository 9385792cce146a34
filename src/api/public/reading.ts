/** Handlers for single objects and for lists: `{"data":[…],"page":…,"per_page":…,"total":…}`. */
import type { z } from 'zod';
import {
  AdsQuery,
  CampaignsQuery,
  DeliveriesQuery,
  ScreenshotsQuery,
  SetScreenshotsQuery,
  SetsQuery,
  UploadsQuery,
} from '../../contract/queries.ts';
import { listAds } from '../../core/ads/listAds.ts';
import { withSetHistory } from '../../core/reviews/reviewQueries.ts';
import { listCampaigns, readCampaign } from '../../core/sets/campaigns.ts';
import { listSets } from '../../core/sets/listSets.ts';
import { readAdRecord, readScreenshotDetail, readSetRecord } from '../../core/sets/readRecords.ts';
import {
  findApprovedPlace,
  findPlaceInSet,
  listApprovedScreenshots,
  listScreenshotsOfSet,
} from '../../core/sets/readScreenshots.ts';
import { readSetVersion, type SetVersion } from '../../core/sets/readSet.ts';
import {
  adRecord,
  approvedScreenshotRecord,
  campaignRecord,
  deliveryDetailRecord,
  deliveryRecord,
  listedSetRecord,
  screenshotRecord,
  uploadRecord,
} from '../../core/sets/setJson.ts';
import { listUploads } from '../../core/uploads/uploadQueries.ts';
import { findDelivery, listDeliveries } from '../../core/webhooks/listDeliveries.ts';
import type { Database } from '../../db/database.ts';
import { unknownId, unknownOrRemoved } from '../../domain/failure.ts';
import { costOfPictures } from '../limits/costs.ts';
import { type AuthorizedRequest, idOf, type JsonResponse, jsonResponse, readOrFail } from './endpoint.ts';
import { hasTag, tagOf } from './entityTag.ts';
import { listAnswer, placeOf, unknownPlace } from './listAnswer.ts';
import { listQuery } from './listQuery.ts';

type ReadHandler = (call: AuthorizedRequest) => Promise<JsonResponse>;
const DAY_MS = 86_400_000;

export function adList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(AdsQuery, call);
    const after = await placeOf(db, 'ads', { ...ofCaller(call), id: query.after });
    const filter = {
      ...ofCaller(call),
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
  };
}

export function campaignList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(CampaignsQuery, call);
    const after = await placeOf(db, 'campaigns', { ...ofCaller(call), id: query.after });
    const filter = { ...ofCaller(call), ...filterOf(query), name: query.name, after };
    return listAnswer(query, (page) => listCampaigns(db, filter, page), campaignRecord);
  };
}

export function setList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(SetsQuery, call);
    const after = await placeOf(db, 'screenshot_sets', { ...ofCaller(call), id: query.after });
    const filter = { ...ofCaller(call), ...filterOf(query), campaignId: query.campaign_id, after };
    return listAnswer(
      query,
      async (page) => {
        const { rows, total } = await listSets(db, filter, page);
        return { rows: await withSetHistory(db, rows), total };
      },
      (row) => listedSetRecord(row, call.place),
    );
  };
}

export function screenshotList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(ScreenshotsQuery, call);
    const now = Date.now();
    const to = query.to ?? new Date(now);
    const from = query.from ?? new Date(Math.min(to.getTime(), now) - DAY_MS);
    const creative = query.include === 'ad.creative';
    const filter = {
      ...ofCaller(call),
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
  };
}

/** As `placeOf`, for the list of approved screenshots. */
async function approvedPlaceOf(db: Database, call: AuthorizedRequest, id: string | undefined) {
  if (id === undefined) return undefined;
  const place = await findApprovedPlace(db, { ...ofCaller(call), id });
  if (place === undefined) throw unknownPlace();
  return place;
}

export function deliveryList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(DeliveriesQuery, call);
    const after = await placeOf(db, 'deliveries', { ...ofCaller(call), id: query.after });
    const { screenshot_set_id: setId, ad_id: adId, webhook_endpoint_id: endpointId, status, topic, channel } = query;
    const { from, to } = query;
    const filter = { ...ofCaller(call), setId, adId, endpointId, status, topic, channel, from, to, after };
    return listAnswer(query, (page) => listDeliveries(db, filter, page), deliveryRecord);
  };
}

/** Responds with the attempts and the event. @throws Failure (404) */
export function oneDelivery(db: Database): ReadHandler {
  return async ({ request, organizationId }) => {
    const row = await findDelivery(db, { organizationId, id: idOf(request) });
    if (row === undefined) throw unknownOrRemoved('delivery');
    return jsonResponse(200, deliveryDetailRecord(row));
  };
}

export function uploadList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(UploadsQuery, call);
    const after = await placeOf(db, 'uploads', { ...ofCaller(call), id: query.after });
    const filter = { ...ofCaller(call), from: query.from, to: query.to, after };
    return listAnswer(query, (page) => listUploads(db, filter, page), uploadRecord);
  };
}

/** The filters of the query as the store names them; `page`, `per_page` and others are not filters. */
function filterOf<Q extends { readonly q?: string | undefined }>({ q, ...query }: Q) {
  return { ...query, text: q };
}

const ofCaller = ({ organizationId }: AuthorizedRequest) => ({ organizationId });

/** @throws Failure (422) with all faults of the query. */
function read<S extends z.ZodType>(schema: S, { request }: AuthorizedRequest): z.output<S> {
  return readOrFail(schema, listQuery(request));
}

/** Responds with the same object as `data.object` of an event about the ad. @throws Failure (404) */
export function oneAd(db: Database): ReadHandler {
  return async ({ request, organizationId, place }) => {
    const id = idOf(request);
    const record = await readAdRecord(db, { id, organizationId, publicUrl: place.publicUrl });
    if (record === undefined) throw unknownId();
    return jsonResponse(200, record);
  };
}

/** As {@link oneAd}, for a set. */
export function oneSet(db: Database): ReadHandler {
  return async ({ request, organizationId, place, charge }) => {
    const id = idOf(request);
    const { pictures, version } = await requireSet(db, { id, organizationId });
    const tag = tagOf(version);
    // Before the record is built: one of 10,000 pictures has 6 MB.
    if (hasTag(request, tag)) return { status: 304, text: '', tag };
    await charge(costOfPictures(pictures));
    const record = await readSetRecord(db, { id, organizationId, publicUrl: place.publicUrl });
    if (record === undefined) throw unknownId();
    return { ...jsonResponse(200, record), tag };
  };
}

/** The screenshots of one set, in the order of the request. @throws Failure (404 or 410) */
export function screenshotsOfSet(db: Database): ReadHandler {
  return async (call) => {
    const query = read(SetScreenshotsQuery, call);
    const setId = idOf(call.request);
    await requireSet(db, { id: setId, ...ofCaller(call) });
    const after = query.after === undefined ? undefined : await findPlaceInSet(db, { setId, id: query.after });
    if (after === undefined && query.after !== undefined) throw unknownPlace();
    return listAnswer(
      query,
      (page) => listScreenshotsOfSet(db, { setId, after }, page),
      (row) => screenshotRecord(row, call.place),
    );
  };
}

/** @throws Failure (404) */
export async function requireSet(db: Database, ref: { id: string; organizationId: string }): Promise<SetVersion> {
  const found = await readSetVersion(db, ref);
  if (found === undefined) throw unknownId();
  return found;
}

/** Responds with the same object as the list. @throws Failure (404) */
export function oneCampaign(db: Database): ReadHandler {
  return async ({ request, organizationId }) => {
    const id = idOf(request);
    const row = await readCampaign(db, { id, organizationId });
    if (row === undefined) throw unknownId();
    return jsonResponse(200, campaignRecord(row));
  };
}

/** @throws Failure (404) */
export function oneScreenshot(db: Database): ReadHandler {
  return async ({ request, organizationId, place }) => {
    const id = idOf(request);
    const record = await readScreenshotDetail(db, { screenshotId: id, organizationId }, place);
    if (record === undefined) throw unknownId();
    return jsonResponse(200, record);
  };
}
