/** Campaigns with their counts, for the pages. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type KeysetPage, type KeysetRows, readKeyset, type Sort } from '../../db/keyset.ts';
import { type CampaignFilter, isInCampaignList, wordsOfCampaigns } from './campaignFilter.ts';

/** Larger numbers are not counted to their end. */
export const COUNT_MOST = 1_000;

interface Campaign {
  readonly id: string;
  readonly name: string;
  readonly created_at: Date;
  /** When the last set or ad was requested, at most a minute behind. */
  readonly active_at: Date;
}

export interface CampaignCounts {
  /** At most COUNT_MOST, and so for the others. */
  readonly sets: number;
  readonly ads: number;
  /** Sets that wait for a review. */
  readonly inReview: number;
}

export type CampaignListRow = Campaign & CampaignCounts;

export interface CampaignListOptions {
  readonly sort: 'active' | 'created' | 'name';
  readonly direction: 'asc' | 'desc';
  readonly page: KeysetPage;
}

export async function pageOfCampaigns(
  db: Queryable,
  filter: CampaignFilter,
  { sort, direction, page }: CampaignListOptions,
): Promise<KeysetRows<CampaignListRow>> {
  const query = {
    table: 'campaigns',
    columns: COLUMNS,
    where: isInCampaignList(filter),
    words: wordsOfCampaigns(filter),
  };
  const found = await readKeyset<Campaign>(db, { ...query, sort: { ...SORTS[sort], direction } }, page);
  const counts = await countContent(db, found.rows);
  return { ...found, rows: found.rows.map((row) => ({ ...row, ...(counts.get(row.id) ?? NONE) })) };
}

/** @returns undefined if the organization has no such campaign. */
export async function readCampaign(
  db: Queryable,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<CampaignListRow | undefined> {
  const { rows } = await sql<Campaign>`select ${COLUMNS} from campaigns
    where campaigns.id = ${id} and campaigns.organization_id = ${organizationId}`.execute(db);
  const counts = await countContent(db, rows);
  return rows.map((row) => ({ ...row, ...(counts.get(row.id) ?? NONE) }))[0];
}

/** The campaigns that were active last, for a choice in a form. */
export async function readRecentCampaigns(
  db: Queryable,
  organizationId: string,
  most: number,
): Promise<Pick<Campaign, 'id' | 'name'>[]> {
  return db
    .selectFrom('campaigns')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .orderBy('active_at', 'desc')
    .orderBy('id')
    .limit(most)
    .execute();
}

const COLUMNS = sql`campaigns.id, campaigns.name, campaigns.created_at, campaigns.active_at`;
const NONE: CampaignCounts = { sets: 0, ads: 0, inReview: 0 };
const SORTS = {
  active: { column: sql`campaigns.active_at`, type: 'time' },
  created: { column: sql`campaigns.created_at`, type: 'time' },
  name: { column: sql`campaigns.name`, type: 'text' },
} as const satisfies Record<string, Omit<Sort, 'direction'>>;

async function countContent(db: Queryable, rows: readonly { id: string }[]): Promise<Map<string, CampaignCounts>> {
  if (rows.length === 0) return new Map();
  const ids = rows.map(({ id }) => id);
  const found = await sql<{ id: string; sets: number; ads: number; in_review: number }>`
    select w.id,
      (select count(*) from (select from screenshot_sets where campaign_id = w.id limit ${COUNT_MOST}) t)::integer as sets,
      (select count(*) from (select from ads where campaign_id = w.id limit ${COUNT_MOST}) t)::integer as ads,
      (select count(*) from (select from screenshot_sets
        where campaign_id = w.id and status = 'in_review' limit ${COUNT_MOST}) t)::integer as in_review
    from unnest(${ids}::uuid[]) as w(id)`.execute(db);
  return new Map(found.rows.map(({ id, sets, ads, in_review }) => [id, { sets, ads, inReview: in_review }]));
}
