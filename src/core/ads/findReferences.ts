import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { AdRow } from '../../db/rows.ts';
import { isUuid } from '../../domain/slugs.ts';
import { AD_COLUMNS } from './readAd.ts';

/** References of a request to a campaign and to ads. */
export interface AdReferences {
  readonly organizationId: string;
  readonly campaign: { readonly id: string } | { readonly name: string } | undefined;
  readonly adIds: readonly string[];
  readonly lookupKeys: readonly string[];
}

export interface FoundReferences {
  /** Undefined if the organization has no such campaign. */
  readonly campaignId: string | undefined;
  readonly adsById: ReadonlyMap<string, AdRow>;
  /** Ads of that campaign only. */
  readonly adsByKey: ReadonlyMap<string, AdRow>;
}

/**
 * Finds rows and creates none. An id that is not a UUID matches no row. The rows cannot be removed before the transaction
 * ends.
 */
export async function findReferences(db: Queryable, named: AdReferences): Promise<FoundReferences> {
  const campaignId = await findCampaign(db, named);
  const adsById = await findAdsById(db, named);
  const adsByKey = campaignId === undefined ? [] : await findAdsByKey(db, campaignId, named.lookupKeys);
  return {
    campaignId,
    adsById: new Map(adsById.map((ad) => [ad.id, ad])),
    adsByKey: new Map(adsByKey.map((ad) => [ad.lookup_key ?? '', ad])),
  };
}

async function findCampaign(db: Queryable, { organizationId, campaign }: AdReferences): Promise<string | undefined> {
  if (campaign === undefined || ('id' in campaign && !isUuid(campaign.id))) return undefined;
  const [column, value] = 'id' in campaign ? (['id', campaign.id] as const) : (['name', campaign.name] as const);
  const row = await db
    .selectFrom('campaigns')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where(column, '=', value)
    .forKeyShare()
    .executeTakeFirst();
  return row?.id;
}

async function findAdsById(db: Queryable, { organizationId, adIds }: AdReferences): Promise<AdRow[]> {
  const ids = adIds.filter(isUuid);
  if (ids.length === 0) return [];
  return db
    .selectFrom('ads')
    .select(AD_COLUMNS)
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`ads.id = any(${ids}::uuid[])`)
    .forKeyShare()
    .execute();
}

export async function findAdsByKey(db: Queryable, campaignId: string, keys: readonly string[]): Promise<AdRow[]> {
  if (keys.length === 0) return [];
  return db
    .selectFrom('ads')
    .select(AD_COLUMNS)
    .where('campaign_id', '=', campaignId)
    .where(sql<boolean>`ads.lookup_key = any(${[...keys]}::text[])`)
    .forKeyShare()
    .execute();
}
