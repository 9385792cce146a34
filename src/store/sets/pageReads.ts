/** What the pages show beyond the records that the API answers. */
import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../database/database.ts';
import type { AdRow } from '../database/rows.ts';
import type { AdTable, ScreenshotSetTable } from '../database/schema.ts';
import { AD_COLUMNS } from './readRecords.ts';

/** Whom a session speaks for: as for the key, without its secret. @returns undefined once it is revoked or expired. */
export async function findLiveKey(
  db: Queryable,
  { keyId, slug }: { keyId: string; slug: string },
): Promise<{ organizationId: string; scopes: readonly string[]; disabled: boolean } | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select(['organization_id', 'scopes', 'disabled_at'])
    .where('api_keys.id', '=', keyId)
    .where('slug', '=', slug)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst();
  return row && { organizationId: row.organization_id, scopes: row.scopes, disabled: row.disabled_at !== null };
}

export interface SetHead extends Selectable<ScreenshotSetTable> {
  readonly campaign: string;
}

export async function readSetHead(
  db: Queryable,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<SetHead | undefined> {
  return db
    .selectFrom('screenshot_sets')
    .innerJoin('campaigns', 'campaigns.id', 'screenshot_sets.campaign_id')
    .selectAll('screenshot_sets')
    .select('campaigns.name as campaign')
    .where('screenshot_sets.id', '=', id)
    .where('screenshot_sets.organization_id', '=', organizationId)
    .executeTakeFirst();
}

export interface SetProgress {
  readonly status: Selectable<ScreenshotSetTable>['status'];
  readonly total: number;
  readonly resolved: number;
}

/** As little as live progress needs. */
export async function readProgress(
  db: Queryable,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<SetProgress | undefined> {
  return db
    .selectFrom('screenshot_sets')
    .leftJoin('screenshots', 'screenshots.set_id', 'screenshot_sets.id')
    .select([
      'screenshot_sets.status',
      sql<number>`count(screenshots.id)::integer`.as('total'),
      sql<number>`count(*) filter (where screenshots.status <> 'pending')::integer`.as('resolved'),
    ])
    .where('screenshot_sets.id', '=', id)
    .where('screenshot_sets.organization_id', '=', organizationId)
    .groupBy('screenshot_sets.status')
    .executeTakeFirst();
}

/** The provenance records of these screenshots, by id. */
export async function readProvenance(db: Queryable, ids: readonly string[]): Promise<Map<string, object>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('screenshots')
    .select(['id', 'record'])
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where('record', 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ id, record }) => (record === null ? [] : [[id, record] as const])));
}

/** The first pictures of each of these sets. */
export async function readThumbnails(
  db: Queryable,
  setIds: readonly string[],
  each: number,
): Promise<Map<string, string[]>> {
  if (setIds.length === 0) return new Map();
  const { rows } = await sql<{ set_id: string; image_token: string }>`
    select s.id as set_id, t.image_token
    from unnest(${[...setIds]}::uuid[]) as s(id)
    cross join lateral (
      select image_token from screenshots
      where set_id = s.id and image_token is not null order by seq limit ${each}
    ) t`.execute(db);
  const groups = Map.groupBy(rows, (row) => row.set_id);
  return new Map([...groups].map(([id, found]) => [id, found.map((row) => row.image_token)]));
}

/** Their names, by id. */
export async function readCampaignNames(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('campaigns')
    .select(['id', 'name'])
    .where(sql<boolean>`id = any(${[...new Set(ids)]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row.name]));
}

export interface AdHead extends AdRow {
  readonly organization_id: string;
  readonly campaign: string;
  /** The first part of it only: it may be a megabyte. */
  readonly content: Selectable<AdTable>['content'];
  readonly content_length: number;
  readonly captured_at: Date | null;
}

const CONTENT_SHOWN = 4_000;

export async function readAdHead(
  db: Queryable,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<AdHead | undefined> {
  return db
    .selectFrom('ads')
    .innerJoin('campaigns', 'campaigns.id', 'ads.campaign_id')
    .select(AD_COLUMNS)
    .select([
      'ads.organization_id',
      'ads.captured_at',
      'campaigns.name as campaign',
      sql<string>`left(ads.content, ${CONTENT_SHOWN}::integer)`.as('content'),
      sql<number>`length(ads.content)`.as('content_length'),
    ])
    .where('ads.id', '=', id)
    .where('ads.organization_id', '=', organizationId)
    .executeTakeFirst();
}

export interface CapturedFrame {
  /** Null: the default capture. */
  readonly markerMs: number | null;
  readonly ratio: number;
  readonly token: string;
  readonly width: number;
  readonly height: number;
}

/** What the last job that rendered this ad made of it: its frames, and how it went about it. */
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

/** The last sets that show this ad. */
export async function readSetsOfAd(
  db: Queryable,
  adId: string,
  most: number,
): Promise<Pick<Selectable<ScreenshotSetTable>, 'id' | 'status' | 'created_at'>[]> {
  return db
    .selectFrom('screenshot_sets')
    .select(['id', 'status', 'created_at'])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('screenshots')
          .select('screenshots.id')
          .whereRef('screenshots.set_id', '=', 'screenshot_sets.id')
          .where('screenshots.ad_id', '=', adId),
      ),
    )
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
}
