/** One list page of ads. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type KeysetPage, type KeysetRows, readKeyset, type Sort } from '../../db/keyset.ts';
import type { AdStatus } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import { type AdFilter, isInAdList, wordsOfAds } from './adFilter.ts';

export interface AdListRow {
  readonly id: string;
  readonly campaign_id: string;
  readonly campaign: string;
  readonly name: string;
  readonly lookup_key: string | null;
  readonly status: AdStatus;
  readonly reason: string | null;
  readonly category: 'display' | 'video' | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly preview_token: string | null;
  readonly warnings: readonly Warning[];
  readonly created_at: Date;
}

export interface AdListOptions {
  readonly sort: 'created' | 'name';
  readonly direction: 'asc' | 'desc';
  readonly page: KeysetPage;
}

export async function pageOfAds(
  db: Queryable,
  filter: AdFilter,
  { sort, direction, page }: AdListOptions,
): Promise<KeysetRows<AdListRow>> {
  return readKeyset<AdListRow>(
    db,
    { ...AD_QUERY, where: isInAdList(filter), words: wordsOfAds(filter), sort: { ...AD_SORTS[sort], direction } },
    page,
  );
}

const AD_SORTS = {
  created: { column: sql`ads.created_at`, type: 'time' },
  name: { column: sql`ads.name`, type: 'text' },
} as const satisfies Record<string, Omit<Sort, 'direction'>>;

const AD_QUERY = {
  table: 'ads',
  columns: sql`ads.id, ads.campaign_id, campaigns.name as campaign, ads.name, ads.lookup_key, ads.status, ads.reason,
    ads.category, ads.width, ads.height, ads.preview_token, ads.warnings, ads.created_at`,
  joins: sql`join campaigns on campaigns.id = ads.campaign_id`,
};
