/** Ads of the page of a new request, which no request uses yet. */
import { type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { AdRow, Row } from '../../db/rows.ts';
import { AD_COLUMNS } from './readAd.ts';

export interface DraftAd extends AdRow {
  /** Name of its campaign. */
  readonly campaign: string;
  readonly source: Row<'ads'>['source'];
}

/** @returns the ads of the organization among these, in the order of the ids. */
export async function readDraftAds(
  db: Queryable,
  { organizationId, ids }: { organizationId: string; ids: readonly string[] },
): Promise<DraftAd[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('ads')
    .innerJoin('campaigns', 'campaigns.id', 'ads.campaign_id')
    .select([...AD_COLUMNS, 'campaigns.name as campaign', 'ads.source'])
    .where('ads.organization_id', '=', organizationId)
    .where(sql<SqlBool>`ads.id = any(${[...ids]}::uuid[])`)
    .execute();
  return rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** Moves drafts into the campaign of the request that uses them. Other ads stay where they are. */
export async function moveDraftAds(
  tx: Queryable,
  given: { organizationId: string; ids: readonly string[]; toCampaignId: string },
): Promise<void> {
  if (given.ids.length === 0) return;
  await tx
    .updateTable('ads')
    .set({ campaign_id: given.toCampaignId, source: 'create_ad' })
    .where('organization_id', '=', given.organizationId)
    .where(sql<SqlBool>`id = any(${[...given.ids]}::uuid[])`)
    .where('source', '=', 'draft')
    .execute();
}
