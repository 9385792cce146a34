import { type RawBuilder, sql } from 'kysely';
import { allOf, type Place } from '../../db/keyset.ts';
import { isAfter } from '../../db/listPage.ts';
import { hasMetadata } from '../../db/metadataFilter.ts';
import { inRange, searchQuery, type TimeRange } from '../../db/search.ts';
import type { Words } from '../../db/searchRows.ts';
import type { Metadata } from '../../domain/metadata.ts';
import type { AdStatus } from '../../domain/states.ts';

export interface AdFilter extends TimeRange {
  readonly organizationId: string;
  readonly text?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly lookupKey?: string | undefined;
  readonly status?: AdStatus | undefined;
  /** Only rows with all these pairs. */
  readonly metadata?: Metadata | undefined;
  /** Only rows behind this place in the list. */
  readonly after?: Place | undefined;
}

/** The conditions on `ads` except words. */
export function isInAdList(filter: AdFilter): RawBuilder<boolean> {
  const { organizationId, campaignId, lookupKey, status, after } = filter;
  return allOf([
    sql`ads.organization_id = ${organizationId}`,
    campaignId === undefined ? undefined : sql`ads.campaign_id = ${campaignId}`,
    lookupKey === undefined ? undefined : sql`ads.lookup_key = ${lookupKey}`,
    status === undefined ? undefined : sql`ads.status = ${status}`,
    ...inRange(sql`ads.created_at`, filter),
    isAfter('ads', after),
    hasMetadata('ads', filter),
  ]);
}

/** The wanted words; undefined if there are none. */
export function wordsOfAds({ organizationId, text }: AdFilter): Words | undefined {
  const words = searchQuery({ organizationId, text });
  const matches = sql<boolean>`words_of_ad(ads.id, ads.organization_id, ads.name, ads.lookup_key) @@ ${words}`;
  return words && { matches, ids: sql`select id from ads where ${matches}` };
}
