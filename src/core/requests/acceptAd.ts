/** Accepts an ad of create-ad. */
import type { Faults } from '../../contract/faults.ts';
import type { ParsedCreateAd } from '../../contract/readRequest.ts';
import type { Queryable } from '../../db/database.ts';
import type { Enqueuer } from '../../db/queue.ts';
import type { AdRow, Row } from '../../db/rows.ts';
import { conflict, invalid } from '../../domain/failure.ts';
import {
  findAdsByKey,
  findReferences,
  type InsertedAds,
  insertAds,
  type NewAd,
  type NewAds,
  newAd,
} from '../ads/insertAds.ts';
import { addMissingConnectorFaults, addUnknownCampaignFault, lockUploads, type UploadNames } from './checks.ts';

interface StoredAds extends InsertedAds {
  /** The ads that have the lookup keys of the others, by these keys. They cannot be removed before the transaction ends. */
  readonly existing: ReadonlyMap<string, AdRow>;
}

/** An ad can be deleted between the insert, which finds its lookup key taken, and the look-up. Then its key is free. */
const TRIES = 3;

export interface AdRequest {
  readonly organizationId: string;
  readonly parsed: ParsedCreateAd;
  /** `create_ad` unless given. */
  readonly source?: Row<'ads'>['source'];
}

interface AcceptedAd {
  readonly row: Omit<AdRow, 'reason' | 'width' | 'height' | 'preview_token' | 'warnings'>;
  readonly created: boolean;
}

/** Stores a new ad and asks for its preview, or finds the ad with the lookup key. @throws Failure: 422 with all faults of the body, 409 as `storeNewAds`. */
export async function acceptAd(
  tx: Queryable,
  request: AdRequest,
  { queue }: { readonly queue: Enqueuer },
): Promise<AcceptedAd> {
  const { organizationId, parsed, source = 'create_ad' } = request;
  const { existing, uploadNames } = await examine(tx, request);
  if (existing !== undefined) return { row: existing, created: false };
  const { campaign, ad, subscribers, faults } = parsed;
  if (campaign === undefined || ad?.content === undefined)
    throw new Error('unreachable: an invalid body passed validation');
  const fileName = uploadNames.get(ad.content.media.content);
  const made = newAd({ lookupKey: ad.lookupKey, ...ad.content, fileName });
  const stored = await storeNewAds(tx, { organizationId, campaign, source, ads: [made], subscribers }, faults);
  const createdAt = stored.inserted.get(made.id);
  if (createdAt !== undefined) {
    await queue.enqueue(tx, 'launch', { organization_id: organizationId });
    return { row: pendingRow(made, stored.campaignId, createdAt), created: true };
  }
  const taken = stored.existing.get(made.lookupKey ?? '');
  if (taken === undefined) throw new Error('unreachable: the ad was neither stored nor found by its lookup key');
  return { row: taken, created: false };
}

interface Examined {
  /** The ad that has the lookup key. */
  readonly existing: AdRow | undefined;
  readonly uploadNames: UploadNames;
}

/** @throws Failure (422): name and media are required only if no ad has the lookup key yet. */
async function examine(tx: Queryable, { organizationId, parsed }: AdRequest): Promise<Examined> {
  const { campaign, ad, subscribers, faults } = parsed;
  const lookupKeys = ad?.lookupKey === undefined ? [] : [ad.lookupKey];
  const { campaignId, adsByKey } = await findReferences(tx, { organizationId, campaign, adIds: [], lookupKeys });
  if (campaign !== undefined && 'id' in campaign && campaignId === undefined) addUnknownCampaignFault(faults);
  const existing = ad?.lookupKey === undefined ? undefined : adsByKey.get(ad.lookupKey);
  if (existing === undefined && ad !== undefined) faults.addAll(ad.faults);
  const newAds = existing === undefined ? [{ ad, path: '' }] : [];
  const uploadNames = await lockUploads(tx, { organizationId, newAds, faults });
  await addMissingConnectorFaults(tx, { organizationId, subscribers, faults });
  if (faults.any) throw invalid(faults.errors);
  return { existing, uploadNames };
}

function pendingRow(
  { id, name, lookupKey, media, metadata }: NewAd,
  campaignId: string,
  createdAt: Date,
): AcceptedAd['row'] {
  return {
    id,
    name,
    lookup_key: lookupKey,
    status: 'pending',
    category: null,
    kind: media.type,
    campaign_id: campaignId,
    created_at: createdAt,
    metadata,
  };
}

/**
 * Stores the new ads of a request, and finds those whose lookup keys other ads have.
 * @throws Failure: 409 if other ads with the same lookup keys are deleted again and again, 422 for an unknown campaign.
 */
export async function storeNewAds(tx: Queryable, given: NewAds, faults: Faults): Promise<StoredAds> {
  const inserted = new Map<string, Date>();
  const existing = new Map<string, AdRow>();
  let { ads } = given;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = await insertAds(tx, { ...given, ads });
    if (stored === undefined) {
      addUnknownCampaignFault(faults);
      throw invalid(faults.errors);
    }
    const { campaignId } = stored;
    for (const [id, createdAt] of stored.inserted) inserted.set(id, createdAt);
    const keys = ads.flatMap(({ id, lookupKey }) => (inserted.has(id) ? [] : (lookupKey ?? [])));
    for (const row of await findAdsByKey(tx, campaignId, keys)) existing.set(row.lookup_key ?? '', row);
    ads = ads.filter(({ id, lookupKey }) => !(inserted.has(id) || existing.has(lookupKey ?? '')));
    if (ads.length === 0) return { campaignId, inserted, existing };
  }
  throw conflict('lookup_key', 'is that of an ad that is being deleted: send the request again.');
}
