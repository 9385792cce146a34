/** Reads the versions of screenshots: each retake takes them again in a set of its own. */
import { type RawBuilder, sql } from 'kysely';
import { type OptionsJson, optionsFromJson } from '../../contract/storedOptions.ts';
import type { Queryable } from '../../db/database.ts';
import type { ScreenshotRow } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';
import type { DeviceName } from '../../domain/devices.ts';
import type { PageAccess } from '../../domain/pageAccess.ts';
import type { ScreenshotOptions } from '../../domain/screenshotOptions.ts';
import type { ScreenshotStatus, SetStatus } from '../../domain/states.ts';
import { MOST_RETAKES } from '../../domain/versions.ts';
import { readPageAccess } from './pageAccess.ts';

/** Versions that are looked at; the newest ones. */
const MOST_VERSIONS = 30;

/** A screenshot of a set, as far as its place in the set needs it. */
export interface PlacedScreenshot {
  readonly id: string;
  readonly site_url: string;
  readonly device: DeviceName;
  readonly marker_ms: number | null;
  readonly status: ScreenshotStatus;
  readonly group_name: string | null;
  readonly ad: { readonly id: string; readonly name: string };
}

export interface LaterRetake {
  readonly id: string;
  readonly status: SetStatus;
  readonly created_at: Date;
  /** From 2. */
  readonly round: number;
  readonly total: number;
  readonly resolved: number;
}

type Decision = Schema['screenshots']['decision'];

/** One version of a screenshot, without its ad, which is the same in all versions. */
export interface VersionRow extends Omit<ScreenshotRow, 'ad'> {
  readonly set_id: string;
  readonly set_status: SetStatus;
  /** When its set was requested. */
  readonly requested_at: Date;
  readonly decision: Decision;
}

/** The columns of a version `v` in its set `f`, with its picture `i`. */
const COLUMNS = sql`v.id, v.ad_id, v.status, v.reason, v.site_url, v.device, v.marker_ms, v.image_token, v.page_token, v.captured_at,
  v.warnings, v.animation, v.decision, i.width as image_width, i.height as image_height, i.sha256 as image_sha256,
  v.options->>'group' as group_name, f.id as set_id, f.status as set_status, f.created_at as requested_at`;

/** @returns all versions of the screenshots of a set, its own ones too, newest first, by the id of the set's own version. */
export async function readVersions(db: Queryable, setId: string): Promise<Map<string, VersionRow[]>> {
  const { rows } = await versions(setId).execute(db);
  const groups = Map.groupBy(rows, ({ version_of }) => version_of);
  return new Map([...groups].map(([id, found]) => [id, found.map(({ version_of: _own, ...version }) => version)]));
}

/** A set that was never retaken has only itself in `family`. */
function versions(setId: string): RawBuilder<VersionRow & { version_of: string }> {
  return sql`
    with own as (select id, coalesce(original_id, id) as root from screenshot_sets where id = ${setId}::uuid),
    family as (
      select f.id, f.status, f.created_at from own join screenshot_sets f on f.id in (own.id, own.root)
      union all
      (select f.id, f.status, f.created_at from own join screenshot_sets f on f.original_id = own.root and f.id <> own.id
        order by f.created_at desc limit ${MOST_RETAKES})
    )
    select o.id as version_of, ${COLUMNS}
    from family f
    join screenshots v on v.set_id = f.id
    join screenshots o on o.set_id = ${setId}::uuid and coalesce(o.original_id, o.id) = coalesce(v.original_id, v.id)
    left join images i on i.token = v.image_token
    order by o.seq, f.created_at desc, v.id`;
}

export interface RetakeSource {
  readonly id: string;
  readonly originalId: string;
  readonly adId: string;
  readonly siteUrl: string;
  readonly siteKey: string;
  readonly device: DeviceName;
  readonly markerMs: number | null;
  readonly options: ScreenshotOptions;
  /** The values of the cookies and headers that the options name. */
  readonly access: PageAccess | null;
  readonly status: ScreenshotStatus;
  /** Whether a newer version has a picture or is being captured. */
  readonly isReplaced: boolean;
  /** The number of candidates in the record; undefined without a record. */
  readonly candidates: number | undefined;
}

/** The screenshots of a set, as far as a retake needs them, in the order of the request. */
export async function readRetakeSources(db: Queryable, setId: string): Promise<RetakeSource[]> {
  const { rows } = await sql<
    Omit<RetakeSource, 'options' | 'access' | 'candidates'> & {
      options: OptionsJson | null;
      found: unknown;
      accessId: string | null;
    }
  >`
    select s.id, coalesce(s.original_id, s.id) as "originalId", s.ad_id as "adId", s.site_url as "siteUrl",
      s.site_key as "siteKey", s.device, s.marker_ms as "markerMs", s.options, s.status,
      s.record->'candidates_found' as found, s.page_access_id as "accessId",
      exists (
        select from screenshots v join screenshot_sets f on f.id = v.set_id
        where v.original_id = coalesce(s.original_id, s.id) and f.created_at > t.created_at
          and v.status in ('pending', 'uploaded')
      ) as "isReplaced"
    from screenshots s join screenshot_sets t on t.id = s.set_id
    where s.set_id = ${setId}::uuid
    order by s.seq`.execute(db);
  const accesses = await readPageAccess(db, setId);
  return rows.map(({ options, found, accessId, ...row }) => ({
    ...row,
    options: optionsFromJson(options),
    access: accesses.get(accessId ?? '') ?? null,
    candidates: typeof found === 'number' ? found : undefined,
  }));
}

/** The sets that took pictures of this set, or of its retakes, again since; newest first. */
export async function readLaterRetakes(db: Queryable, setId: string): Promise<LaterRetake[]> {
  const { rows } = await sql<LaterRetake>`
    select f.id, f.status, f.created_at, f.round, count(s.id)::integer as total,
      (count(*) filter (where s.status <> 'pending'))::integer as resolved
    from screenshot_sets own
    join screenshot_sets f on f.original_id = coalesce(own.original_id, own.id) and f.created_at > own.created_at
    join screenshots s on s.set_id = f.id
    where own.id = ${setId}::uuid
    group by f.id
    order by f.created_at desc, f.id`.execute(db);
  return rows;
}

/** @returns all versions of one screenshot, its own too, newest first. */
export async function readVersionsOf(db: Queryable, screenshotId: string): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    with own as (select coalesce(original_id, id) as root from screenshots where id = ${screenshotId}::uuid)
    select ${COLUMNS}
    from own
    join screenshots v on v.id = own.root or v.original_id = own.root
    join screenshot_sets f on f.id = v.set_id
    left join images i on i.token = v.image_token
    order by f.created_at desc, v.id
    limit ${MOST_VERSIONS}`.execute(db);
  return rows;
}

/** The screenshots of a set in the order of the request. */
export async function readPlaces(db: Queryable, setId: string): Promise<PlacedScreenshot[]> {
  const rows = await db
    .selectFrom('screenshots')
    .innerJoin('ads', 'ads.id', 'screenshots.ad_id')
    .select([
      'screenshots.id',
      'screenshots.site_url',
      'screenshots.device',
      'screenshots.marker_ms',
      'screenshots.status',
      sql<string | null>`screenshots.options->>'group'`.as('group_name'),
      'ads.id as ad_id',
      'ads.name as ad_name',
    ])
    .where('screenshots.set_id', '=', setId)
    .orderBy('screenshots.seq')
    .execute();
  return rows.map(({ ad_id, ad_name, ...row }) => ({ ...row, ad: { id: ad_id, name: ad_name } }));
}
