/** Reads the rows of one ad or one set. */
import type { Queryable } from '../database/database.ts';
import type { AdRow, ScreenshotRow, SetRow } from '../database/rows.ts';

export const AD_COLUMNS = [
  'ads.id',
  'ads.name',
  'ads.lookup_key',
  'ads.status',
  'ads.reason',
  'ads.category',
  'ads.kind',
  'ads.campaign_id',
  'ads.created_at',
  'ads.width',
  'ads.height',
  'ads.preview_token',
] as const;

export interface RowQuery {
  /** UUID. */
  readonly id: string;
  /** Finds the row only if it belongs to this organization. */
  readonly organizationId?: string;
}

/** Of the organization that owns the row. */
interface WithSlug {
  readonly slug: string;
}

/** @returns undefined when there is no such ad. */
export async function readAdRow(db: Queryable, query: RowQuery): Promise<(AdRow & WithSlug) | undefined> {
  return db
    .selectFrom('ads')
    .innerJoin('organizations', 'organizations.id', 'ads.organization_id')
    .select([...AD_COLUMNS, 'organizations.slug'])
    .where('ads.id', '=', query.id)
    .$if(query.organizationId !== undefined, (q) => q.where('ads.organization_id', '=', query.organizationId ?? ''))
    .executeTakeFirst();
}

/** @returns undefined when there is no such set. */
export async function readSetRow(db: Queryable, query: RowQuery): Promise<(SetRow & WithSlug) | undefined> {
  return db
    .selectFrom('screenshot_sets')
    .innerJoin('organizations', 'organizations.id', 'screenshot_sets.organization_id')
    .select([
      'screenshot_sets.id',
      'screenshot_sets.campaign_id',
      'screenshot_sets.status',
      'screenshot_sets.instructions',
      'screenshot_sets.review_notes',
      'screenshot_sets.created_at',
      'organizations.slug',
    ])
    .where('screenshot_sets.id', '=', query.id)
    .$if(query.organizationId !== undefined, (q) =>
      q.where('screenshot_sets.organization_id', '=', query.organizationId ?? ''),
    )
    .executeTakeFirst();
}

/** The screenshots of a set in the order of the request. An ad is read once, however many pictures show it. */
export async function readScreenshots(db: Queryable, setId: string): Promise<ScreenshotRow[]> {
  const rows = await db
    .selectFrom('screenshots')
    .leftJoin('images', 'images.token', 'screenshots.image_token')
    .select([
      'screenshots.id',
      'screenshots.ad_id',
      'screenshots.status',
      'screenshots.reason',
      'screenshots.site_url',
      'screenshots.device',
      'screenshots.marker_ms',
      'screenshots.image_token',
      'screenshots.captured_at',
      'images.width as image_width',
      'images.height as image_height',
    ])
    .where('screenshots.set_id', '=', setId)
    .orderBy('screenshots.seq')
    .execute();
  const ads = await readAds(db, [...new Set(rows.map((row) => row.ad_id))]);
  return rows.map((row) => ({ ...row, ad: required(ads, row.ad_id) }));
}

async function readAds(db: Queryable, ids: string[]): Promise<Map<string, AdRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('ads')
    .select(AD_COLUMNS)
    .where((eb) => eb('ads.id', '=', eb.fn.any(eb.val(ids))))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

function required(ads: ReadonlyMap<string, AdRow>, id: string): AdRow {
  const ad = ads.get(id);
  if (ad === undefined) throw new Error(`Ad ${id} of a screenshot is not in the database.`);
  return ad;
}
