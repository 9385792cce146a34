/** The names of sets, pictures and what belongs to them, for lists that store only ids. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { shortDevice } from '../../domain/devices.ts';
import { setName } from '../../domain/setNames.ts';
import { isUuid } from '../../domain/slugs.ts';
import { withScheme } from '../../domain/webAddresses.ts';

export interface NamedObject {
  readonly kind: 'set' | 'screenshot' | 'ad' | 'campaign' | 'schedule' | 'share_link' | 'deleted';
  readonly name: string;
  /** The id of its page; that of the set for a share link. */
  readonly pageId: string;
}

interface Row {
  readonly id: string;
  readonly kind: NamedObject['kind'];
  readonly name: string | null;
  readonly campaign: string | null;
  readonly created_at: Date | null;
  readonly site_url: string | null;
  readonly device: string | null;
  readonly set_id: string | null;
}

/** @returns the names of these objects by id. An object that was deleted has the name that its deletion recorded. */
export async function readObjectNames(
  db: Queryable,
  { organizationId, ids }: { readonly organizationId: string; readonly ids: readonly (string | null)[] },
): Promise<ReadonlyMap<string, NamedObject>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null && isUuid(id));
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<Row>`
    with wanted as (select unnest(${wanted}::uuid[]) as id)
    select s.id, 'set' as kind, s.name, c.name as campaign, s.created_at, null as site_url, null as device, null::uuid as set_id
    from wanted join screenshot_sets s using (id) join campaigns c on c.id = s.campaign_id
    where s.organization_id = ${organizationId}
    union all
    select p.id, 'screenshot', a.name, null, null, p.site_url, p.device, p.set_id
    from wanted join screenshots p using (id) join screenshot_sets s on s.id = p.set_id join ads a on a.id = p.ad_id
    where s.organization_id = ${organizationId}
    union all
    select id, 'ad', name, null, null, null, null, null from wanted join ads using (id)
    where organization_id = ${organizationId}
    union all
    select id, 'campaign', name, null, null, null, null, null from wanted join campaigns using (id)
    where organization_id = ${organizationId}
    union all
    select id, 'schedule', name, null, null, null, null, null from wanted join schedules using (id)
    where organization_id = ${organizationId}
    union all
    select l.id, 'share_link', l.label, null, null, null, null, l.set_id from wanted join share_links l using (id)
    where l.organization_id = ${organizationId}
    union all
    select w.id, 'deleted', change->>'from', null, null, null, null, null
    from wanted w join audit_log e on e.organization_id = ${organizationId} and e.object_id = w.id::text
      and e.action in ('screenshot_set.deleted', 'ad.deleted', 'campaign.deleted', 'schedule.deleted')
    cross join jsonb_array_elements(e.changes) change where change->>'field' = 'name'`.execute(db);
  return new Map(rows.map((row) => [row.id, named(row)]));
}

function named({ id, kind, name, campaign, created_at, site_url, device, set_id }: Row): NamedObject {
  if (campaign !== null && created_at !== null)
    return { kind, name: setName({ name, campaign, created_at }), pageId: id };
  if (site_url === null || device === null) return { kind, name: name ?? '', pageId: set_id ?? id };
  const { host = site_url } = URL.parse(withScheme(site_url)) ?? {};
  return { kind, name: `${host} · ${shortDevice(device)} · ${name}`, pageId: id };
}
