import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { AD_COLUMNS, type AdRow, type Row } from '../../db/rows.ts';
import { type AdSize, defaultAdName, type Media } from '../../domain/ads.ts';
import type { Metadata } from '../../domain/metadata.ts';
import { isUuid } from '../../domain/slugs.ts';
import { activeTraceparent } from '../../observe/tracing.ts';
import { insertOfSubscribers, type NewSubscriber } from '../journal/subscriberRows.ts';

/** References of a request to a campaign and to ads. */
interface AdReferences {
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

export interface NewAd {
  readonly id: string;
  readonly lookupKey: string | null;
  readonly name: string;
  readonly media: Media;
  /** As the client gave it. */
  readonly size: AdSize | null;
  readonly metadata: Metadata;
}

export interface NewAds {
  readonly organizationId: string;
  readonly campaign: { readonly id: string } | { readonly name: string };
  readonly source: Row<'ads'>['source'];
  readonly ads: readonly NewAd[];
  /** The subscribers of each of these ads; only create-ad has any. */
  readonly subscribers?: readonly NewSubscriber[];
}

export interface InsertedAds {
  readonly campaignId: string;
  /** Those that are new. The others' lookup keys were taken, perhaps a moment ago by another request. */
  readonly inserted: ReadonlyMap<string, Date>;
}

export function newAd(given: {
  lookupKey: string | undefined;
  name: string | undefined;
  media: Media;
  size: AdSize | null;
  metadata: Metadata;
  /** The name of the uploaded file. */
  fileName?: string | undefined;
}): NewAd {
  const id = randomUUID();
  return {
    id,
    lookupKey: given.lookupKey ?? null,
    name: given.name ?? defaultAdName(given.media, id, given.fileName),
    media: given.media,
    size: given.size,
    metadata: given.metadata,
  };
}

/** One try for every name that another request may be inserting, and one more. */
const TRIES = 3;

/**
 * Finds or makes the campaign and stores ads in it, in one statement. Where a lookup key is taken, nothing is stored for that ad. An upload
 * that a stored ad uses no longer expires.
 * @returns undefined where no campaign of this organization has the id.
 */
export async function insertAds(tx: Queryable, given: NewAds): Promise<InsertedAds | undefined> {
  if ('id' in given.campaign && !isUuid(given.campaign.id)) return undefined;
  // In the order of their keys, requests that name the same keys never wait for each other in a circle.
  const ordered = { ...given, ads: given.ads.toSorted(byKey) };
  for (let i = 0; i < TRIES; i += 1) {
    const { rows } = await statement(ordered).execute(tx);
    const campaignId = rows[0]?.campaign_id;
    if (campaignId !== undefined) {
      const inserted = rows.flatMap(({ id, created_at }) => (id === null ? [] : [[id, created_at] as const]));
      return { campaignId, inserted: new Map(inserted) };
    }
    // Another request made the campaign while this statement ran, which therefore did not see it; the next one does.
    if ('id' in given.campaign) return undefined;
  }
  throw new Error(`The campaign was neither found nor made in ${TRIES} tries.`);
}

interface Inserted {
  campaign_id: string;
  id: string | null;
  created_at: Date;
}

function statement({ organizationId, campaign, source, ads, subscribers = [] }: NewAds): RawBuilder<Inserted> {
  const column = <T>(value: (ad: NewAd) => T) => ads.map(value);
  return sql<Inserted>`
    with ${campaignSteps(organizationId, campaign)},
    ad as (
      insert into ads (id, organization_id, campaign_id, lookup_key, name, kind, content, given_width, given_height, source,
        metadata, upload_id, traceparent)
      select n.id, ${organizationId}::uuid, campaign.id, n.lookup_key, n.name, n.kind, n.content, n.given_width,
        n.given_height, ${source}, n.metadata::jsonb, case when n.kind = 'upload' then n.content::uuid end,
        ${activeTraceparent() ?? null}
      from campaign, unnest(
        ${column((ad) => ad.id)}::uuid[], ${column((ad) => ad.lookupKey)}::text[], ${column((ad) => ad.name)}::text[],
        ${column((ad) => ad.media.type)}::text[], ${column((ad) => ad.media.content)}::text[],
        ${column((ad) => ad.size?.width ?? null)}::integer[], ${column((ad) => ad.size?.height ?? null)}::integer[],
        ${column((ad) => JSON.stringify(ad.metadata))}::text[]
      ) as n (id, lookup_key, name, kind, content, given_width, given_height, metadata)
      on conflict (campaign_id, lookup_key) do nothing
      returning id, created_at, upload_id
    ),
    kept as (update uploads set expires_at = null from ad where uploads.id = ad.upload_id)${subscribers.length === 0 ? sql`` : sql`, new_subscribers as (${insertOfSubscribers(organizationId, subscribers, ['ad', 'ad_id'])})`}
    select campaign.id as campaign_id, ad.id, ad.created_at from campaign left join ad on true`;
}

function campaignSteps(organizationId: string, campaign: NewAds['campaign']): RawBuilder<unknown> {
  if ('id' in campaign) {
    return sql`campaign as (
      select id from campaigns where id = ${campaign.id}::uuid and organization_id = ${organizationId}::uuid for key share)`;
  }
  return sql`
    found as (select id from campaigns where organization_id = ${organizationId}::uuid and name = ${campaign.name}
      for key share),
    made as (
      insert into campaigns (id, organization_id, name)
      select ${randomUUID()}::uuid, ${organizationId}::uuid, ${campaign.name} where not exists (select from found)
      on conflict (organization_id, name) do nothing returning id
    ),
    campaign as (select id from found union all select id from made)`;
}

function byKey(a: NewAd, b: NewAd): number {
  const [left, right] = [a.lookupKey ?? '', b.lookupKey ?? ''];
  return left < right ? -1 : left > right ? 1 : 0;
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
