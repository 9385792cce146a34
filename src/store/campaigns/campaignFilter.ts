import { type RawBuilder, sql } from 'kysely';
import { allOf } from '../database/keyset.ts';
import { inRange, searchQuery, type TimeRange } from '../database/search.ts';

export interface CampaignFilter extends TimeRange {
  readonly organizationId: string;
  readonly text?: string | undefined;
  readonly name?: string | undefined;
}

/** The condition on `campaigns`. */
export function isWantedCampaign(filter: CampaignFilter): RawBuilder<boolean> {
  const { organizationId, text, name } = filter;
  const words = searchQuery({ organizationId, text });
  return allOf([
    sql`campaigns.organization_id = ${organizationId}`,
    name === undefined ? undefined : sql`campaigns.name = ${name}`,
    ...inRange(sql`campaigns.created_at`, filter),
    words && sql`words_of_campaign(campaigns.id, campaigns.organization_id, campaigns.name) @@ ${words}`,
  ]);
}
