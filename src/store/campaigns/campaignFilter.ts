import { type RawBuilder, sql } from 'kysely';
import { allOf, type Place } from '../database/keyset.ts';
import { isAfter } from '../database/listPage.ts';
import { inRange, searchQuery, type TimeRange } from '../database/search.ts';

export interface CampaignFilter extends TimeRange {
  readonly organizationId: string;
  readonly text?: string | undefined;
  readonly name?: string | undefined;
  /** Only rows behind this place in the list. */
  readonly after?: Place | undefined;
}

/** The condition on `campaigns`. */
export function isWantedCampaign(filter: CampaignFilter): RawBuilder<boolean> {
  const { organizationId, text, name, after } = filter;
  const words = searchQuery({ organizationId, text });
  return allOf([
    sql`campaigns.organization_id = ${organizationId}`,
    sql`campaigns.removed_at is null`,
    name === undefined ? undefined : sql`campaigns.name = ${name}`,
    ...inRange(sql`campaigns.created_at`, filter),
    isAfter('campaigns', after),
    words && sql`words_of_campaign(campaigns.id, campaigns.organization_id, campaigns.name) @@ ${words}`,
  ]);
}
