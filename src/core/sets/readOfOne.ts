/** Reads what the page of one picture shows besides the picture: its versions and its place in the set. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { DeviceName } from '../../domain/devices.ts';
import type { ScreenshotStatus } from '../../domain/states.ts';
import type { VersionRow } from './readVersions.ts';

/** Versions that are looked at; the newest ones. */
const MOST_VERSIONS = 30;

/** @returns all versions of one screenshot, its own too, newest first. */
export async function readVersionsOf(db: Queryable, screenshotId: string): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    with own as (select coalesce(original_id, id) as root from screenshots where id = ${screenshotId}::uuid)
    select v.id, v.status, v.reason, v.site_url, v.device, v.marker_ms, v.image_token, v.captured_at, v.warnings,
      v.decision, i.width as image_width, i.height as image_height, f.id as set_id, f.status as set_status,
      f.created_at as requested_at
    from own
    join screenshots v on v.id = own.root or v.original_id = own.root
    join screenshot_sets f on f.id = v.set_id
    left join images i on i.token = v.image_token
    order by f.created_at desc, v.id
    limit ${MOST_VERSIONS}`.execute(db);
  return rows;
}

/** A screenshot of a set, as far as its place in the set needs it. */
export interface PlacedScreenshot {
  readonly id: string;
  readonly site_url: string;
  readonly device: DeviceName;
  readonly marker_ms: number | null;
  readonly status: ScreenshotStatus;
  readonly ad: { readonly id: string; readonly name: string };
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
      'ads.id as ad_id',
      'ads.name as ad_name',
    ])
    .where('screenshots.set_id', '=', setId)
    .orderBy('screenshots.seq')
    .execute();
  return rows.map(({ ad_id, ad_name, ...row }) => ({ ...row, ad: { id: ad_id, name: ad_name } }));
}
