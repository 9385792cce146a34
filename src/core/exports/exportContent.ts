/** The content of an export: the pictures of a set or a campaign, and the screenshots without one. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Logo } from '../../domain/branding.ts';
import type { DeviceName } from '../../domain/devices.ts';
import type { ExportOptions } from '../../domain/exports.ts';
import type { ScreenshotStatus, SetStatus } from '../../domain/states.ts';
import { CLIENT_LOGO } from '../sets/campaigns.ts';
import { AD_NAMES, type Owner, setsOf, shownVersions } from '../sets/shownVersions.ts';

/** Increase it when exports of the same content look different, so that no older file is reused. */
const LAYOUT_VERSION = 7;

/** Whether nobody has checked a slot that may not be the best one. Sets that approve themselves have no review. */
const IS_TO_CHECK = sql`(exists (select from screenshots o
    where o.id = any(s.ids) and o.warnings @> '[{"code": "slot_uncertain"}]')
  and s.decision is distinct from 'approved' and not (s.set_status = 'approved' and exists (
    select from reviews v where v.set_id = s.set_id and v.screenshot_id is null and v.decision = 'approved')))`;

export interface ExportSubject {
  /** Those of its sets, each once. */
  readonly statuses: readonly SetStatus[];
  readonly clientLogo: Logo | null;
  readonly campaign: string;
  readonly slug: string;
  /** When its newest set was requested. */
  readonly createdAt: Date;
  readonly pictures: number;
  /** Chosen ids without a version that the file may show. */
  readonly unknown: readonly string[];
  /** SHA-256 of everything that the file depends on. */
  readonly fingerprint: string;
}

/** @returns the name and the fingerprint of the content; undefined if the organization has no such set or campaign. */
export async function readExportSubject(
  db: Queryable,
  { organizationId, options, ...owner }: Owner & { organizationId: string; options: ExportOptions },
): Promise<ExportSubject | undefined> {
  const { rows } = await sql<ExportSubject>`
    with ${shownVersionsOf(owner, options)}
    select coalesce(t.statuses, '{}') as statuses, ${CLIENT_LOGO} as "clientLogo", c.name as campaign, o.slug,
      coalesce(t.created_at, c.created_at) as "createdAt", s.pictures,
      array(select chosen from unnest(${chosenIds(options)}::uuid[]) as chosen
        where not exists (select from shown s where chosen = any(s.own_ids || s.ids))) as unknown,
      encode(sha256(convert_to(jsonb_build_array(${LAYOUT_VERSION}::integer, ${JSON.stringify(options)}::jsonb, c.name,
        c.logo_token, s.content, to_jsonb(b) - 'updated_at', o.creative_check)::text, 'UTF8')), 'hex') as fingerprint
    from campaigns c
    join organizations o on o.id = c.organization_id
    left join branding b on b.organization_id = c.organization_id
    cross join (select array_agg(distinct status) as statuses, max(created_at) as created_at
      from screenshot_sets where ${setsOf(owner)}) t
    cross join lateral (
      select count(s.image_token) filter (where s.status = 'uploaded')::integer as pictures,
        string_agg(concat_ws(':', s.id, s.status, s.image_token, ${IS_TO_CHECK}), ',' order by own_seq) as content
      from shown s
    ) s
    where c.organization_id = ${organizationId} and c.id = coalesce(${owner.campaignId ?? null}::uuid,
      (select campaign_id from screenshot_sets where id = ${owner.setId ?? null}::uuid))`.execute(db);
  return rows[0];
}

type ExportReaders = Pick<ExportOptions, 'audience' | 'approved_only' | 'screenshot_ids'>;
const chosenIds = ({ screenshot_ids: ids }: ExportReaders) => ids?.slice() ?? null;

const shownVersionsOf = (
  owner: Owner,
  { audience, approved_only: approvedOnly = false, screenshot_ids: ids }: ExportReaders,
) => shownVersions(owner, { isShared: audience === 'shared', approvedOnly, ids });

export interface ExportPicture {
  readonly id: string;
  /** The set's own screenshot, if the picture is a retake of it. */
  readonly retake_of: string | null;
  /** Its place in the set or among all sets, from 1. */
  readonly number: number;
  readonly site_url: string;
  /** After redirects; null if the record has none. */
  readonly final_url: string | null;
  readonly device: DeviceName;
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  readonly marker_ms: number | null;
  readonly captured_at: Date;
  readonly ad_id: string;
  /** The other screenshots of a group, which have the same picture. */
  readonly other_ids: readonly string[];
  /** The names of all ads in the picture. */
  readonly ad_name: string;
  /** CSS pixels of the creative; null if unknown, and for several. */
  readonly ad_width: number | null;
  readonly ad_height: number | null;
  readonly artifact_key: string;
  readonly image_token: string;
  /** The keys of its animation; null if it has none. */
  readonly webp_key: string | null;
  readonly gif_key: string | null;
  readonly sha256: string;
  /** Device pixels. */
  readonly width: number;
  readonly height: number;
  /** The picture has the warning `slot_uncertain`, and no reviewer approved it or its set. */
  readonly slot_uncertain: boolean;
}

/**
 * The pictures by set, site, device, ad and marker. Sites, devices and ads keep the order of their first screenshot.
 * @param range the part of this order.
 */
export async function readExportPictures(
  db: Queryable,
  { options, ...owner }: Owner & { options: ExportReaders },
  { skip, take }: { skip: number; take?: number },
): Promise<ExportPicture[]> {
  const { rows } = await sql<ExportPicture>`
    with ${shownVersionsOf(owner, options)},
    pictures as (
      select s.*, min(own_seq) over (partition by own_set, site_url) as site_at,
        min(own_seq) over (partition by own_set, site_url, device) as device_at,
        min(own_seq) over (partition by own_set, site_url, device, ad_id) as ad_at
      from shown s
    )
    select s.id, nullif(s.own_id, s.id) as retake_of, s.own_seq + 1 as number, s.site_url,
      r.record->>'final_url' as final_url, s.device, coalesce((r.record->>'ratio')::float8, 1) as ratio, s.marker_ms,
      coalesce(s.captured_at, i.created_at) as captured_at, s.ad_id, s.ids[2:] as other_ids, ${AD_NAMES} as ad_name,
      case when cardinality(s.ids) = 1 then a.width end as ad_width,
      case when cardinality(s.ids) = 1 then a.height end as ad_height, i.artifact_key, s.image_token, i.sha256, i.width, i.height, w.artifact_key as webp_key, g.artifact_key as gif_key,
      ${IS_TO_CHECK} as slot_uncertain
    from pictures s join screenshots r on r.id = s.id join images i on i.token = s.image_token join ads a on a.id = s.ad_id
    left join images w on w.token = s.animation->'webp'->>'token'
    left join images g on g.token = s.animation->'gif'->>'token'
    where s.status = 'uploaded'
    order by (select min(array_position(${chosenIds(options)}::uuid[], version)) from unnest(s.own_ids || s.ids) as version),
      s.site_at, s.device_at, s.ad_at, s.marker_ms nulls first, s.own_seq
    limit ${take ?? null} offset ${skip}`.execute(db);
  return rows;
}

export interface ExportFailure {
  readonly site_url: string;
  readonly device: string;
  readonly ad_name: string;
  readonly marker_ms: number | null;
  readonly status: ScreenshotStatus;
  readonly reason: string | null;
  /** The key of the picture of its page; null without one. */
  readonly page_key: string | null;
}

/** The screenshots without a picture, in the order of the request. */
export async function readExportFailures(
  db: Queryable,
  { options, ...owner }: Owner & { options: ExportReaders },
  most: number,
): Promise<ExportFailure[]> {
  const { rows } = await sql<ExportFailure>`
    with ${shownVersionsOf(owner, options)}
    select s.site_url, s.device, a.name as ad_name, s.marker_ms, s.status, s.reason, i.artifact_key as page_key
    from shown s join ads a on a.id = s.ad_id join screenshots r on r.id = s.id
    left join images i on i.token = r.page_token
    where s.status <> 'uploaded'
    order by s.own_seq
    limit ${most}`.execute(db);
  return rows;
}
