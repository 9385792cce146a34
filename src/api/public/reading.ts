/** Handlers for single objects and for lists: `{"data":[…],"page":…,"per_page":…,"total":…}`. */
import type { z } from 'zod';
import { Faults } from '../../contract/faults.ts';
import {
  AdsQuery,
  CampaignsQuery,
  DeliveriesQuery,
  PER_PAGE_DEFAULT,
  ScreenshotsQuery,
  SetsQuery,
} from '../../contract/queries.ts';
import { invalid } from '../../domain/failure.ts';
import { listAds } from '../../store/ads/listAds.ts';
import { listCampaigns } from '../../store/campaigns/listCampaigns.ts';
import type { Database } from '../../store/database/database.ts';
import type { ListPage, Page } from '../../store/database/listPage.ts';
import { listDeliveries } from '../../store/deliveries/listDeliveries.ts';
import { listApprovedScreenshots } from '../../store/screenshots/listApprovedScreenshots.ts';
import { listSets } from '../../store/sets/listSets.ts';
import { approvedScreenshotRecord, campaignRecord, deliveryRecord, listedSetRecord } from '../presenters/listItems.ts';
import { readAdRecord, readSetRecord } from '../presenters/readRecords.ts';
import { adRecord } from '../presenters/records.ts';
import { type AuthorizedRequest, idOf, type JsonResponse, jsonResponse, unknownId } from './endpoint.ts';

type ReadHandler = (call: AuthorizedRequest) => Promise<JsonResponse>;
const DAY_MS = 86_400_000;

export function adList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(AdsQuery, call);
    const filter = { ...ofCaller(call), campaignId: query.campaign_id, lookupKey: query.lookup_key };
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
    const filter = { ...ofCaller(call), name: query.name };
    return listAnswer(query, (page) => listCampaigns(db, filter, page), campaignRecord);
  };
}

export function setList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(SetsQuery, call);
    const filter = { ...ofCaller(call), campaignId: query.campaign_id, status: query.status };
    return listAnswer(
      query,
      (page) => listSets(db, filter, page),
      (row) => listedSetRecord(row, call.place),
    );
  };
}

export function screenshotList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(ScreenshotsQuery, call);
    const to = query.to ?? new Date();
    const from = query.from ?? new Date(Date.now() - DAY_MS);
    const creative = query.include === 'ad.creative';
    const filter = { ...ofCaller(call), from, to, order: query.order ?? 'desc', creative };
    return listAnswer(
      query,
      (page) => listApprovedScreenshots(db, filter, page),
      (row) => approvedScreenshotRecord(row, call.place),
    );
  };
}

export function deliveryList(db: Database): ReadHandler {
  return async (call) => {
    const query = read(DeliveriesQuery, call);
    const filter = { ...ofCaller(call), setId: query.screenshot_set_id, adId: query.ad_id, status: query.status };
    return listAnswer(query, (page) => listDeliveries(db, filter, page), deliveryRecord);
  };
}

const ofCaller = ({ organizationId }: AuthorizedRequest) => ({ organizationId });

/** @throws Failure (422) with all faults of the query. */
function read<S extends z.ZodType>(schema: S, { request }: AuthorizedRequest): z.output<S> {
  const faults = new Faults();
  const query = faults.read(schema, request.query, '');
  if (query === undefined) throw invalid(faults.errors);
  return query;
}

async function listAnswer<Row>(
  query: { page?: number | undefined; per_page?: number | undefined },
  list: (page: Page) => Promise<ListPage<Row>>,
  item: (row: Row) => object,
): Promise<JsonResponse> {
  const { page = 1, per_page = PER_PAGE_DEFAULT } = query;
  const { rows, total } = await list({ page, perPage: per_page });
  return jsonResponse(200, { data: rows.map(item), page, per_page, total });
}

/** Responds with the same object as `data.object` of an event about the ad. @throws Failure (404) */
export function oneAd(db: Database): ReadHandler {
  return async ({ request, organizationId, place }) => {
    const record = await readAdRecord(db, { id: idOf(request), organizationId, publicUrl: place.publicUrl });
    if (record === undefined) throw unknownId();
    return jsonResponse(200, record);
  };
}

/** As {@link oneAd}, for a set. */
export function oneSet(db: Database): ReadHandler {
  return async ({ request, organizationId, place }) => {
    const record = await readSetRecord(db, { id: idOf(request), organizationId, publicUrl: place.publicUrl });
    if (record === undefined) throw unknownId();
    return jsonResponse(200, record);
  };
}
