import { type ParsedCreateAd, parseCreateAd } from '../../contract/parseCreateAd.ts';
import { invalid } from '../../domain/failure.ts';
import { findAdsByKey, findReferences } from '../../store/ads/findReferences.ts';
import { type InsertedAds, insertAds, type NewAd, newAd } from '../../store/ads/insertAds.ts';
import type { Queryable } from '../../store/database/database.ts';
import type { AdRow } from '../../store/database/rows.ts';
import { adSummary } from '../presenters/records.ts';
import { addLogFields } from '../server/accessLog.ts';
import { addMissingConnectorFaults, addUnknownCampaignFault, wantsS3 } from './checks.ts';
import { type AuthorizedRequest, type JsonResponse, jsonResponse } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { jsonBodyReader } from './jsonBody.ts';
import type { PublicApiOptions } from './options.ts';

/** POST …/ads: 201 with a new ad, or 200 with the ad that already has the lookup key. The service then captures the preview of a new ad. */
export function createAd(options: PublicApiOptions): (call: AuthorizedRequest) => Promise<JsonResponse> {
  const { store, limits, queue } = options;
  const readBody = jsonBodyReader(limits.bodyBytes);
  return async (call) => {
    const { value, sha256 } = await readBody(call.request, call.response, call.organizationId);
    const parsed = parseCreateAd(value, limits);
    return answerOnce({ db: store.db, call, endpoint: 'ads', bodySha256: sha256 }, async (tx) => {
      const { row, created } = await accept(tx, call, parsed);
      addLogFields(call.response, { ad_id: row.id });
      if (created) await queue.enqueue(tx, 'launch', { organization_id: call.organizationId });
      return jsonResponse(created ? 201 : 200, adSummary(row, call.place));
    });
  };
}

interface Accepted {
  readonly row: Omit<AdRow, 'reason' | 'width' | 'height' | 'preview_token' | 'warnings'>;
  readonly created: boolean;
}

/** @throws Failure (422) with all faults of the body. */
async function accept(tx: Queryable, call: AuthorizedRequest, parsed: ParsedCreateAd): Promise<Accepted> {
  const existing = needsLook(parsed) ? await examine(tx, call, parsed) : undefined;
  if (existing !== undefined) return { row: existing, created: false };
  const { made, stored } = await store(tx, call, parsed);
  const createdAt = stored.inserted.get(made.id);
  if (createdAt !== undefined) return { row: pendingRow(made, stored.campaignId, createdAt), created: true };
  const [taken] = await findAdsByKey(tx, stored.campaignId, [made.lookupKey ?? '']);
  if (taken === undefined) throw new Error('unreachable: the ad was neither stored nor found by its lookup key');
  return { row: taken, created: false };
}

interface Stored {
  readonly made: NewAd;
  readonly stored: InsertedAds;
}

async function store(
  tx: Queryable,
  { organizationId, remembered }: AuthorizedRequest,
  parsed: ParsedCreateAd,
): Promise<Stored> {
  const { campaign, ad, subscribers, faults } = parsed;
  if (campaign === undefined || ad?.content === undefined)
    throw new Error('unreachable: an invalid body passed validation');
  const made = newAd({ lookupKey: ad.lookupKey, ...ad.content });
  const given = { organizationId, campaign, source: 'create_ad', ads: [made], subscribers } as const;
  const stored = await insertAds(tx, remembered ? { ...given, liveKeyId: remembered.keyId } : given);
  if (stored !== undefined) return { made, stored };
  await remembered?.recheck(tx);
  if ('name' in campaign) throw new Error('unreachable: the campaign was neither found nor created');
  addUnknownCampaignFault(faults);
  throw invalid(faults.errors);
}

/** The usual request is valid and has media. The insert then finds an existing ad itself, and no query is needed before. */
function needsLook({ faults, ad, subscribers }: ParsedCreateAd): boolean {
  return faults.any || ad?.content === undefined || wantsS3(subscribers);
}

/** @returns the ad that has the lookup key. @throws Failure (422): name and media are required only if no ad has it yet. */
async function examine(tx: Queryable, call: AuthorizedRequest, parsed: ParsedCreateAd): Promise<AdRow | undefined> {
  await call.remembered?.recheck(tx);
  const { organizationId } = call;
  const { campaign, ad, subscribers, faults } = parsed;
  const lookupKeys = ad?.lookupKey === undefined ? [] : [ad.lookupKey];
  const { campaignId, adsByKey } = await findReferences(tx, { organizationId, campaign, adIds: [], lookupKeys });
  if (campaign !== undefined && 'id' in campaign && campaignId === undefined) addUnknownCampaignFault(faults);
  const existing = ad?.lookupKey === undefined ? undefined : adsByKey.get(ad.lookupKey);
  if (existing === undefined && ad !== undefined) faults.addAll(ad.faults);
  await addMissingConnectorFaults(tx, { organizationId, subscribers, faults });
  if (faults.any) throw invalid(faults.errors);
  return existing;
}

function pendingRow({ id, name, lookupKey, media }: NewAd, campaignId: string, createdAt: Date): Accepted['row'] {
  return {
    id,
    name,
    lookup_key: lookupKey,
    status: 'pending',
    category: null,
    kind: media.type,
    campaign_id: campaignId,
    created_at: createdAt,
  };
}
