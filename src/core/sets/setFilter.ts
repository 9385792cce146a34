import { type RawBuilder, sql } from 'kysely';
import { allOf, type Place } from '../../db/keyset.ts';
import { isAfter } from '../../db/listPage.ts';
import { hasMetadata } from '../../db/metadataFilter.ts';
import { inRange, searchQuery, type TimeRange, type Wanted } from '../../db/search.ts';
import type { Words } from '../../db/searchRows.ts';
import type { Metadata } from '../../domain/metadata.ts';
import type { SetStatus } from '../../domain/states.ts';

export interface SetFilter extends Wanted, TimeRange {
  readonly campaignId?: string | undefined;
  readonly status?: SetStatus | undefined;
  /** Only rows with all these pairs. */
  readonly metadata?: Metadata | undefined;
  /** Only rows behind this place in the list. */
  readonly after?: Place | undefined;
}

/** The conditions on `screenshot_sets` except words, sites and devices. */
export function isInSetList(filter: SetFilter): RawBuilder<boolean> {
  const { organizationId, campaignId, status, after } = filter;
  return allOf([
    sql`screenshot_sets.organization_id = ${organizationId}`,
    campaignId === undefined ? undefined : sql`screenshot_sets.campaign_id = ${campaignId}`,
    status === undefined ? undefined : sql`screenshot_sets.status = ${status}`,
    ...inRange(sql`screenshot_sets.created_at`, filter),
    isAfter('screenshot_sets', after),
    hasMetadata('screenshot_sets', filter),
  ]);
}

/** The wanted words, sites and devices; undefined if there are none. */
export function wordsOfSets(filter: SetFilter): Words | undefined {
  const words = searchQuery(filter);
  return (
    words && {
      matches: sql<boolean>`exists (
        select from set_search where set_search.set_id = screenshot_sets.id and set_search.words @@ ${words})`,
      ids: sql`select set_id as id from set_search where words @@ ${words}`,
    }
  );
}

/** All conditions on `screenshot_sets`. */
export function isWantedSet(filter: SetFilter): RawBuilder<boolean> {
  return allOf([isInSetList(filter), wordsOfSets(filter)?.matches]);
}
