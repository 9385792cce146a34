import { type Selectable, sql } from 'kysely';
import type { MediaType } from '../../domain/ads.ts';
import { AD_COLUMNS } from '../ads/readAd.ts';
import type { Queryable } from '../database/database.ts';
import { type ListPage, offsetOf, type Page } from '../database/listPage.ts';
import type { ScreenshotRow } from '../database/rows.ts';
import type { AdTable } from '../database/schema.ts';
import { isInRange } from '../database/search.ts';
import { type History, withScreenshotHistory } from '../reviews/reviews.ts';
import { SCREENSHOT_COLUMNS } from './readScreenshots.ts';

export interface ApprovedFilter {
  readonly organizationId: string;
  /** The range of approval times, both ends included. */
  readonly from: Date;
  readonly to: Date;
  readonly order: 'asc' | 'desc';
  /** With the content of the ads' media. */
  readonly creative: boolean;
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
    .where('screenshot_sets.removed_at', 'is', null)
    .where(isInRange(sql`screenshot_sets.approved_at`, filter))
    .where('screenshots.status', '=', 'uploaded')
    .where(sql<boolean>`screenshots.decision is distinct from 'rejected'`);
  const { total } = await matching.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .leftJoin('images', 'images.token', 'screenshots.image_token')
    .select([...SCREENSHOT_COLUMNS, 'screenshots.set_id', 'screenshot_sets.approved_at'])
    .orderBy('screenshot_sets.approved_at', filter.order)
    .orderBy('screenshots.set_id')
    .orderBy('screenshots.seq')
    .limit(page.perPage)
    .offset(offsetOf(page))
    .execute();
  const ads = await adsOf(db, [...new Set(rows.map((row) => row.ad_id))], filter.creative);
  const listed = rows.flatMap((row) => complete(row, ads));
  return { rows: await withScreenshotHistory(db, listed), total: Number(total) };
}

type Ad = ScreenshotRow['ad'] & Partial<Pick<Selectable<AdTable>, 'content'>>;

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
