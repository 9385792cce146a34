/** Campaigns, and how many sets and ads each has. */
import { type RawBuilder, sql } from 'kysely';
import { allOf, isAfter, isInRange, type Place, searchQuery, type TimeRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readSearchPage, type Words } from '../../db/list.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import type { Logo } from '../../domain/branding.ts';
import { DRAFT_CAMPAIGN } from '../../domain/campaigns.ts';

export interface CampaignFilter extends TimeRange {
  readonly organizationId: string;
  readonly text?: string | undefined;
  readonly name?: string | undefined;
  /** False leaves out the campaign of creatives that people try. */
  readonly hasDrafts?: false;
  /** Only rows behind this place in the list, newest first. */
  readonly after?: Place | undefined;
  /** The newest first, unless given. */
  readonly sort?: keyof typeof ORDERS;
}

export async function listCampaigns(
  db: Queryable,
  filter: CampaignFilter,
  page: Page,
): Promise<ListPage<Row<'campaigns'>>> {
  const { sort = 'newest' } = filter;
  const list = { table: 'campaigns', columns: sql`campaigns.*`, where: isInList(filter), order: ORDERS[sort] };
  return readSearchPage<Row<'campaigns'>>(db, { ...list, words: wordsOf(filter) }, page);
}

/** Equal values are in the other order of their ids if the list is reversed, as in the indexes. */
const ORDERS = {
  active: sql`campaigns.active_at desc, campaigns.id`,
  newest: sql`campaigns.created_at desc, campaigns.id`,
  oldest: sql`campaigns.created_at, campaigns.id desc`,
  name: sql`campaigns.name, campaigns.id desc`,
};

/** The conditions on `campaigns` except words. */
function isInList(filter: CampaignFilter): RawBuilder<boolean> {
  const { organizationId, name, hasDrafts, after } = filter;
  return allOf([
    sql`campaigns.organization_id = ${organizationId}`,
    name === undefined ? undefined : sql`campaigns.name = ${name}`,
    hasDrafts === false ? sql`campaigns.name <> ${DRAFT_CAMPAIGN}` : undefined,
    isInRange(sql`campaigns.created_at`, filter),
    isAfter('campaigns', after),
  ]);
}

/** The wanted words; undefined if there are none. */
function wordsOf({ organizationId, text }: CampaignFilter): Words | undefined {
  const words = searchQuery({ organizationId, text });
  const matches = sql<boolean>`words_of_campaign(campaigns.id, campaigns.organization_id, campaigns.name) @@ ${words}`;
  return words && { matches, ids: sql`select id from campaigns where ${matches}` };
}

/** @returns undefined if this organization has no such campaign. */
export async function readCampaign(
  db: Queryable,
  { id, organizationId }: ObjectRef,
): Promise<Row<'campaigns'> | undefined> {
  return db
    .selectFrom('campaigns')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
}

/** The logo of the client of the campaign `c`. */
export const CLIENT_LOGO = sql<Logo | null>`(
  select jsonb_build_object('token', token, 'key', artifact_key, 'width', width, 'height', height)
  from images where token = c.logo_token)`;

/** @returns undefined if this organization has no such campaign. */
export async function readCampaignLogo(db: Queryable, { id, organizationId }: ObjectRef) {
  const { rows } = await sql<{ logo: Logo | null }>`
    select ${CLIENT_LOGO} as logo from campaigns c where c.id = ${id} and c.organization_id = ${organizationId}`.execute(
    db,
  );
  return rows[0];
}

/** @returns undefined if this organization has no such campaign. */
export async function readCountedCampaign(db: Queryable, ref: ObjectRef): Promise<CountedCampaign | undefined> {
  const campaign = await readCampaign(db, ref);
  return campaign && (await withCounts(db, [campaign]))[0];
}

/** Larger numbers are not counted to their end. */
export const COUNT_MOST = 1_000;

export interface CountedCampaign extends Row<'campaigns'> {
  /** At most COUNT_MOST, and so for the others. */
  readonly sets: number;
  readonly ads: number;
  /** Sets that wait for a review. */
  readonly in_review: number;
}

export async function withCounts(db: Queryable, rows: readonly Row<'campaigns'>[]): Promise<CountedCampaign[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const found = await sql<Pick<CountedCampaign, 'id' | 'sets' | 'ads' | 'in_review'>>`
    select w.id,
      (select count(*) from (select from screenshot_sets where campaign_id = w.id and original_id is null limit ${COUNT_MOST}) t)::integer as sets,
      (select count(*) from (select from ads where campaign_id = w.id limit ${COUNT_MOST}) t)::integer as ads,
      (select count(distinct root) from (select coalesce(original_id, id) as root from screenshot_sets
        where campaign_id = w.id and status = 'in_review' limit ${COUNT_MOST}) t)::integer as in_review
    from unnest(${ids}::uuid[]) as w(id)`.execute(db);
  const counts = new Map(found.rows.map((row) => [row.id, row]));
  return rows.map((row) => ({ sets: 0, ads: 0, in_review: 0, ...row, ...counts.get(row.id) }));
}

/** @returns the ids of all its sets, retakes too. */
export async function readSetIds(db: Queryable, campaignId: string): Promise<string[]> {
  const rows = await db.selectFrom('screenshot_sets').select('id').where('campaign_id', '=', campaignId).execute();
  return rows.map(({ id }) => id);
}

/** Keeps requests from using the campaign until the transaction ends. @returns its name; undefined if there is none. */
export async function lockCampaign(tx: Queryable, { id, organizationId }: ObjectRef): Promise<string | undefined> {
  const row = await tx
    .selectFrom('campaigns')
    .select('name')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst();
  return row?.name;
}
