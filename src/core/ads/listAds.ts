import { type RawBuilder, sql } from 'kysely';
import {
  allOf,
  hasMetadata,
  isAfter,
  isInRange,
  type Place,
  searchQuery,
  type TimeRange,
} from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readSearchPage, type Words } from '../../db/list.ts';
import { AD_COLUMNS, type AdRow } from '../../db/rows.ts';
import { DRAFT_CAMPAIGN } from '../../domain/campaigns.ts';
import type { Metadata } from '../../domain/metadata.ts';
import type { AdStatus } from '../../domain/states.ts';

export interface AdFilter extends TimeRange {
  readonly organizationId: string;
  readonly text?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly lookupKey?: string | undefined;
  /** False leaves out creatives that people try, and that no request has used yet. */
  readonly hasDrafts?: false;
  readonly status?: AdStatus | undefined;
  /** Only rows with all these pairs. */
  readonly metadata?: Metadata | undefined;
  /** Only rows behind this place in the list, newest first. */
  readonly after?: Place | undefined;
  /** The newest first, unless given. */
  readonly sort?: keyof typeof ORDERS;
}

export interface ListedAd extends AdRow {
  /** Name of its campaign. */
  readonly campaign: string;
}

export async function listAds(db: Queryable, filter: AdFilter, page: Page): Promise<ListPage<ListedAd>> {
  const { sort = 'newest' } = filter;
  const list = { ...LIST, where: isInList(filter), words: wordsOf(filter), order: ORDERS[sort] };
  return readSearchPage<ListedAd>(db, list, page);
}

const LIST = {
  table: 'ads',
  columns: sql`${sql.join(AD_COLUMNS.map((name) => sql.ref(name)))}, campaigns.name as campaign`,
  joins: sql`join campaigns on campaigns.id = ads.campaign_id`,
};

/** Equal values are in the other order of their ids if the list is reversed, as in the indexes. */
const ORDERS = {
  newest: sql`ads.created_at desc, ads.id`,
  oldest: sql`ads.created_at, ads.id desc`,
  name: sql`ads.name, ads.id desc`,
};

/** The conditions on `ads` except words. */
function isInList(filter: AdFilter): RawBuilder<boolean> {
  const { organizationId, campaignId, lookupKey, hasDrafts, status, after } = filter;
  return allOf([
    sql`ads.organization_id = ${organizationId}`,
    campaignId === undefined ? undefined : sql`ads.campaign_id = ${campaignId}`,
    lookupKey === undefined ? undefined : sql`ads.lookup_key = ${lookupKey}`,
    hasDrafts === false
      ? sql`ads.campaign_id is distinct from (
          select id from campaigns where organization_id = ${organizationId} and name = ${DRAFT_CAMPAIGN})`
      : undefined,
    status === undefined ? undefined : sql`ads.status = ${status}`,
    isInRange(sql`ads.created_at`, filter),
    isAfter('ads', after),
    hasMetadata('ads', filter),
  ]);
}

/** The wanted words; undefined if there are none. */
function wordsOf({ organizationId, text }: AdFilter): Words | undefined {
  const words = searchQuery({ organizationId, text });
  const matches = sql<boolean>`words_of_ad(ads.id, ads.organization_id, ads.name, ads.lookup_key) @@ ${words}`;
  return words && { matches, ids: sql`select id from ads where ${matches}` };
}
