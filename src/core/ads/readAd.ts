/** Reads one ad: its row, and more for its results page. */
import { type SqlBool, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { AD_COLUMNS, type AdRow, type ObjectRef, type Row, type RowQuery, type WithSlug } from '../../db/rows.ts';
import type { AdSize } from '../../domain/ads.ts';

export interface DraftAd extends AdRow {
  /** Name of its campaign. */
  readonly campaign: string;
  readonly source: Row<'ads'>['source'];
  /** CSS pixels, as given or as rendered; null if it is not known. */
  readonly size: AdSize | null;
  /** Whether it is an image that does not move, so that all moments show the same. */
  readonly still: boolean;
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

/** @returns ads by id. */
export async function readAds(
  db: Queryable,
  ids: string[],
  { withContent = false } = {},
): Promise<Map<string, AdRow & Partial<Pick<Row<'ads'>, 'content'>>>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('ads')
    .select(AD_COLUMNS)
    .$if(withContent, (q) => q.select('ads.content'))
    .where((eb) => eb('ads.id', '=', eb.fn.any(eb.val(ids))))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

export interface AdHead extends AdRow {
  readonly organization_id: string;
  readonly campaign: string;
  /** The first part of it only: it may be a megabyte. */
  readonly content: Row<'ads'>['content'];
  readonly content_length: number;
  readonly captured_at: Date | null;
  /** The uploaded file; null for other media. */
  readonly upload_name: string | null;
  readonly upload_bytes: number | null;
}

const CONTENT_SHOWN = 4_000;

export async function readAdHead(db: Queryable, { id, organizationId }: ObjectRef): Promise<AdHead | undefined> {
  return db
    .selectFrom('ads')
    .innerJoin('campaigns', 'campaigns.id', 'ads.campaign_id')
    .leftJoin('uploads', 'uploads.id', 'ads.upload_id')
    .select(AD_COLUMNS)
    .select([
      'ads.organization_id',
      'ads.captured_at',
      'campaigns.name as campaign',
      'uploads.name as upload_name',
      'uploads.bytes as upload_bytes',
      sql<string>`left(ads.content, ${CONTENT_SHOWN}::integer)`.as('content'),
      sql<number>`length(ads.content)`.as('content_length'),
    ])
    .where('ads.id', '=', id)
    .where('ads.organization_id', '=', organizationId)
    .executeTakeFirst();
}

export interface CapturedFrame {
  /** Null: the default frame. */
  readonly markerMs: number | null;
  readonly ratio: number;
  readonly token: string;
  readonly width: number;
  readonly height: number;
}

/** Reads the frames of the last job that rendered this ad, with format, mode and notes. */
export async function readCreative(
  db: Queryable,
  adId: string,
): Promise<{ format: string | null; mode: string | null; notes: string[]; frames: CapturedFrame[] } | undefined> {
  const creative = await db
    .selectFrom('job_creatives')
    .select(['job_id', 'format', 'mode', 'notes'])
    .where('ad_id', '=', adId)
    .where('status', '=', 'rendered')
    .orderBy('resolved_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (creative === undefined) return undefined;
  const frames = await db
    .selectFrom('creative_frames')
    .innerJoin('images', 'images.token', 'creative_frames.image_token')
    .select(['marker_ms', 'ratio', 'image_token', 'width', 'height'])
    .where('job_id', '=', creative.job_id)
    .where('ad_id', '=', adId)
    .orderBy('marker_ms')
    .orderBy('ratio')
    .execute();
  return {
    format: creative.format,
    mode: creative.mode,
    notes: creative.notes ?? [],
    frames: frames.map(({ marker_ms, ratio, image_token, width, height }) => ({
      markerMs: marker_ms < 0 ? null : marker_ms,
      ratio: Number(ratio),
      token: image_token,
      width,
      height,
    })),
  };
}

/** The size of a row of `ads`: as the request gave it, or as rendered; null if it is not known. */
export const AD_SIZE = sql<AdSize | null>`case when coalesce(given_width, width) is not null then json_build_object(
  'width', coalesce(given_width, width), 'height', coalesce(given_height, height)) end`;

/** Whether a row of `ads` is an image that does not move. */
export const IS_STILL = sql<boolean>`exists (
  select from job_creatives c where c.ad_id = ads.id and c.mode = 'still')`;

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
    .select([AD_SIZE.as('size'), IS_STILL.as('still')])
    .where('ads.organization_id', '=', organizationId)
    .where(sql<SqlBool>`ads.id = any(${[...ids]}::uuid[])`)
    .execute();
  return rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}
