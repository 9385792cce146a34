import { type RawBuilder, sql } from 'kysely';
import { allOf, type Place } from '../../db/keyset.ts';
import { isAfter } from '../../db/listPage.ts';
import { inRange, searchQuery, type TimeRange } from '../../db/search.ts';
import type { Words } from '../../db/searchRows.ts';

export interface CampaignFilter extends TimeRange {
  readonly organizationId: string;
  readonly text?: string | undefined;
  readonly name?: string | undefined;
  /** Only rows behind this place in the list. */
  readonly after?: Place | undefined;
}

/** The conditions on `campaigns` except words. */
export function isInCampaignList(filter: CampaignFilter): RawBuilder<boolean> {
  const { organizationId, name, after } = filter;
  return allOf([
    sql`campaigns.organization_id = ${organizationId}`,
    name === undefined ? undefined : sql`campaigns.name = ${name}`,
    ...inRange(sql`campaigns.created_at`, filter),
    isAfter('campaigns', after),
  ]);
}

/** The wanted words; undefined if there are none. */
export function wordsOfCampaigns({ organizationId, text }: CampaignFilter): Words | undefined {
  const words = searchQuery({ organizationId, text });
  const matches = sql<boolean>`words_of_campaign(campaigns.id, campaigns.organization_id, campaigns.name) @@ ${words}`;
  return words && { matches, ids: sql`select id from campaigns where ${matches}` };
}
