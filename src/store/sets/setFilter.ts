import { type RawBuilder, sql } from 'kysely';
import type { SetStatus } from '../../domain/states.ts';
import { allOf } from '../database/keyset.ts';
import { inRange, searchQuery, type TimeRange, type Wanted } from '../database/search.ts';

export interface SetFilter extends Wanted, TimeRange {
  readonly campaignId?: string | undefined;
  readonly status?: SetStatus | undefined;
}

/** The condition on `screenshot_sets`. */
export function isWantedSet(filter: SetFilter): RawBuilder<boolean> {
  const { organizationId, campaignId, status } = filter;
  const words = searchQuery(filter);
  return allOf([
    sql`screenshot_sets.organization_id = ${organizationId}`,
    sql`screenshot_sets.removed_at is null`,
    campaignId === undefined ? undefined : sql`screenshot_sets.campaign_id = ${campaignId}`,
    status === undefined ? undefined : sql`screenshot_sets.status = ${status}`,
    ...inRange(sql`screenshot_sets.created_at`, filter),
    words &&
      sql`exists (select from set_search where set_search.set_id = screenshot_sets.id and set_search.words @@ ${words})`,
  ]);
}
