import { type RawBuilder, sql } from 'kysely';
import { isInRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { Row, ScreenshotRow } from '../../db/rows.ts';
import type { MediaType } from '../../domain/ads.ts';
import { AD_COLUMNS } from '../ads/readAd.ts';
import { type History, withScreenshotHistory } from '../reviews/reviewQueries.ts';
import { SCREENSHOT_COLUMNS } from './readScreenshots.ts';

export interface ApprovedFilter {
  readonly organizationId: string;
  /** The range of approval times, both ends included. */
  readonly from: Date;
  readonly to: Date;
  readonly order: 'asc' | 'desc';
  /** With the content of the ads' media. */
  readonly creative: boolean;
  /** Only screenshots behind this place in the list. */
  readonly after?: ApprovedPlace | undefined;
}

export interface ApprovedRow extends ScreenshotRow, History {
  readonly set_id: string;
  readonly approved_at: Date;
  readonly creative: { readonly type: MediaType; readonly content: string } | undefined;
}

/** The pictures of approved sets, by the time of approval. Those that failed or that a reviewer rejected are not among them. */
export async function listApprovedScreenshots(
  db: Queryable,
  filter: ApprovedFilter,
  page: Page,
): Promise<ListPage<ApprovedRow>> {
  const matching = db
    .selectFrom('screenshots')
    .innerJoin('screenshot_sets', 'screenshot_sets.id', 'screenshots.set_id')
    .where('screenshot_sets.organization_id', '=', filter.organizationId)
    .where('screenshot_sets.status', '=', 'approved')
    .where(isInRange(sql`screenshot_sets.approved_at`, filter))
    .where('screenshots.status', '=', 'uploaded')
    .where(sql<boolean>`screenshots.decision is distinct from 'rejected'`)
    .where(isAfterPlace(filter.order, filter.after));
  const ordered = matching
    .leftJoin('images', 'images.token', 'screenshots.image_token')
    .select([...SCREENSHOT_COLUMNS, 'screenshots.set_id', 'screenshot_sets.approved_at'])
    .orderBy('screenshot_sets.approved_at', filter.order)
    .orderBy('screenshots.set_id')
    .orderBy('screenshots.seq');
  const { rows, total } = await readListPage(db, ordered, page);
  const ads = await adsOf(db, [...new Set(rows.map((row) => row.ad_id))], filter.creative);
  const listed = rows.flatMap((row) => complete(row, ads));
  return { rows: await withScreenshotHistory(db, listed), total };
}

/** A row's position in the list. */
export interface ApprovedPlace {
  /** The text of the time. */
  readonly approvedAt: string;
  readonly setId: string;
  readonly seq: number;
}

/** The first condition lets an index find the place. */
function isAfterPlace(order: ApprovedFilter['order'], place: ApprovedPlace | undefined): RawBuilder<boolean> {
  if (place === undefined) return sql<boolean>`true`;
  const [column, time] = [sql`screenshot_sets.approved_at`, sql`${place.approvedAt}::timestamptz`];
  const [near, beyond] = order === 'desc' ? [sql`<=`, sql`<`] : [sql`>=`, sql`>`];
  const target = sql`(${place.setId}::uuid, ${place.seq}::integer)`;
  return sql<boolean>`${column} ${near} ${time}
    and (${column} ${beyond} ${time} or (screenshots.set_id, screenshots.seq) > ${target})`;
}

/** @returns undefined if the organization has no such screenshot in an approved set. */
export async function findApprovedPlace(
  db: Queryable,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
): Promise<ApprovedPlace | undefined> {
  const { rows } = await sql<ApprovedPlace>`
    select t.approved_at::text as "approvedAt", t.id as "setId", p.seq
    from screenshots p join screenshot_sets t on t.id = p.set_id
    where p.id = ${id}::uuid and t.organization_id = ${organizationId}::uuid and t.approved_at is not null`.execute(db);
  return rows[0];
}

type Ad = ScreenshotRow['ad'] & Partial<Pick<Row<'ads'>, 'content'>>;

async function adsOf(db: Queryable, ids: string[], creative: boolean): Promise<Map<string, Ad>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('ads')
    .select(AD_COLUMNS)
    .$if(creative, (q) => q.select('ads.content'))
    .where('ads.id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

type Bare = Omit<ApprovedRow, 'ad' | 'creative' | 'approved_at' | keyof History> & {
  ad_id: string;
  approved_at: Date | null;
};

/** Always returns one row: a foreign key guarantees the ad, and the query guarantees the time. */
function complete(row: Bare, ads: ReadonlyMap<string, Ad>): Omit<ApprovedRow, keyof History>[] {
  const ad = ads.get(row.ad_id);
  if (ad === undefined || row.approved_at === null) return [];
  const creative = ad.content === undefined ? undefined : { type: ad.kind, content: ad.content };
  return [{ ...row, approved_at: row.approved_at, ad, creative }];
}
